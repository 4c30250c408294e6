/* Makes the panel about machines: their caches as boxes, the traffic between them, and the code that
 * waits longest. */

let machine = 0; /* index of the machine that the panel shows */
let causesCache = null; /* index of the cache whose misses are listed by cause; null: the one that misses most */

function machineName(m) {
    return m.name ? clean(m.name) : "the given caches";
}

function duration(s) {
    for (const [unit, name] of [[1, "s"], [1e-3, "ms"], [1e-6, "\u00b5s"], [1e-9, "ns"]])
        if (s >= unit || name === "ns")
            return `${Number((s / unit).toPrecision(3))}\u00a0${name}`;
    return "";
}

/* Formats a range of cycles as time, or as cycles if the clock rate is unknown. */
function waitRange(m, [low, high]) {
    const show = (cycles) => cycles === 0 ? "0" : m.clock ? duration(cycles / (m.clock * 1e9))
        : `${count(cycles)} cycles`;
    return `between ${show(low)} and ${show(high)}`;
}

function sayWait(m, p, found) {
    if (!found.cycles && p.threads)
        return "The distances are those of a private cache for each thread, so they do not tell the misses of shared " +
            "caches, the references that reach memory, and their cost; \u2018simulate --stacks=private " +
            `${m.name ? `--machine=${machineName(m)}` : "--caches=..."}\u2019 counts the misses of all caches exactly.`;
    if (!found.cycles)
        return `The cost of the misses on ${machineName(m)} is not known, because ` + (found.estimate.includes(null)
            ? "some of its caches are larger than the bound of the analysis, or smaller than the sample resolves."
            : "its description lacks a latency or the clock rate.");
    return `On ${machineName(m)}, waiting for data takes ${waitRange(m, found.cycles)}` +
        (m.clock ? ` at ${m.clock}\u00a0GHz, ${count(found.cycles[0])} to ${count(found.cycles[1])} cycles. `
            : ". ") +
        (m.parallel ? `The lower end holds if ${m.parallel} misses are always in flight, the ` : "The ") +
        `upper end${m.parallel ? "" : " holds"} if misses never overlap.` +
        (m.parallel ? "" : " The description does not say how many misses can be in flight.");
}

/* Returns whether the misses of cache i say what crosses the line below it: not if other threads' private
 * caches may serve them. */
function crosses(m, p, i) {
    return !p.threads || (i + 1 < m.caches.length && !m.caches[i].shared && !m.caches[i + 1].shared);
}

/* Makes the box of one cache: its shape, and a bar that divides the references into hits, misses that
 * an infinite cache would have as well, and other misses. */
function cacheBox(m, p, found, i) {
    const c = m.caches[i], miss = found.estimate[i], cold = p.infinite / (p.references || 1);
    const parts = miss === null ? [] : [["hits", 1 - miss, "hit"],
        ["other misses", Math.max(0, miss - cold), "again"], [infiniteName([p], true), Math.min(cold, miss), "cold"]];
    const shape = [bytes(c.bytes), c.ways ? `${c.ways} ways` : "fully associative",
        c.latency ? `${c.latency} cycles` : null, c.shared ? "shared" : null].filter((text) => text);
    return el("div", { class: "cache-box" },
        el("p", { class: "cache-name" }, el("b", {}, clean(c.name)), " ", el("span", {}, shape.join(", "))),
        parts.length ? el("div", { class: "stack", role: "img", "aria-label": parts.map(([name, share]) =>
            `${name} ${percent(share)}`).join(", ") }, parts.map(([, share, kind]) =>
            el("span", { class: kind, style: `width: ${(100 * share).toFixed(3)}%` }))) : null,
        el("p", { class: "note" }, miss === null ? "The misses are unknown."
            : `misses ${percent(miss)} by estimate, ${percent(found.full[i])} if fully associative`));
}

/* Makes the box of a cache that was simulated: a bar of hits and misses by cause. */
function simulatedBox(m, found, i) {
    const c = m.caches[i], counts = found.simulated[i], all = counts.references || 1;
    const parts = [["hits", counts.references - counts.misses, "hit"]].concat(found.causes
        ? [["capacity misses", counts.capacity, "again"], ["conflict misses", counts.conflict, "conflict"],
            ["cold misses", counts.cold, "cold"]] : [["misses", counts.misses, "again"]]);
    const said = parts.slice(1).map(([name, n]) => `${count(n)} ${name}`).join(", ");
    return el("div", { class: "cache-box" },
        el("p", { class: "cache-name" }, el("b", {}, clean(c.name)), " ",
            el("span", {}, [bytes(c.bytes), c.ways ? `${c.ways} ways` : "fully associative"].join(", "))),
        el("div", { class: "stack", role: "img", "aria-label": parts.map(([name, n]) =>
            `${name} ${percent(n / all)}`).join(", ") }, parts.map(([, n, kind]) =>
            el("span", { class: kind, style: `width: ${(100 * n / all).toFixed(3)}%` }))),
        el("p", { class: "note" }, `${count(counts.references)} references, ` +
            `${percent(counts.misses / all)} miss: ${said}`));
}

