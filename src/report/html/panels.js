/* Makes the panels about the whole run: overview, distances, comparison, time, space and method. */

/* ---- overview ---- */

/* Makes the row of tiles with the main numbers of a profile. */
function tiles(p) {
    const list = [tile("References", count(p.references))];
    if (p.blocks !== null)
        list.push(tile("Footprint", p.block_bytes ? bytes(p.blocks * p.block_bytes) : count(p.blocks),
            p.block_bytes ? `${count(p.blocks)} blocks of ${bytes(p.block_bytes)}` : "objects"));
    if (p.cold !== null && p.references)
        list.push(tile("First touches", percent(p.cold / p.references), "no cache avoids these"));
    if (p.measured && p.mean !== null)
        list.push(tile("Mean distance", count(p.mean),
                       p.bound ? "blocks, of the distances below the bound" : "blocks"));
    for (const at of p.measured ? p.at_levels : [])
        list.push(tile(`Misses of ${clean(data.levels[at.level].name)}`,
            at.miss === null ? (at.blocks < p.resolution ? "not resolved" : "unknown") : approximate(at.interpolated) + percent(at.miss),
            bytes(data.levels[at.level].bytes) + (at.low !== undefined
                ? `, ${percent(at.low)} to ${percent(at.high)}` : "")));
    return el("dl", { class: "tiles" }, list);
}

/* Returns the sign before a number, if it is interpolated inside a bin. */
function approximate(interpolated) {
    return interpolated ? "\u2248\u00a0" : "";
}

/* Returns a table cell with a miss ratio. */
function missCell(miss, interpolated) {
    return [miss, () => approximate(interpolated) + percent(miss)];
}

function sizesTable(p, i) {
    const rows = p.sizes.map((size) => [
        size.hits ? `${size.hits}\u00a0% of the achievable hits` : "a working set",
        [size.blocks * (p.block_bytes || 1), () => (size.hits ? needed(p, size)
            : approximate(size.rounded) + sizeOf(p, size.blocks))], counted(size.blocks),
        [size.miss, () => approximate(size.interpolated) + percent(size.miss) + bandText(
            size.low === undefined ? null : [size.blocks, size.low, size.high])],
        size.before === undefined ? "" : missCell(size.before, size.before_interpolated)]);
    const title = "Useful cache sizes" + (profiles.length > 1 ? `: ${profileNames[i]}` : "");
    return rows.length ? el("div", {}, el("h3", {}, title),
        plainTable(title, ["Enough for", "Cache size", "Blocks", "Misses", "Misses at half the size"], rows,
            true)) : null;
}

function overviewOf(p, i) {
    const title = profiles.length > 1 ? el("h3", {}, swatch(i), profileNames[i]) : null;
    return el("div", { class: "one" }, title,
        el("ul", { class: "findings" }, findings(p).map((text) => el("li", {}, text, worstLink(p, i, text)))), tiles(p));
}

/* Returns a link to the source for the sentence about the line that causes the most misses, or null for any
 * other sentence. */
function worstLink(p, i, text) {
    if (!p.attribution || !p.measured || text !== sayWorstLine(p, state.level)) return null;
    const { line } = worstLine(p, state.level);
    return line.line && fileOf(p, line.source) ? [" ", linkButton("Show the source", () => {
        state.profile = i;
        makeChoices();
        openSource(p, line.source, line.line);
    })] : null;
}

function overviewPanel() {
    const measured = profiles.some((p) => p.measured);
    const node = section("Overview", unlikeNotice(),
        profiles.length === 2 ? el("ul", { class: "findings change" },
            sayChange().map((text) => el("li", {}, text))) : null,
        profiles.length > 1
            ? el("div", { class: "several" }, profiles.map(overviewOf))
            : overviewOf(profiles[0], 0),
        measured ? curveFigure() : missing("No reuse distances were measured, so there is no curve."),
        el("div", { class: "several" }, profiles.map((p, i) => p.measured ? sizesTable(p, i) : null)));
    node.classList.add("overview");
    return node;
}

/* ---- distances ---- */

function distancesPanel(refresh) {
    return section("Distances", profiles.some((p) => p.measured) ? histogramFigure(refresh)
        : missing("No reuse distances were measured."));
}

/* ---- two profiles ---- */

function levelChanges() {
    const [a, b] = profiles;
    return plainTable("Misses at the marked caches",
        ["Cache", ...profileNames, "Points", "Misses"],
        a.at_levels.filter((at) => at.miss !== null && b.at_levels[at.level] &&
            b.at_levels[at.level].miss !== null).map((at) => {
            const then = b.at_levels[at.level];
            const misses = [at.miss * a.references, then.miss * b.references];
            return [levelName(data.levels[at.level]), missCell(at.miss, at.interpolated),
                missCell(then.miss, then.interpolated),
                [then.miss - at.miss, points], `${count(misses[0])} \u2192 ${count(misses[1])}`];
        }));
}

