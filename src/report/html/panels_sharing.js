/* Makes the section "Shared data" of the panel about threads. */

const shownTimelines = 6; /* maximum number of lines in the chart; the last one may be a sum of threads */

function sharedMisses(row) {
    return row.true_sharing + row.false_sharing;
}

/* ---- what to change ---- */

/* Returns sentences about at most three blocks that are worth a change, each of different data. A block is worth a
 * change if separating its data removes at least half of its coherence misses, and at least a hundredth of the
 * coherence misses of all blocks. */
function sayChanges(s) {
    const seen = new Set(), said = [];
    for (const b of s.blocks) {
        if (!b.first || said.length === 3 || seen.has(b.data) || 2 * b.removes < sharedMisses(b) ||
            100 * b.removes < sharedMisses(s)) continue;
        seen.add(b.data);
        const text = sayFix(b), misses = sharedMisses(b);
        said.push(`${text[0].toUpperCase()}${text.slice(1)}. If all such data of this block are ` +
            `in different blocks, ${percent(b.removes / misses)} of its ${count(misses)} coherence ` +
            `${plural(misses, "miss", "misses")} disappear.`);
    }
    return said;
}

function saySharedData(p) {
    const s = p.sharing, misses = sharedMisses(s);
    if (!misses) return ["No thread loses a block to another one."];
    const list = [`With a cache for each thread, ${count(misses)} references, ${percent(misses / s.references)}, miss because ` +
        `another thread stored to the block. ${percent(s.false_sharing / misses)} of these misses are false sharing.`,
        ...sayChanges(s)];
    if (s.interleave === "recorded")
        list.push("This is the recorded order, in which threads take long turns. Threads that run at the same time have " +
            "more of these misses; to count them, use --interleave=lockstep.");
    return list;
}

/* ---- misses over time ---- */

/* Returns the timelines that are shown, which have the most misses, in the order of the threads. */
function chosenTimelines(s) {
    const n = s.timelines.length > shownTimelines ? shownTimelines - 1 : shownTimelines;
    const most = new Set(s.timelines.slice().sort((a, b) => b.all - a.all).slice(0, n));
    return s.timelines.filter((row) => most.has(row));
}

/* Returns the lines of the chart: [name, misses per window]. */
function timelinesOf(s) {
    const shown = chosenTimelines(s), rest = s.timelines.filter((row) => !shown.includes(row));
    const lines = shown.map((row) => [threadName(s.timelines, row), row.misses]);
    if (rest.length)
        lines.push([`${exactCount(rest.length)} other threads`,
                    rest[0].misses.map((_, w) => sum(rest, (row) => row.misses[w]))]);
    return lines;
}

function timelineFigure(s) {
    const lines = timelinesOf(s), title = "Coherence misses over time";
    if (!lines.length || lines[0][1].length < 2) return null;
    const at = (w) => count(w * s.window), windows = lines[0][1].map((_, w) => w);
    return figure({
        title,
        note: `Misses of each thread in windows of ${count(s.window)} references of all threads.` +
            (s.timelines.length < s.n_timelines ? " Some threads are not on the page." : ""),
        legend: namesLegend(lines.map(([name]) => name)),
        config: () => {
            const options = baseOptions();
            options.interaction = { mode: "index", intersect: false };
            options.scales = { x: binAxis("references of all threads", windows.map(at)),
                               y: { ...axisStyle("coherence misses"), min: 0 } };
            options.plugins.tooltip.callbacks = {
                title: (items) => `from reference ${items[0].label} on`,
                label: (item) => `${item.dataset.label}: ${exactCount(item.raw)}` };
            return { type: "line", options, data: { labels: windows.map(at),
                datasets: lines.map(([name, misses], i) => lineSet(name, i, misses)) } };
        },
        table: () => plainTable(title, ["From reference", ...lines.map(([name]) => name)],
            windows.map((w) => [at(w), ...lines.map(([, misses]) => [misses[w], () => exactCount(misses[w])])])),
        label: "Line chart of the coherence misses of each thread over time",
    });
}

/* ---- the bytes of a block ---- */

/* Splits a text with the numbers of threads, separated by blanks. The last element may be "...". */
function threadsIn(list) {
    return list.split(" ").filter((word) => word);
}

function sayItem(item) {
    const bytes = item.first === item.last ? `Byte ${item.first}` : `Bytes ${item.first} to ${item.last}`;
    const stores = threadsIn(item.writers).length, loads = threadsIn(item.readers).length;
    return bytes + (stores ? `: stored by ${plural(stores, "thread")} ${clean(item.writers)}` : ": not stored") +
        (loads ? `, loaded by ${plural(loads, "thread")} ${clean(item.readers)}` : "");
}

