/* Draws the charts about profiles of blocks: the miss-ratio curve, the histogram, and the differences of two
 * profiles. */

/* ---- miss ratio by cache size ---- */

/* Cache sizes are in bytes if all profiles know the size of a block, else in blocks. */
const inBytes = profiles.every((p) => p.block_bytes);

function xOf(p, blocks) {
    return inBytes ? blocks * p.block_bytes : blocks;
}

function sizeLabel(x) {
    return inBytes ? bytes(x) : blockCount(x);
}

/* Returns the first and the last size on the chart axis, which shows every curve and every mark
 * completely. */
function sizeRange() {
    const measured = profiles.filter((p) => p.measured);
    const ends = measured.map((p) => xOf(p, p.curve.blocks[p.curve.blocks.length - 1]));
    const marks = inBytes ? data.levels.map((level) => level.bytes) : [];
    return [Math.min(...measured.map((p) => xOf(p, 1))), 1.6 * Math.max(2, ...ends, ...marks)];
}

/* Returns the points of a curve. After its end a curve is flat, unless the analysis was bounded. */
function curvePoints(p, last) {
    const list = p.curve.blocks.map((blocks, i) => ({ x: xOf(p, blocks), y: 100 * p.curve.miss[i] }));
    if (!p.bound && last > list[list.length - 1].x)
        list.push({ x: last, y: list[list.length - 1].y });
    return list;
}

/* A plugin of Chart.js that draws dashed lines at the marked cache sizes, with their names at the
 * top. */
const levelMarks = {
    id: "levelMarks",
    afterDatasetsDraw(chart) {
        if (!inBytes) return;
        const { ctx, chartArea, scales } = chart;
        ctx.save();
        ctx.font = `600 12px ${Chart.defaults.font.family}`;
        ctx.textBaseline = "top";
        const at = data.levels.map((level) => scales.x.getPixelForValue(level.bytes));
        data.levels.forEach((level, i) => {
            const room = (i + 1 < at.length ? at[i + 1] : chartArea.right) - at[i] - 10;
            const name = clean(level.name), long = `${name} ${bytes(level.bytes)}`;
            ctx.strokeStyle = color("mark");
            ctx.lineWidth = 1.25;
            ctx.setLineDash([4, 3]);
            ctx.beginPath();
            ctx.moveTo(at[i], chartArea.top);
            ctx.lineTo(at[i], chartArea.bottom);
            ctx.stroke();
            ctx.fillStyle = color("mark-text");
            const text = [long, name].find((t) => ctx.measureText(t).width <= room);
            if (text) ctx.fillText(text, at[i] + 5, chartArea.top + 2);
        });
        ctx.restore();
    },
};

/* Returns the band at size `x` on the chart axis, or at the nearest smaller size that has one. */
function bandAt(p, x) {
    return p.band.filter((row) => xOf(p, row[0]) <= x).pop();
}

function bandText(row) {
    return row ? ` (${percent(row[1])} to ${percent(row[2])})` : "";
}

function bandDatasets(p, i) {
    if (!p.band.length) return [];
    const side = (column) => p.band.map((row) => ({ x: xOf(p, row[0]), y: 100 * row[column] }));
    const common = { borderWidth: 0, pointRadius: 0, pointHitRadius: 0, isBand: true };
    const name = profileNames[i];
    return [
        { ...common, label: name + ", lower end", data: side(1), fill: false },
        { ...common, label: name + ", upper end", data: side(2), fill: "-1", backgroundColor: translucent(seriesColor(i), 0.22) },
    ];
}

function curveConfig() {
    const [first, last] = sizeRange(), datasets = [];
    for (const [p, i] of shownProfiles()) {
        datasets.push({
            label: profileNames[i], data: curvePoints(p, last), borderColor: seriesColor(i),
            borderWidth: 2.5, borderDash: dashes[i % 6], pointRadius: 0, pointHoverRadius: 4,
            pointHoverBackgroundColor: seriesColor(i), borderJoinStyle: "round", order: 1,
        });
        datasets.push(...bandDatasets(p, i));
    }
    const options = baseOptions();
    options.scales = {
        x: { ...axisStyle(inBytes ? "cache size" : "cache size, blocks"), type: "logarithmic",
             min: first, max: last, afterBuildTicks: powerTicks },
        y: { ...axisStyle("misses, % of references"), min: 0, max: 100 },
    };
    options.scales.x.ticks = { ...options.scales.x.ticks, callback: sizeLabel };
    options.plugins.tooltip.filter = (item) => !item.dataset.isBand;
    options.plugins.tooltip.callbacks = {
        title: (items) => items.length ? "Cache of " + sizeLabel(items[0].parsed.x) : "",
        label: (item) => (profiles.length > 1 ? item.dataset.label + ": " : "misses ") +
            percent(item.parsed.y / 100),
    };
    return { type: "scatter", data: { datasets: datasets.map((set) => ({ showLine: true, ...set })) },
             options, plugins: [levelMarks] };
}