function comparisonWords() {
    const c = data.comparison;
    if (!c) return "The bins of these profiles have too little in common to compare them as a whole.";
    const [p] = profiles;
    return `The histograms agree to ${percent(c.accuracy)} (log bins)` +
        (c.max_mrc_error === null ? "." : `; the miss ratios are at most ` +
            `${points(c.max_mrc_error).slice(1)} points apart, at ${sizeOf(p, c.max_mrc_blocks)}.`) +
        (c.bound_held === null ? "" : c.bound_held ? " The approximate profile keeps its error bound."
            : " The approximate profile exceeds its error bound.");
}

/* Makes a notice about settings that differ between two profiles and about incomplete traces, or returns null. */
function unlikeNotice() {
    const said = sayUnlike();
    profiles.forEach((p, i) => {
        if (p.partial) said.push(`The trace of ${quoted(i)} is incomplete, so the misses of the rest of the run are missing.`);
    });
    return profiles.length === 2 && said.length ? el("p", { class: "notice" }, said.join(" ")) : null;
}

function comparePanel() {
    const both = profiles.every((p) => p.measured);
    return section("Before and after", unlikeNotice(),
        el("ul", { class: "findings" }, sayChange().map((text) => el("li", {}, text))),
        both ? differenceFigure() : null, both && inBytes ? levelChanges() : null,
        both ? shiftFigure() : null,
        both ? el("p", { class: "note" }, comparisonWords()) : null,
        profiles.every((p) => p.attribution) ? codeChanges() : null);
}

/* ---- time ---- */

const attribute = "reusedist run --attribute --spatial --report=report.html -- PROGRAM ...\n" +
    "reusedist analyze --attribute --out=json -o profile.json TRACE";

function timePanel() {
    const p = profiles[state.profile];
    if (!p.windows || !p.windows.rows.length)
        return section("Time", missing("This profile has no information over time. To record it, run:",
            attribute));
    return section("Time", heatFigure(p), timeFigure(p),
        p.windows.phases.length > 1 ? phaseTable(p)
            : el("p", { class: "note" }, "The run has a single phase: its behavior hardly changes."));
}

/* ---- space ---- */

function wordFigure(p) {
    const word = p.spatial.word_profile;
    const last = Math.max(word.bins.length, p.bins.log.rows.length) - 1;
    const rows = [];
    for (let k = 0; k <= last; k++)
        rows.push([distanceRange(...logBin(k)),
            (p.bins.log.rows.find((row) => row[0] === logBin(k)[0]) || [0, 0, 0])[2] / (p.references || 1),
            (word.bins[k] || 0) / (word.references || 1)]);
    rows.push([infiniteName([p]), p.infinite / (p.references || 1), word.infinite / (word.references || 1)]);
    const names = [`blocks of ${bytes(p.block_bytes)}`, `words of ${bytes(p.spatial.word_bytes)}`];
    return figure({
        title: "Distances of blocks and of words",
        note: "References that are close in blocks but far in words benefit from spatial locality.",
        legend: el("ul", { class: "legend" }, names.map((name, i) =>
            el("li", {}, swatch(i), el("span", {}, name)))),
        config: () => {
            const options = baseOptions();
            options.interaction = { mode: "index", intersect: false };
            options.scales = { x: binAxis("reuse distance, blocks or words", rows.map((row) => row[0])),
                               y: { ...axisStyle("% of references"), min: 0 } };
            options.plugins.tooltip.callbacks = {
                label: (item) => `${item.dataset.label}: ${percent(item.raw / 100)}` };
            return { type: "bar", options, data: { labels: rows.map((row) => row[0]),
                datasets: names.map((label, i) => ({ label, data: rows.map((row) => 100 * row[i + 1]),
                    backgroundColor: translucent(seriesColor(i), 0.8) })) } };
        },
        table: () => plainTable("Distances of blocks and of words", ["Distance", ...names],
            rows.map((row) => [row[0], shared(row[1]), shared(row[2])])),
    });
}

