/* Makes the sentences of the page: findings in plain words, computed from the data of the
 * profile. */

/* Returns the name of the infinite distances of some profiles, for one reference or for many. With a bound, long
 * distances are infinite, too; with private caches, those of coherence misses. */
function infiniteName(list, many) {
    const [first, coherence, beyond] = many ? ["first touches", "coherence misses", "distances beyond the bound"]
        : ["first touch", "coherence", "beyond"];
    return joinWords([first, list.some((p) => p.threads) && coherence, list.some((p) => p.bound) && beyond]
        .filter((name) => name), many ? " and " : " or ");
}

/* Returns a miss ratio for a sentence, with "about" if it is interpolated inside a bin. */
function sayMisses(share, interpolated) {
    return (interpolated ? "about " : "") + percent(share);
}

/* States the miss ratios of the marked caches, up to the first cache that has all achievable hits. */
function sayLevels(p) {
    const parts = [], end = p.curve.blocks[p.curve.blocks.length - 1];
    for (const at of p.at_levels) {
        if (at.blocks < p.resolution) continue;
        if (at.miss === null) break;
        const level = data.levels[at.level], everything = !p.bound && at.blocks >= end;
        const cache = `of ${bytes(level.bytes)} (${clean(level.name)})`, first = !parts.length;
        const share = sayMisses(at.miss, at.interpolated);
        const misses = everything ? `only the ${infiniteName([p], true)}, ${share}` : share;
        parts.push(first ? `A cache ${cache} would miss ${misses} of the references`
                         : `one ${cache} ${misses}`);
        if (everything) break;
    }
    return parts.length ? joinWords(parts, ", and ") + "." : null;
}

/* Returns the size that a share of the achievable hits needs: an upper limit if it is the end of a wide bin. */
function needed(p, size) {
    return (size.rounded && size.low === undefined ? "at most " : "") + sizeOf(p, size.blocks);
}

function sayWorkingSet(p) {
    const knee = p.sizes.find((size) => !size.hits);
    const set = knee ? `The clearest working set is ${knee.rounded ? "about " : ""}${sizeOf(p, knee.blocks)}` : "";
    if (knee && knee.before === undefined) // the sample does not resolve half the size
        return `${set}: a cache that holds it would miss ${sayMisses(knee.miss, knee.interpolated)}.`;
    if (knee)
        return `${set}: a cache of half that size ` +
               `would miss ${sayMisses(knee.before, knee.before_interpolated)}, and one that holds it would ` +
               `miss ${sayMisses(knee.miss, knee.interpolated)}.`;
    const most = p.sizes.filter((size) => size.hits);
    if (!most.length)
        return p.references !== p.infinite || p.bound ? null
            : p.infinite > p.cold
                ? "Other threads store to every block before it is used again, so no cache of any size would help."
                : "No block is used twice, so no cache of any size would help.";
    return "No cache size stands out as a working set: " +
           joinWords(most.map((s) => `${s.hits}\u00a0% of the achievable hits need ${needed(p, s)}`), ", and ") + ".";
}

function sayFootprint(p) {
    if (p.blocks === null)
        return `${count(p.references)} ${plural(p.references, "reference was", "references were")} analyzed` +
               (p.bound ? `, up to a distance of ${count(p.bound)} blocks.` : ".");
    const size = p.block_bytes ? `, ${bytes(p.blocks * p.block_bytes)} in all` : "";
    const unit = p.block_bytes ? `${plural(p.blocks, "block")} of ${bytes(p.block_bytes)}` : plural(p.blocks, "object");
    return `The run made ${count(p.references)} ${plural(p.references, "reference")} to ${count(p.blocks)} ${unit}${size}.`;
}

/* Returns the name of a data region: "b", or "memory from matrix_new (m.c:9)" for heap memory. */
function nameData(entry) {
    const name = clean(entry.name);
    return entry.kind === "heap" ? `memory from ${name}` : name;
}

/* Returns the row for which `misses` is largest, or null if it is 0 for all rows. The last entry of
 * a list, which sums the entries that are not listed, is not a candidate. */
function worstRow(rows, misses) {
    return rows.reduce((best, row) =>
        !row.others && misses(row) > (best ? misses(best) : 0) ? row : best, null);
}

/* Returns {line, again}. `line` is the line with the most misses at a level, not counting infinite distances, and
 * `again` is true. If there are no such misses, `line` is the line with the most misses of any kind, or null, and
 * `again` is false. */
function worstLine(p, level) {
    const again = worstRow(p.attribution.lines, (line) => line.misses[level] - line.infinite);
    return { line: again || worstRow(p.attribution.lines, (line) => line.misses[level]), again: Boolean(again) };
}