/* Draws simulated caches. L1I and L1D stand side by side. */
function simulatedPicture(m, found) {
    const nodes = [], last = m.caches.length - 1;
    const split = last > 0 && ["L1I", "L1D"].every((name) => m.caches.slice(0, 2).some((c) => c.name === name));
    for (let i = 0; i <= last; i++) {
        nodes.push(simulatedBox(m, found, i));
        if (split && i === 0) continue;
        const from = split && i === 1 ? [0, 1] : [i], total = (key) => sum(from, (k) => found.simulated[k][key]);
        nodes.push(el("div", { class: "traffic" }, el("span", { "aria-hidden": "true" }, "\u2195"),
            `${count(total("misses"))} blocks, ${bytes(total("misses") * m.line)} from ` +
            `${i < last ? clean(m.caches[i + 1].name) : "memory"}; ${count(total("writebacks"))} written back`));
    }
    nodes.push(el("div", { class: "cache-box" }, el("p", { class: "cache-name" }, el("b", {}, "Memory"))));
    return el("div", { class: "hierarchy" }, nodes);
}

function trafficArrow(m, p, misses, into) {
    return el("div", { class: "traffic" }, el("span", { "aria-hidden": "true" }, "\u2195"),
        misses === null ? "unknown traffic"
            : `${count(misses * p.references)} blocks, ${bytes(misses * p.references * m.line)} from ${into}`);
}

function hierarchyPicture(m, p, found) {
    const nodes = [];
    let flow = 1; /* misses per reference; an outer cache cannot miss more often than an inner one */
    for (let i = 0; i < m.caches.length; i++) {
        flow = found.estimate[i] === null || flow === null ? null : Math.min(flow, found.estimate[i]);
        nodes.push(cacheBox(m, p, found, i), trafficArrow(m, p, crosses(m, p, i) ? flow : null,
            i + 1 < m.caches.length ? clean(m.caches[i + 1].name) : "memory"));
    }
    nodes.push(el("div", { class: "cache-box" }, el("p", { class: "cache-name" }, el("b", {}, "Memory"), " ",
        el("span", {}, m.memory ? `${m.memory} ns` : "latency unknown"))));
    return el("div", { class: "hierarchy" }, nodes);
}

function stackLegend(simulated) {
    const cold = infiniteName(profiles, true);
    return el("ul", { class: "legend" }, (simulated
        ? [["hit", "hits"], ["again", "capacity misses"], ["conflict", "conflict misses"], ["cold", "cold misses"]]
        : [["hit", "hits"], ["again", "misses of blocks that were used before"], ["cold", cold]]).map(([kind, name]) =>
        el("li", {}, el("span", { class: `swatch ${kind}` }), el("span", {}, name))));
}

/* Lists the functions or lines that wait longest. */
function waitTable(m, p, rows, title, name) {
    const shown = (rows || []).filter(([index]) => name(index) !== null);
    if (!shown.length) return null;
    const total = m.profiles[profiles.indexOf(p)].cycles[1];
    return el("div", {}, el("h3", {}, title), plainTable(title, ["", "Waits", "Share"],
        shown.map((row) => [name(row[0]), waitRange(m, row.slice(1)), shareCell(total ? row[2] / total : 0)]),
        true));
}

/* Lists the data that evict each other's blocks from the same sets. */
function conflictTable(m, found) {
    if (!found.conflicts || !found.conflicts.length) return null;
    const title = "Data that conflict";
    return el("div", {}, el("h3", {}, title), plainTable(title, ["", "Misses", "Share"],
        found.conflicts.map(([cache, data, evictor, n]) => [
            `${clean(m.caches[cache].name)}: ${clean(data)}, evicted by ${clean(evictor)}`,
            [n, count], shareCell(n / (found.simulated[cache].conflict || 1))]), true));
}

