/* The sentences of the page: findings in plain words, from the data of the profile. */

function joinWords(parts) {
    return parts.length < 2 ? parts.join("")
         : parts.slice(0, -1).join(", ") + " and " + parts[parts.length - 1];
}

/* What caches of the marked sizes would do, up to the first one that holds everything. */
function sayLevels(p) {
    const parts = [], end = p.curve.blocks[p.curve.blocks.length - 1];
    for (const at of p.at_levels) {
        if (at.miss === null) break;
        const level = data.levels[at.level], everything = !p.bound && at.blocks >= end;
        const cache = `of ${bytes(level.bytes)} (${clean(level.name)})`, first = !parts.length;
        const misses = everything ? `only the first touches, ${percent(at.miss)}` : percent(at.miss);
        parts.push(first ? `A cache ${cache} would miss ${misses} of the references`
                         : `one ${cache} ${misses}`);
        if (everything) break;
    }
    return parts.length ? joinWords(parts) + "." : null;
}

function sayWorkingSet(p) {
    const knee = p.sizes.find((size) => size.before !== undefined);
    if (knee)
        return `The clearest working set is ${sizeOf(p, knee.blocks)}: a cache of half that size ` +
               `would miss ${percent(knee.before)}, one that holds it ${percent(knee.miss)}.`;
    const most = p.sizes.filter((size) => size.hits);
    if (!most.length)
        return p.references === p.infinite && !p.bound
            ? "No block is used twice, so no cache of any size would help." : null;
    return "No size stands out as a working set: " +
           most.map((s) => `${s.hits}\u00a0% of all possible hits need ${sizeOf(p, s.blocks)}`)
               .join(", ") + ".";
}

function sayFootprint(p) {
    if (p.blocks === null)
        return `${count(p.references)} references were analysed` +
               (p.bound ? `, up to a distance of ${count(p.bound)} blocks.` : ".");
    const size = p.block_bytes ? `, ${bytes(p.blocks * p.block_bytes)} in all` : "";
    const unit = p.block_bytes ? `blocks of ${bytes(p.block_bytes)}` : "objects";
    return `The run made ${count(p.references)} references to ${count(p.blocks)} ${unit}${size}.`;
}

/* "the global b", "what matrix_new (m.c:9) allocates" */
function nameData(entry) {
    const name = clean(entry.name);
    return entry.kind === "heap" ? `memory from ${name}` : name;
}

/* The row with most misses at a level; what was added up at the end of a list is no place. */
function worstRow(rows, misses) {
    return rows.reduce((best, row) =>
        !row.others && misses(row) > (best ? misses(best) : 0) ? row : best, null);
}

/* Where most misses come from at the chosen level, with the data if most of them go to one. First
 * touches come second: no cache avoids them. */
function sayWorstLine(p, level) {
    const a = p.attribution, total = totalMisses(p, level), at = (row) => row.misses[level];
    const again = worstRow(a.lines, (line) => at(line) - line.infinite);
    const line = again || worstRow(a.lines, at), index = a.lines.indexOf(line);
    if (!total || !line) return null;
    const both = worstRow(a.line_data.filter((row) => row.line === index), at);
    const telling = both && 2 * at(both) > at(line);
    const share = percent(at(telling ? both : line) / total);
    const what = telling ? nameData(a.data[both.data]) : "what it needs";
    return `${share} of the misses of a ${bytes(levelsOf(p)[level].bytes)} cache come from ` +
           `${placeOf(a, line)} ` + (again ? `reusing ${what}.` : `touching ${what} for the first time.`);
}

function sayWorstPair(p, level) {
    const a = p.attribution, total = totalMisses(p, level), 
        pair = worstRow(a.pairs, (row) => row.misses[level]);
    if (!total || !pair) return null;
    const share = percent(pair.misses[level] / total), mean = meanDistance(pair, pair.count);
    const mostMiss = pair.misses[level] >= 0.9 * pair.count; // else the mean is that of others
    const later = mean === null || !mostMiss ? "" : `, ${count(mean)} other blocks later on average`;
    const use = placeOf(a, a.lines[pair.use]), reuse = placeOf(a, a.lines[pair.reuse]);
    return use === reuse
        ? `In ${share} of them ${use} had used the same block itself and came back to it${later}.`
        : `In ${share} of them ${use} had used the block before, and ${reuse} came back to it${later}.`;
}