/* Returns whether two rows are about the same line of a source file. */
function isSameLine(x, y) {
    return x === y || (x.line > 0 && x.line === y.line && x.source !== null && x.source === y.source);
}

/* Says which line causes the most misses at the chosen level, and which data it uses if one region has most of these
 * misses. Lines with reuses come before lines with first touches, because no cache avoids first touches. The share
 * includes first touches, so the sentence mentions them, unless they are rare or a bound or coherence misses make other
 * distances infinite. It is the share of the whole source line, which may have rows in several functions; the tab
 * "Source" shows the same share. */
function sayWorstLine(p, level) {
    const a = p.attribution, total = totalMisses(p, level), at = (row) => row.misses[level];
    const { line, again } = worstLine(p, level);
    if (!total || !line) return null;
    const rows = a.lines.map((row, index) => ({ row, index })).filter(({ row }) => isSameLine(row, line));
    const indexes = new Set(rows.map(({ index }) => index)), ofLine = sum(rows, ({ row }) => at(row));
    const both = a.data.map((region, data) => ({ region, misses: sum(
        a.line_data.filter((row) => row.data === data && indexes.has(row.line)), at) }))
        .reduce((best, each) => best && best.misses >= each.misses ? best : each, null);
    const telling = both && 2 * both.misses > ofLine;
    const what = telling ? nameData(both.region) : "blocks";
    const name = clean(levelsOf(p)[level].name), firsts = sum(rows, ({ row }) => row.infinite);
    const known = p.infinite === p.cold;
    const also = known && firsts > ofLine / 20 ? ", and touches blocks for the first time" : "";
    return `${placeOf(a, line)} causes ${percent(ofLine / total)} of the ${name} misses` +
           (again ? `: it reuses ${what} after ${telling ? "it was" : "they were"} evicted${also}.`
                  : known ? `: it touches ${what} for the first time.` : ".");
}

function sayWorstPair(p, level) {
    const a = p.attribution, total = totalMisses(p, level), 
        pair = worstRow(a.pairs, (row) => row.misses[level]);
    if (!total || !pair) return null;
    const share = percent(pair.misses[level] / total);
    const use = placeOf(a, a.lines[pair.use]), reuse = placeOf(a, a.lines[pair.reuse]);
    const name = clean(levelsOf(p)[level].name);
    return `In ${share} of the ${name} misses, ${reuse} returns to a block that ` +
           `${use === reuse ? "it last used itself" : use + " used last"}.`;
}

/* Returns what the library says about the line that causes the most misses: how far apart its reuses are, and
 * what to change. */
function sayLine(p, level) {
    return (p.line_words[level] || []).filter((text) => text).map(clean).join(" ") || null;
}

function saySpace(p, level) {
    const at = p.spatial && p.spatial.levels[level];
    if (!at || !at.fetched || !p.block_bytes) return null;
    const words = p.block_bytes / p.spatial.word_bytes, used = at.words / at.fetched;
    const share = used / words;
    return `The program uses ${used.toFixed(1)} of the ${words} words (${percent(share)}) of each ` +
           `block between its fetch into ${clean(levelsOf(p)[level].name)} and its eviction` +
           (share < 0.5 ? ": most of the fetched data is wasted." : ".");
}

/* Returns the phases of the run, each with the references and misses of all its intervals. */
function phasesOf(p) {
    const w = p.windows, starts = w.phases, phases = [];
    starts.forEach((first, i) => {
        const rows = w.rows.slice(first, i + 1 < starts.length ? starts[i + 1] : w.rows.length);
        const number = w.phase_numbers[i];
        const phase = phases[number - 1] = phases[number - 1] || { number, intervals: 0, references: 0,
            from: rows.length ? rows[0].from : 0, misses: levelsOf(p).map(() => 0) };
        phase.intervals++;
        phase.references += sum(rows, (row) => row.references);
        phase.misses = phase.misses.map((n, level) => n + sum(rows, (row) => row.misses[level] || 0));
    });
    return phases;
}

const orderMax = 16;

/* Describes the order of the phases, if some of them recur: "in 4 intervals: 1 2 1 2". */
function orderOfPhases(p) {
    const numbers = p.windows.phase_numbers;
    if (new Set(numbers).size === numbers.length) return "";
    return ` in ${numbers.length} intervals: ${numbers.slice(0, orderMax).join(" ")}` +
           (numbers.length > orderMax ? " \u2026" : "");
}

