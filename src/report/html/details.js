/* Prepares the details of profiles of blocks for display: code, data, time and space. */

Object.assign(state, { level: 0, profile: 0, bins: "log", code: "lines" });

/* Formats a cache size, given in blocks, in the unit of the profile. */
function sizeOf(profile, blocks) {
    return profile.block_bytes ? bytes(blocks * profile.block_bytes)
                               : exactCount(blocks) + "\u00a0objects";
}

function distanceRange(low, high) {
    if (high < 10000) return low === high ? String(low) : `${low} \u2013 ${high}`;
    return `${blockCount(low)} \u2013 ${blockCount(high + 1)}`;
}

/* Returns the range of log bin k: distance 0, 1, 2 to 3, 4 to 7 ... */
function logBin(k) {
    return k === 0 ? [0, 0] : [2 ** (k - 1), 2 ** k - 1];
}

/* Turns rows [low, high, count] of non-empty log bins into an array of counts by bin. */
function countsOf(rows) {
    const counts = [];
    for (const [low, , n] of rows) counts[low ? Math.round(Math.log2(low)) + 1 : 0] = n;
    return Array.from(counts, (n) => n || 0);
}

/* Sets `others` in each entry of the lists: true if the entry is the sum of all entries that are not
 * listed. */
function markOthers(attribution) {
    for (const row of [...attribution.functions, ...attribution.data]) row.others = row.name === "(others)";
    for (const line of attribution.lines) line.others = line.function === null;
    for (const pair of attribution.pairs) pair.others = pair.use === null;
}

for (const { attribution, windows, spatial } of profiles) {
    const lists = attribution ? [attribution.functions, attribution.lines, attribution.data] : [];
    for (const row of [...lists.flat(), ...(windows ? windows.rows : [])]) row.bins = countsOf(row.bins);
    if (attribution) markOthers(attribution);
    if (spatial && spatial.word_profile)
        spatial.word_profile.bins = countsOf(spatial.word_profile.histogram);
}

/* Returns whether the page has the distances of an entry. It has them only for the first entries of
 * a list. */
function hasDistances(row) {
    return !row.others && (row.bins.length > 0 || row.infinite === row.references);
}

/* Returns the caches whose misses the profile has, or the caches of the page if the profile has no misses. */
function levelsOf(profile) {
    return profile.levels && profile.levels.length ? profile.levels : data.levels;
}

function levelName(level) {
    return inBytes ? `${clean(level.name)}, ${bytes(level.bytes)}` : clean(level.name);
}

/* Returns "file.c:12"; only the file if the line number is unknown; the function, or "(unknown)", if the file is
 * unknown; or "(others)" for a line that is not in the list. */
function placeOf(attribution, line) {
    if (!line || line.others) return "(others)";
    const source = attribution.sources[line.source];
    const f = attribution.functions[line.function];
    if (source !== undefined && line.line) return `${baseName(source)}:${line.line}`;
    return source !== undefined ? baseName(source) : f ? clean(f.name) : "(unknown)";
}

/* Returns the misses of the whole run at a level, or 0 if the profile has no attribution. */
function totalMisses(profile, level) {
    return profile.attribution ? sum(profile.attribution.functions, (f) => f.misses[level]) : 0;
}

/* Returns the log bin with the median of the finite distances of a row, or -1 if the page does not have its
 * distances. */
function medianBin(row) {
    const half = sum(row.bins || [], (n) => n) / 2;
    let before = 0;
    return half ? row.bins.findIndex((n) => (before += n) >= half) : -1;
}

/* Says where the peak of the distances of a row is. */
function sayPeak(p, row) {
    const most = Math.max(...row.bins, 0), total = row.references || 1, last = logBin(row.bins.indexOf(most))[1];
    return row.infinite >= most ? `most are ${infiniteName([p], true)}, ${percent(row.infinite / total)}`
        : `the peak is at a distance of ${distanceRange(...logBin(row.bins.indexOf(most)))} ${plural(last, "block")}, ${percent(most / total)}`;
}

function meanDistance(row, finite) {
    return finite > 0 && row.distance_sum !== null ? row.distance_sum / finite : null;
}

/* Shows the distances of a row as small bars, one per log bin, with the infinite distances last. */
function signature(p, row) {
    const bins = row.bins, references = row.references || 1, infinite = infiniteName([p]);
    const last = Math.max(0, bins.length - 1), ns = "http://www.w3.org/2000/svg";
    const values = [...(bins.length ? bins : [0]), row.infinite];
    const most = Math.max(1, ...values), width = 14 * values.length;
    const svg = document.createElementNS(ns, "svg");
    svg.setAttribute("viewBox", `0 0 ${width} 60`);
    svg.setAttribute("class", "signature");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", "Distances: " + values.map((n, k) => n === 0 ? null :
        `${k > last ? infinite : distanceRange(...logBin(k))} ${percent(n / references)}`)
        .filter((text) => text).join(", "));
    svg.style.width = `min(100%, ${width}px)`;
    values.forEach((n, k) => {
        const rect = document.createElementNS(ns, "rect"), title = document.createElementNS(ns, "title");
        const height = n ? Math.max(1.5, 58 * n / most) : 0;
        const box = { x: 14 * k + 1, y: 60 - height, width: 12, height };
        for (const [name, value] of Object.entries(box)) rect.setAttribute(name, value);
        rect.setAttribute("class", k > last ? "cold" : "warm");
        title.textContent = `${k > last ? infinite : distanceRange(...logBin(k)) + " blocks"}: ` +
            percent(n / references);
        rect.append(title);
        svg.append(rect);
    });
    const axis = el("div", { class: "signature-axis", "aria-hidden": "true" }, el("span", {}, "0"),
        el("span", {}, last ? `${blockCount(logBin(last)[1] + 1)} blocks \u00b7 ${infinite}` : infinite));
    axis.style.width = `min(100%, ${width}px)`;
    return el("div", { class: "signature-box" }, svg, axis);
}