/* Draws the bytes of a block. Bytes to which one thread stores, and bytes that no thread stores to and one
 * thread loads, have the color of this thread. Bytes of several threads have stripes, and bytes that no
 * thread uses are empty. */
function blockDrawing(p, b) {
    const cells = 64, unit = p.block_bytes / cells, users = [...new Set(b.items.flatMap((item) =>
        [...threadsIn(item.writers), ...threadsIn(item.readers)]))].filter((name) => name !== "...")
        .sort((a, b) => a - b);
    /* A thread has the color of its line in the chart. */
    const known = chosenTimelines(p.sharing).map((row) => String(row.thread));
    const order = [...known, ...users.filter((name) => !known.includes(name))];
    const colorOf = (name) => `user-${order.indexOf(name) % 6 + 1}`;
    const place = (offset) => Math.floor(offset / unit) + 1;
    const box = el("div", { class: "bytes", role: "img",
                            "aria-label": `${p.block_bytes} bytes of the block: ${b.items.map(sayItem).join("; ")}` });
    for (const item of b.items) {
        const who = threadsIn(item.writers).length ? threadsIn(item.writers) : threadsIn(item.readers);
        const own = who.length === 1 && who[0] !== "..." ? colorOf(who[0]) : "user-several";
        const node = el("span", { class: `item ${own}`, title: sayItem(item) },
            place(item.last) - place(item.first) >= 3 ? (who.length === 1 ? who[0] : who.length) : "");
        node.style.gridColumn = `${place(item.first)} / ${place(item.last) + 1}`;
        box.append(node);
    }
    const legend = el("ul", { class: "legend" }, users.slice(0, 6).map((name) =>
        el("li", {}, el("span", { class: `swatch ${colorOf(name)}` }), el("span", {}, `thread ${clean(name)}`))),
        el("li", {}, el("span", { class: "swatch user-several" }), el("span", {}, "several threads")));
    return el("div", { class: "block" }, box, legend,
        el("ul", { class: "note" }, b.items.slice(0, 16).map((item) => el("li", {}, `${sayItem(item)}.`)),
            b.items.length > 16 ? el("li", {}, `${b.items.length - 16} more ranges of bytes are not shown.`) : null));
}

function blockDetails(p, b) {
    return el("div", {}, b.lines ? el("p", {}, "Lines: ", el("code", {}, clean(b.lines))) : null,
        b.first ? el("p", {}, `To separate the data: ${sayFix(b)}.`) : null, b.items.length ? blockDrawing(p, b) : null);
}

/* ---- all of it ---- */

function sharedTable(p) {
    const s = p.sharing, misses = sharedMisses(s) || 1;
    const number = (key, label) => ({ key, label, number: (row) => row[key], cell: (row) => exactCount(row[key]) });
    return dataTable({
        id: "shared-data", caption: "Shared data", rows: s.blocks, sort: "share",
        open: (b) => () => [blockDetails(p, b)],
        columns: [
            { key: "data", label: "Data", text: (b) => clean(b.data || "other memory") },
            { key: "address", label: "Block", text: (b) => b.address },
            { key: "share", label: "Share of coherence misses", number: (b) => sharedMisses(b) / misses,
              cell: (b) => shareCell(sharedMisses(b) / misses) },
            number("true_sharing", "True sharing"), number("false_sharing", "False sharing"),
            number("removes", "Removed by separation"), number("threads", "Threads"), number("stores", "Stores"),
        ],
    });
}

function sharedData(p) {
    const s = p.sharing, worst = s.blocks[0];
    return section("Shared data", el("ul", { class: "findings" }, saySharedData(p).map((text) => el("li", {}, text))),
        timelineFigure(s),
        worst && worst.items.length ? el("figure", {}, el("figcaption", {}, el("h3", {},
            `The bytes of the block with the most coherence misses: ${clean(worst.data || worst.address)}`)),
            blockDrawing(p, worst)) : null,
        s.blocks.length ? sharedTable(p) : null,
        el("p", { class: "note" }, `Order of the threads' references: ${clean(s.interleave)}.` +
            (s.blocks.length < s.shared_blocks ? ` The page has the ${exactCount(s.blocks.length)} of ` +
                `${exactCount(s.shared_blocks)} shared blocks with the most misses.` : "")));
}