function saySpace(p, level) {
    const at = p.spatial && p.spatial.levels[level];
    if (!at || !at.fetched || !p.block_bytes) return null;
    const words = p.block_bytes / p.spatial.word_bytes, used = at.words / at.fetched;
    const share = used / words;
    return `Of every ${bytes(p.block_bytes)} block that a cache of ` +
           `${bytes(levelsOf(p)[level].bytes)} fetches, ${used.toFixed(1)} of ${words} words ` +
           `(${percent(share)}) are used` + (share < 0.5 ? ": most of what is fetched is wasted." : ".");
}

/* Windows of every phase with what happens in them. */
function phasesOf(p) {
    const w = p.windows, starts = w.phases;
    return starts.map((first, i) => {
        const rows = w.rows.slice(first, i + 1 < starts.length ? starts[i + 1] : w.rows.length);
        const references = sum(rows, (row) => row.references);
        return {
            number: i + 1, first, last: first + rows.length - 1, from: rows.length ? rows[0].from : 0,
            references, windows: rows.length,
            misses: levelsOf(p).map((_, level) => sum(rows, (row) => row.misses[level] || 0)),
        };
    });
}

function sayPhases(p, level) {
    if (!p.windows || p.windows.phases.length < 2) return null;
    const phases = phasesOf(p), total = sum(phases, (phase) => phase.misses[level]);
    const worst = phases.reduce((best, phase) =>
        phase.misses[level] > best.misses[level] ? phase : best);
    if (!total) return `The run has ${phases.length} phases.`;
    return `The run has ${phases.length} phases; phase ${worst.number}, ` +
           `${percent(worst.references / p.references)} of the run, has ` +
           `${percent(worst.misses[level] / total)} of these misses.`;
}

function quoted(i) {
    return `\u201c${profileNames[i]}\u201d`;
}

/* What changed from the first profile to the second. */
function sayChange() {
    const [a, b] = profiles, said = [], same = [];
    if (data.comparison && data.comparison.identical) return ["Both profiles are the same."];
    for (const at of a.at_levels || []) {
        const then = (b.at_levels || [])[at.level], level = data.levels[at.level];
        if (!then || at.miss === null || then.miss === null) continue;
        const misses = [at.miss * a.references, then.miss * b.references];
        const less = misses[1] <= misses[0], change = Math.abs(1 - misses[1] / misses[0]);
        const size = `${bytes(level.bytes)} (${clean(level.name)})`;
        if (!(misses[0] > 0) || change < 0.0005) same.push(size);
        else said.push(`A cache of ${size} misses ${percent(change)} ${less ? "less" : "more"} often ` +
            `in ${quoted(1)} than in ${quoted(0)}: ${count(misses[1])} times instead of ` +
            `${count(misses[0])}, or ${percent(then.miss)} instead of ${percent(at.miss)} of the ` +
            "references.");
    }
    if (same.length)
        said.push(`${same.length > 1 ? "Caches" : "A cache"} of ${joinWords(same)} ` +
                  `${same.length > 1 ? "miss" : "misses"} as often in one as in the other.`);
    return said;
}

/* How far the numbers can be trusted. */
function sayError(p) {
    if (p.error.kind === "exact") return "Every number is exact.";
    if (p.error.kind === "relative")
        return `Distances are never too large and at most ${percent(p.error.bound)} too small.`;
    if (p.error.kind === "absolute")
        return `Distances are never too large and at most ${count(p.error.bound)} blocks too small.`;
    if (p.error.kind === "sampled")
        return `A sample of ${percent(p.error.rate)} of the blocks: with 95\u00a0% confidence each ` +
               `miss ratio lies in the band around the curve, which is ${points(p.error.bound)
                   .replace("+", "\u00b1")} points wide at most.`;
    if (p.error.kind === "none") return "Distances were not measured: the engine only counts.";
    if (p.error.kind === "time") return "The histogram holds times between uses, not distances.";
    return "An estimate: nothing is promised about single numbers.";
}

function findings(p) {
    const said = [sayFootprint(p)];
    if (p.measured) {
        said.push(sayLevels(p));
        if (p.attribution)
            said.push(sayWorstLine(p, state.level), sayWorstPair(p, state.level));
        said.push(saySpace(p, state.level), sayPhases(p, state.level), sayWorkingSet(p));
        if (p.error.kind !== "exact") said.push(sayError(p));
    } else {
        said.push(sayError(p));
    }
    if (p.partial) said.push("The trace broke off: this is about what came before.");
    if (p.skipped === null || p.skipped > 0)
        said.push("The recorder left out references on purpose: this is about a part of the run.");
    return said.filter((sentence) => sentence);
}