function sayPhases(p, level) {
    if (!p.windows || p.windows.phases.length < 2) return null;
    const phases = phasesOf(p), total = sum(phases, (phase) => phase.misses[level]);
    const worst = phases.reduce((best, phase) =>
        phase.misses[level] > best.misses[level] ? phase : best);
    if (!total) return `The run has ${phases.length} phases${orderOfPhases(p)}.`;
    return `The run has ${phases.length} phases${orderOfPhases(p)}; phase ${worst.number}, ` +
           `${percent(worst.references / p.references)} of the run, has ` +
           `${percent(worst.misses[level] / total)} of the ${clean(levelsOf(p)[level].name)} misses.`;
}

function quoted(i) {
    return `\u201c${profileNames[i]}\u201d`;
}

/* Returns the sentences about the change from the first profile to the second, which the library
 * writes. */
function sayChange() {
    return data.change.map(clean);
}

/* Says how far the numbers of the page can be from the true numbers. */
function sayError(p) {
    if (p.error.kind === "exact")
        return "Every distance is exact. A miss ratio with \u2248 is interpolated, because its cache size " +
               "lies inside a bin of the histogram.";
    if (p.error.kind === "relative")
        return `Distances are never too large and at most ${percent(p.error.bound)} too small.`;
    if (p.error.kind === "absolute")
        return `Distances are never too large and at most ${count(p.error.bound)} ${plural(p.error.bound, "block")} too small.`;
    if (p.error.kind === "sampled")
        return `The results are estimated from ${percent(p.error.rate)} of the blocks; each miss ratio ` +
               `is at most ${points(p.error.bound).replace("+", "\u00b1")} points off ` +
               "(95\u00a0% confidence).";
    if (p.error.kind === "bursts")
        return `The recorder recorded bursts of references. The bands of the miss ratios ` +
               `(95\u00a0% confidence) are up to ${points(p.error.bound).slice(1)} points wide; they cover ` +
               "reuses that are longer than a burst, but not a program that repeats itself in step " +
               "with the bursts.";
    if (p.error.kind === "parts")
        return "The recorder skipped parts of the run. The results describe the recorded references " +
               "only, and their error is unknown.";
    if (p.error.kind === "none")
        return "No reuse distances were measured: the engine does not compute them.";
    if (p.error.kind === "time")
        return "The histogram holds times between two uses of a block, not reuse distances.";
    return "The numbers are estimates without an error bound.";
}

/* Says how many coherence misses private caches would have, and what to change first. Returns null if there
 * are none. */
function saySharing(p) {
    const s = p.sharing, misses = s ? s.true_sharing + s.false_sharing : 0;
    if (!misses) return null;
    if (1000 * misses < s.references)
        return `If every thread had a cache of its own, threads would hardly disturb each other: ${count(misses)} ` +
            `${plural(misses, "reference")}, ${percent(misses / s.references)}, would miss because another thread stored to the block.`;
    const worst = s.blocks.find((b) => 2 * b.false_sharing > b.true_sharing + b.false_sharing && b.first);
    return `If every thread had a cache of its own, ${percent(misses / s.references)} of the references would miss ` +
        `because another thread stored to the block, ${percent(s.false_sharing / misses)} of them by false sharing, ` +
        `mostly in ${clean(s.worst)}` + (worst ? `: ${sayFix(worst)}.` : ".");
}

/* Says how to separate the data of a block. */
function sayFix(b) {
    return `put ${exactCount(b.padding)} ${plural(b.padding, "byte")} between ${clean(b.first)} and ${clean(b.second)}`;
}

function sayUnrecorded(p) {
    return p.unrecorded === 1
        ? "1 process was not recorded: a child of the program, or the program itself after exec()"
        : `${exactCount(p.unrecorded)} processes were not recorded: children of the program, or programs after exec()`;
}

function findings(p) {
    const said = [sayFootprint(p)];
    if (p.measured) {
        said.push(sayLevels(p));
        if (p.attribution)
            said.push(sayWorstLine(p, state.level), sayWorstPair(p, state.level), sayLine(p, state.level));
        said.push(saySharing(p), saySpace(p, state.level), sayPhases(p, state.level), sayWorkingSet(p));
        if (p.error.kind !== "exact") said.push(sayError(p));
    } else if (p.references) {
        said.push(sayError(p));
    }
    if (p.partial)
        said.push("The trace is incomplete. The results cover the run up to the end of the trace.");
    if (p.unrecorded)
        said.push(`${sayUnrecorded(p)}. The results do not cover ${p.unrecorded === 1 ? "it" : "them"}. To record ` +
            `${p.unrecorded === 1 ? "it" : "them"}, use --trace-children.`);
    if (p.skipped === null || p.skipped > 0)
        said.push("The recorder sampled the run: the results cover the references that it kept.");
    return said.filter((sentence) => sentence);
}