/* Returns the index of the cache whose misses are listed by cause: the chosen one, or the one that misses most
 * in the first profile that was simulated. */
function causesIndex(m) {
    const found = m.profiles.find((each) => each.by_cause);
    return causesCache !== null && causesCache < m.caches.length ? causesCache
        : found.simulated.reduce((best, c, i, all) => c.misses > all[best].misses ? i : best, 0);
}

/* Makes the control that chooses the cache of causesIndex(), or null if no profile has causes by code and
 * data. */
function causesChoice(m, refresh) {
    if (!m.profiles.some((found) => found.by_cause)) return null;
    return el("label", { class: "select" }, el("span", {}, "Misses by cause"),
        el("select", { id: "causes-choice", change: (event) => {
            causesCache = Number(event.target.value);
            refresh("machine");
            document.getElementById("causes-choice").focus();
        } }, m.caches.map((c, i) =>
            el("option", { value: i, selected: i === causesIndex(m) }, clean(c.name)))));
}

/* Lists the code and data that miss most in the cache of causesIndex(), with the causes of their misses. Leaves out
 * entries with less than a thousandth of the misses of this cache. */
function causeTables(m, found) {
    if (!found.by_cause) return null;
    const chosen = causesIndex(m), cache = clean(m.caches[chosen].name), misses = found.simulated[chosen].misses || 1;
    const table = (key, what) => {
        const title = `Misses of ${cache} by ${what}`;
        const rows = found.by_cause[chosen][key].map(([name, ...causes]) => [name, causes, sum(causes, (n) => n) / misses])
            .filter(([, , share]) => share >= 0.001);
        return rows.length ? el("div", {}, el("h3", {}, title),
            plainTable(title, ["", "Cold", "Capacity", "Conflict", "Share"], rows.map(([name, causes, share]) =>
                [clean(name), ...causes.map(count), shareCell(share)]), true)) : null;
    };
    return el("div", { class: "cause-tables" }, table("lines", "line"), table("functions", "function"),
        table("data", "data"));
}

function machineOf(m, p, i) {
    const found = m.profiles[i], title = profiles.length > 1 ? el("h3", {}, swatch(i), profileNames[i]) : null;
    if (found.reason)
        return el("div", {}, title, el("p", { class: "notice" }, `${clean(found.reason)}.`));
    const a = p.attribution;
    const functionName = (k) => a.functions[k] && !a.functions[k].others ? clean(a.functions[k].name) : null;
    const lineName = (k) => a.lines[k] && !a.lines[k].others ? placeOf(a, a.lines[k]) : null;
    return el("div", {}, title,
        found.simulated && !found.cycles ? null : el("p", { class: "findings-line" }, sayWait(m, p, found)),
        (found.advice || []).map((text) => el("p", { class: "findings-line" }, clean(text))),
        el("div", { class: "machine-parts" },
            found.simulated ? simulatedPicture(m, found) : hierarchyPicture(m, p, found),
            conflictTable(m, found),
            a ? waitTable(m, p, found.functions, "Functions that wait longest", functionName) : null,
            a ? waitTable(m, p, found.lines, "Lines that wait longest", lineName) : null,
            causeTables(m, found)));
}

function machinePanel(refresh) {
    const m = data.machines[machine], simulated = m.profiles.some((found) => found.simulated);
    const choice = data.machines.length > 1 ? el("label", { class: "select" }, el("span", {}, "Machine"),
        el("select", { id: "machine-choice", change: (event) => {
            machine = Number(event.target.value);
            refresh("machine");
            document.getElementById("machine-choice").focus();
        } }, data.machines.map((each, i) =>
            el("option", { value: i, selected: i === machine }, machineName(each))))) : null;
    return section("Machine", choice, causesChoice(m, refresh),
        el("p", {}, m.title ? clean(m.title) : `The caches of ${machineName(m)}`),
        stackLegend(simulated),
        el("div", { class: "several" }, profiles.map((p, i) => machineOf(m, p, i))),
        el("p", { class: "note" }, simulated ? "These numbers come from an exact simulation. A fully associative LRU " +
            "cache of the same size has the capacity misses as well, but not the conflict misses."
            : "Misses are estimated from the reuse distances (Smith 1978), as if blocks fell " +
            "into sets at random and all references arrived at every cache. In tests of large direct-mapped " +
            "caches, the estimate was further from the exact misses than the number for a fully associative cache."),
        m.source ? el("p", { class: "note" }, `Source of the description: ${clean(m.source)}`) : null);
}