function spacePanel() {
    const p = profiles[state.profile], s = p.spatial;
    if (!s || !p.block_bytes)
        return section("Space", missing("This profile has no information on the use of blocks. To record " +
            "it, run:", attribute));
    const words = p.block_bytes / s.word_bytes;
    const rows = s.levels.map((at, i) => [levelName(levelsOf(p)[i]), counted(at.fetched),
        at.fetched ? [at.words / at.fetched, (used) => `${used.toFixed(1)} of ${words}`] : "",
        at.fetched ? shareCell(at.words / at.fetched / words) : ""]);
    rows.push(["an infinite cache", counted(s.blocks_loaded),
        s.blocks_loaded ? [s.words_used / s.blocks_loaded, (used) => `${used.toFixed(1)} of ${words}`] : "",
        s.blocks_loaded ? shareCell(s.words_used / s.blocks_loaded / words) : ""]);
    return section("Space",
        el("p", {}, "A cache fetches whole blocks. The table shows how many words of a block the program " +
            "uses before the block is evicted."),
        plainTable("Use of fetched blocks", ["Cache", "Blocks fetched", "Words used of each", "Share"],
            rows),
        saySpace(p, state.level) ? el("p", { class: "findings-line" }, saySpace(p, state.level)) : null,
        s.word_profile && s.word_profile.bins.length && p.measured ? wordFigure(p) : el("p", { class: "note" },
            "To measure the reuse distances of words as well, use --spatial."));
}

/* ---- method ---- */

/* Returns the number of references that were analyzed, and says why it differs from the number of
 * references in the traces. */
function sayReferences(p) {
    const read = sum(p.sources, (source) => source.references);
    if (!read || read === p.references) return exactCount(p.references);
    return `${exactCount(p.references)} to single blocks, from ${exactCount(read)} references in the ` +
           (p.references > read ? "trace; some of these touch several blocks"
               : p.kinds ? "trace; some of these are not of the chosen kinds" : "trace");
}

function methodOf(p, i) {
    const rows = [["Engine", [p.engine.name, p.engine.options].filter((text) => text).map(clean).join(": ")]];
    rows.push(["Error", sayError(p)]);
    rows.push(["References", sayReferences(p)]);
    if (p.blocks !== null) rows.push(["Distinct blocks", exactCount(p.blocks)]);
    rows.push(["Infinite distances", exactCount(p.infinite) +
        (p.bound ? `: first touches, and distances of ${exactCount(p.bound)} blocks or more` : "")]);
    rows.push(["Block", p.block_bytes ? bytes(p.block_bytes) : "one address or object"]);
    if (p.kinds) rows.push(["Kinds of references", p.kinds.split("").map((k) =>
        ({ L: "loads", S: "stores", I: "instruction fetches" })[k] || clean(k)).join(", ")]);
    rows.push(["Bins of the profile", clean(p.binning)]);
    if (p.seconds) rows.push(["Time of the analysis", seconds(p.seconds)]);
    if (p.unrecorded) rows.push(["Not covered", sayUnrecorded(p)]);
    if (p.partial) rows.push(["Complete", "no: the trace ends early, and the results cover the run up to that point"]);
    if (p.interleaving && p.interleaving.threads === 1) rows.push(["Order of threads", "as recorded: the trace has one thread"]);
    else if (p.interleaving) rows.push(["Order of threads", `lockstep: turns of ${exactCount(p.interleaving.turn)} ` +
        `${plural(p.interleaving.turn, "reference")}, because recorders serialize threads; threads missed ` +
        `${exactCount(p.interleaving.overflows)} ${plural(p.interleaving.overflows, "turn")} because of the reorder buffer of ` +
        `${exactCount(p.interleaving.reorder)} records` + (p.interleaving.recorded_coherence === null ? ""
            : `; in recorded order, ${exactCount(p.interleaving.recorded_coherence)} coherence ` +
                plural(p.interleaving.recorded_coherence, "miss", "misses"))]);
    if (p.skipped !== 0) rows.push(["Skipped by the recorder",
        p.skipped === null ? "some references" : `${exactCount(p.skipped)} ${plural(p.skipped, "reference")}`]);
    if (p.attribution) rows.push(["Cost of attribution", `${seconds(p.attribution.cost.seconds)}, ` +
        `${bytes(p.attribution.cost.bytes)} of memory` + (p.attribution.cost.dropped_pairs
            ? `; the analysis dropped ${exactCount(p.attribution.cost.dropped_pairs)} rare ` +
                plural(p.attribution.cost.dropped_pairs, "pair") : "")]);
    return factList(clean(profiles[i].name), [...rows, ...sourceRows(p, "references")]);
}

function methodPanel() {
    return section("How this was measured",
        el("p", {}, "The reuse distance of a reference is the number of distinct other blocks that were " +
            "touched since the same block was touched last. A fully associative LRU cache of C blocks " +
            "hits exactly when the distance is below C, so one histogram gives the miss ratio of every " +
            "cache size. Caches with limited associativity usually miss somewhat more."),
        profiles.map(methodOf), licenses());
}