/* Returns the miss ratio of a curve at a size, interpolated between its points, or null if it is
 * unknown. */
function missAt(p, blocks) {
    const c = p.curve, end = c.blocks.length - 1;
    if ((p.bound && blocks > p.bound) || blocks < p.resolution) return null;
    if (blocks >= c.blocks[end]) return c.miss[end];
    const i = c.blocks.findIndex((b) => b > blocks);
    if (i <= 0) return c.miss[0];
    const part = Math.log(blocks / c.blocks[i - 1]) / Math.log(c.blocks[i] / c.blocks[i - 1]);
    return c.miss[i - 1] + part * (c.miss[i] - c.miss[i - 1]);
}

/* Returns the powers of two on the chart axis. */
function powerSizes() {
    const [first, last] = sizeRange(), sizes = [];
    for (let x = 2 ** Math.ceil(Math.log2(first)); x <= last; x *= 2) sizes.push(x);
    return sizes;
}

function curveTable() {
    const shown = profiles.map((p, i) => [p, i]).filter(([p]) => p.measured);
    return plainTable("Miss ratio by cache size", ["Cache size", ...shown.map(([, i]) => profileNames[i])],
        powerSizes().map((x) => [[x, sizeLabel], ...shown.map(([p]) => {
            const miss = missAt(p, inBytes ? x / p.block_bytes : x);
            return miss === null ? "unknown" : [miss, () => percent(miss) + bandText(bandAt(p, x))];
        })]));
}

function curveFigure() {
    const band = profiles.some((p) => p.measured && p.band.length);
    return figure({
        title: "Miss ratio by cache size",
        note: "The curve is for a fully associative LRU cache." +
            (inBytes ? ` The marks show the caches ${data.levels_from}.` : "") +
            (band ? " The shaded band holds the exact value with 95\u00a0% confidence." : "") +
            profiles.filter((p) => p.resolution).map((p) => " A sample of " +
                `${percent(p.error.rate)} of the blocks says nothing about caches below ` +
                `${sizeOf(p, p.resolution)}.`).join(""),
        legend: profileLegend(() => drawPending(true)),
        config: curveConfig, table: curveTable, tall: true,
        label: "Line chart of the miss ratio by cache size",
    });
}

/* ---- histogram ---- */

const binNames = { log: "Powers of two", fine: "Finer", linear: "Equal widths" };

/* Returns rows {low, high, shares}, where `shares` has, for each profile in `list`, the fraction of its references in
 * the row. The rows are the bins of the profile that has the most bins. */
function binRows(kind, list) {
    const longest = list.reduce((best, [p]) =>
        p.bins[kind].rows.length > best.length ? p.bins[kind].rows : best, []);
    return longest.map(([low, high], k) => ({ low, high,
        shares: list.map(([p]) => (p.bins[kind].rows[k] || [0, 0, 0])[2] / (p.references || 1)) }));
}

function histogramConfig() {
    const list = shownProfiles(), rows = binRows(state.bins, list);
    const labels = [...rows.map((row) => distanceRange(row.low, row.high)), infiniteName(list.map(([p]) => p))];
    const options = baseOptions();
    options.interaction = { mode: "index", intersect: false };
    options.scales = {
        x: binAxis("reuse distance, blocks", labels),
        y: { ...axisStyle("% of references"), min: 0 },
    };
    options.plugins.tooltip.callbacks = {
        label: (item) => (profiles.length > 1 ? item.dataset.label + ": " : "") +
            percent(item.raw / 100) + " of the references",
    };
    const infinite = list.map(([p]) => p.infinite / (p.references || 1));
    return {
        type: "bar", options,
        data: {
            labels,
            datasets: list.map(([, i], k) => ({
                label: profileNames[i],
                data: [...rows.map((row) => 100 * row.shares[k]), 100 * infinite[k]],
                backgroundColor: translucent(seriesColor(i), list.length > 1 ? 0.75 : 0.9),
                borderColor: seriesColor(i), borderWidth: list.length > 1 ? 1 : 0,
                categoryPercentage: rows.length > 40 ? 1 : 0.86, barPercentage: 0.98,
                minBarLength: 0,
            })),
        },
    };
}

function histogramTable() {
    const list = profiles.map((p, i) => [p, i]).filter(([p]) => p.measured);
    const rows = binRows(state.bins, list).filter((row) => row.shares.some((share) => share > 0));
    return plainTable("References by reuse distance",
        ["Distance, blocks", ...list.map(([, i]) => profileNames[i])],
        [...rows.map((row) => [distanceRange(row.low, row.high), ...row.shares.map(shared)]),
         [infiniteName(list.map(([p]) => p)), ...list.map(([p]) => shared(p.infinite / (p.references || 1)))]]);
}

