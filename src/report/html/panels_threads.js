/* Makes the panel about threads: the misses of their private caches by cause. */

const threadCauses = [["cold", "first touches"], ["true_sharing", "true sharing"], ["false_sharing", "false sharing"]];

function coherenceOf(row) {
    return row.true_sharing + row.false_sharing;
}

/* Returns the name of the thread of a row. If the rows have several processes, the name includes the process; the
 * first process is process 1. */
function threadName(rows, row) {
    return rows.some((other) => other.process !== rows[0].process) ? `${row.thread} of process ${row.process + 1}`
                                                                   : `thread ${row.thread}`;
}

function sayCoherence(p) {
    const t = p.threads, misses = coherenceOf(t.all);
    if (!misses) return ["No thread loses a block to another one: there are no coherence misses."];
    const worst = t.rows.reduce((best, row) => coherenceOf(row) > coherenceOf(best) ? row : best);
    const list = [`${percent(misses / (t.all.references || 1))} of the references miss in a cache of any size, because ` +
        `another thread stored to the block: ${count(misses)} coherence ${plural(misses, "miss", "misses")}.`];
    if (t.all.false_sharing)
        list.push(`${percent(t.all.false_sharing / misses)} of them are false sharing: the threads use different bytes of ` +
            "the same blocks. These misses disappear if data of different threads are in different blocks.");
    if (t.rows.length > 1)
        list.push(`Of all threads, ${threadName(t.rows, worst)} has most of them, ${percent(coherenceOf(worst) / misses)}.`);
    return list;
}

function threadShare(row, key) {
    return row[key] / (row.references || 1);
}

function threadFigure(p) {
    const t = p.threads, names = t.rows.map((row) => threadName(t.rows, row));
    return figure({
        title: "Misses of any cache, by thread",
        note: "Every thread has a cache of its own. No cache size avoids first touches and coherence misses.",
        legend: namesLegend(threadCauses.map(([, name]) => name)),
        config: () => {
            const options = baseOptions();
            options.interaction = { mode: "index", intersect: false };
            options.scales = { x: { ...binAxis("thread", names), stacked: true },
                               y: { ...axisStyle("% of the thread's references"), min: 0, stacked: true } };
            options.plugins.tooltip.callbacks = {
                label: (item) => `${item.dataset.label}: ${percent(item.raw / 100)}` };
            return { type: "bar", options, data: { labels: names, datasets: threadCauses.map(([key, label], i) => ({
                label, data: t.rows.map((row) => 100 * threadShare(row, key)), backgroundColor: seriesColor(i),
                categoryPercentage: 0.86, barPercentage: 0.98 })) } };
        },
        table: () => plainTable("Misses of any cache, by thread", ["Thread", ...threadCauses.map(([, name]) => name)],
            t.rows.map((row, i) => [names[i], ...threadCauses.map(([key]) => shared(threadShare(row, key)))])),
        label: "Bar chart of first touches and coherence misses by thread",
    });
}

function threadTable(p) {
    const t = p.threads, misses = coherenceOf(t.all);
    const number = (key, label) => ({ key, label, number: (row) => row[key], cell: (row) => exactCount(row[key]) });
    return dataTable({
        id: "thread-table", caption: "Threads", rows: t.rows, sort: "share",
        columns: [
            { key: "name", label: "Thread", text: (row) => threadName(t.rows, row) },
            { key: "share", label: "Share of coherence misses", number: (row) => misses ? coherenceOf(row) / misses : 0,
              cell: (row) => shareCell(misses ? coherenceOf(row) / misses : 0) },
            number("true_sharing", "True sharing"), number("false_sharing", "False sharing"),
            number("upgrades", "Upgrades"), number("cold", "First touches"), number("stores", "Stores"),
            number("references", "References"),
        ],
    });
}

function privateCaches(p) {
    const t = p.threads;
    return section("Threads", el("ul", { class: "findings" }, sayCoherence(p).map((text) => el("li", {}, text))),
        threadFigure(p), threadTable(p),
        el("p", { class: "note" }, `Order of the threads' references: ${clean(t.interleave)}.` +
            (t.rows.length < t.n ? ` The page has the ${exactCount(t.rows.length)} of ${exactCount(t.n)} threads with the ` +
                "most coherence misses; the sums are over all threads." : "")));
}

function threadsPanel() {
    const p = profiles[state.profile];
    if (p.threads || p.sharing)
        return el("div", {}, p.threads ? privateCaches(p) : null, p.sharing ? sharedData(p) : null);
    return section("Threads", missing("All threads share one cache in this profile. To measure a cache for each " +
        "thread, run:", "reusedist run --stacks=private --report=report.html -- PROGRAM ..."));
}