function histogramFigure(refresh) {
    const interpolated = profiles.some((p) => p.measured && p.bins[state.bins].interpolated);
    return figure({
        title: "References by reuse distance",
        note: "The distance is the number of distinct other blocks touched since the block was touched last. " +
            "A cache with more blocks than this distance hits." +
            (interpolated ? " The profile has wider bins than these in places; there its references " +
                "are spread evenly." : ""),
        controls: segmented("bins", "Bins", Object.entries(binNames), state.bins, (value) => {
            state.bins = value;
            refresh("bins");
        }),
        legend: profileLegend(() => drawPending(true)),
        config: histogramConfig, table: histogramTable, tall: true,
        label: "Bar chart of references by reuse distance",
    });
}

/* ---- two profiles ---- */

/* Returns the configuration of the chart with the difference of two curves. Above 0, the second
 * profile misses more. */
function differenceConfig() {
    const [first, last] = sizeRange(), [a, b] = profiles;
    const sizes = [...new Set([a, b].flatMap((p) => curvePoints(p, last).map((point) => point.x)))]
        .sort((x, y) => x - y);
    const at = (p, x) => missAt(p, inBytes ? x / p.block_bytes : x);
    const list = sizes.filter((x) => at(a, x) !== null && at(b, x) !== null)
        .map((x) => ({ x, y: 100 * (at(b, x) - at(a, x)) }));
    const options = baseOptions();
    options.scales = {
        x: { ...axisStyle(inBytes ? "cache size" : "cache size, blocks"), type: "logarithmic",
             min: first, max: last, afterBuildTicks: powerTicks },
        y: { ...axisStyle("difference, points"), grace: "8%" },
    };
    options.scales.x.ticks = { ...options.scales.x.ticks, callback: sizeLabel };
    options.plugins.tooltip.callbacks = {
        title: (items) => items.length ? "Cache of " + sizeLabel(items[0].parsed.x) : "",
        label: (item) => points(item.parsed.y / 100) + " points",
    };
    return { type: "scatter", options, plugins: [levelMarks], data: { datasets: [{
        data: list, showLine: true, borderColor: seriesColor(0), borderWidth: 2, pointRadius: 0,
        fill: { target: "origin", above: translucent(color("worse"), 0.3),
                below: translucent(color("better"), 0.3) },
    }] } };
}

function differenceTable() {
    const [a, b] = profiles, at = (p, x) => missAt(p, inBytes ? x / p.block_bytes : x);
    return plainTable("Difference of the miss ratios", ["Cache size", ...profileNames, "Points"],
        powerSizes().filter((x) => at(a, x) !== null && at(b, x) !== null).map((x) =>
            [[x, sizeLabel], shared(at(a, x)), shared(at(b, x)), [at(b, x) - at(a, x), points]]));
}

function differenceFigure() {
    return figure({
        title: "Difference of the miss ratios",
        note: `Below the line ${quoted(1)} misses less often than ${quoted(0)}, above it more.`,
        config: differenceConfig, table: differenceTable,
        label: "Line chart of the difference of two miss ratios by cache size",
    });
}

/* Returns rows with the distances of a bin and, for each profile, the fraction of its references in the bin.
 * The last row has the infinite distances. */
function shiftRows() {
    const list = profiles.map((p, i) => [p, i]), infinite = profiles.map((p) => p.infinite / (p.references || 1));
    return [...binRows("log", list).map((row) => [distanceRange(row.low, row.high), ...row.shares]),
            [infiniteName(profiles), ...infinite]];
}

function shiftConfig() {
    const rows = shiftRows(), options = baseOptions();
    options.interaction = { mode: "index", intersect: false };
    options.scales = { x: binAxis("reuse distance, blocks", rows.map((row) => row[0])),
                       y: { ...axisStyle("difference, points") } };
    options.plugins.tooltip.callbacks = { label: (item) => points(item.raw / 100) + " points" };
    return { type: "bar", options, data: { labels: rows.map((row) => row[0]), datasets: [{
        data: rows.map((row) => 100 * (row[2] - row[1])), backgroundColor: translucent(seriesColor(0), 0.85),
        categoryPercentage: 0.86, barPercentage: 0.98,
    }] } };
}

function shiftFigure() {
    return figure({
        title: "Difference of the histograms",
        note: `Distances with a bar above the line are more frequent in ${quoted(1)} than in ${quoted(0)}; ` +
            "distances with a bar below it are less frequent. Short distances are on the left.",
        config: shiftConfig,
        table: () => plainTable("Difference of the histograms", ["Distance, blocks", ...profileNames, "Points"],
            shiftRows().filter((row) => row[1] || row[2]).map((row) =>
                [row[0], shared(row[1]), shared(row[2]), [row[2] - row[1], points]])),
        label: "Bar chart of the difference of two histograms",
    });
}
