/* Draws the charts about prefix caches. */

const inTokens = !data.token_bytes;
const blockBytes = inTokens ? data.block_tokens : data.block_tokens * data.token_bytes;

/* Formats a size on the chart axis: bytes, or tokens if the bytes per token are unknown. */
function kvSize(x) {
    return inTokens ? count(x) + "\u00a0tokens" : bytes(x);
}

function kvBlocks(blocks) {
    return kvSize(blocks * blockBytes);
}

/* ---- hits by size ---- */

/* A plugin of Chart.js that shades the tiers behind the curve, with their names at the top. */
const tierBands = {
    id: "tierBands",
    beforeDatasetsDraw(chart) {
        const { ctx, chartArea, scales } = chart;
        let before = 0;
        ctx.save();
        ctx.font = `600 12px ${Chart.defaults.font.family}`;
        ctx.textBaseline = "top";
        (data.tiers || []).forEach((tier, i) => {
            const end = data.fill === "inclusive" ? tier.bytes : before + tier.bytes;
            const pixel = (x) => Math.min(chartArea.right, Math.max(chartArea.left,
                x > 0 ? scales.x.getPixelForValue(x) : chartArea.left));
            const left = pixel(before), right = pixel(end);
            ctx.fillStyle = translucent(seriesColor(i + 2), 0.12);
            ctx.fillRect(left, chartArea.top, right - left, chartArea.bottom - chartArea.top);
            ctx.fillStyle = color("text");
            const name = clean(tier.name);
            if (ctx.measureText(name).width + 8 < right - left)
                ctx.fillText(name, left + 4, chartArea.top + 2);
            before = end;
        });
        ctx.restore();
    },
};

function kvSeries() {
    const sets = [["LRU, tokens", data.curve.map((p) => ({ x: p[0] * blockBytes, y: 100 * p[2] }))],
        ["LRU, blocks", data.curve.map((p) => ({ x: p[0] * blockBytes, y: 100 * p[1] }))]];
    const last = data.curve.length ? data.curve[data.curve.length - 1][0] * blockBytes : 1;
    sets.push(["Infinite cache, tokens", [blockBytes, last].map((x) =>
        ({ x, y: 100 * data.infinite.token_hit_ratio }))]);
    if (data.points.some((p) => p.best_block_hit_ratio !== undefined))
        sets.push(["Best possible, blocks", data.points.filter((p) => p.blocks > 0).map((p) =>
            ({ x: p.blocks * blockBytes, y: 100 * p.best_block_hit_ratio }))]);
    return sets;
}

function kvCurveConfig() {
    const options = baseOptions(), sets = kvSeries();
    const ends = (data.tiers || []).reduce((at, tier) =>
        data.fill === "inclusive" ? tier.bytes : at + tier.bytes, 0);
    options.scales = {
        x: { ...axisStyle(inTokens ? "cache size, tokens" : "cache size"), type: "logarithmic",
             min: blockBytes, max: Math.max(ends, ...sets[0][1].map((p) => p.x)),
             afterBuildTicks: powerTicks },
        y: { ...axisStyle("served, %"), min: 0 },
    };
    options.scales.x.ticks = { ...options.scales.x.ticks, callback: (x) => inTokens ? count(x) : bytes(x) };
    options.plugins.tooltip.callbacks = {
        title: (items) => items.length ? kvSize(items[0].parsed.x) : "",
        label: (item) => `${item.dataset.label}: ${percent(item.parsed.y / 100)}`,
    };
    return { type: "scatter", options, plugins: [tierBands],
             data: { datasets: sets.map(([label, list], i) => lineSet(label, i, list)) } };
}

function kvCurveTable() {
    const best = data.points.some((p) => p.best_block_hit_ratio !== undefined);
    return plainTable("Hits by cache size",
        ["Cache", "Blocks", "Block hits", "Token hits", ...(best ? ["Best possible, blocks"] : [])],
        data.points.map((p) => [[p.blocks, kvBlocks], counted(p.blocks), shared(p.block_hit_ratio),
            shared(p.token_hit_ratio), ...(best ? [shared(p.best_block_hit_ratio)] : [])]));
}

function kvCurveFigure() {
    return figure({
        title: "Share of the prompts that a cache serves", tall: true,
        legend: namesLegend(kvSeries().map(([name]) => name)),
        note: data.tiers ? "The shaded areas are the tiers, fastest first." : null,
        config: kvCurveConfig, table: kvCurveTable,
        label: "Line chart of the hit ratio by cache size",
    });
}

/* ---- share per request ---- */

const shareNames = ["99 of 100 requests get at most", "Half of the requests get at most",
    "One of 10 requests gets at most"];
const shareKeys = ["share_p99", "share_median", "share_p10"];

function kvShareConfig() {
    const options = baseOptions(), rows = data.points.filter((p) => p.blocks > 0);
    options.scales = {
        x: { ...axisStyle(inTokens ? "cache size, tokens" : "cache size"), type: "logarithmic",
             min: rows.length ? rows[0].blocks * blockBytes : 1, afterBuildTicks: powerTicks },
        y: { ...axisStyle("share of the prompt, %"), min: 0, max: 100 },
    };
    options.scales.x.ticks = { ...options.scales.x.ticks, callback: (x) => inTokens ? count(x) : bytes(x) };
    options.plugins.tooltip.callbacks = {
        title: (items) => items.length ? kvSize(items[0].parsed.x) : "",
        label: (item) => `${item.dataset.label}: ${percent(item.parsed.y / 100)}`,
    };
    return { type: "scatter", options, data: { datasets: shareKeys.map((key, i) =>
        lineSet(shareNames[i], i, rows.map((p) => ({ x: p.blocks * blockBytes, y: 100 * p[key] })))) } };
}

function kvShareFigure() {
    return figure({
        title: "Share of the prompt that a request gets from the cache",
        legend: namesLegend(shareNames), config: kvShareConfig,
        table: () => plainTable("Share of the prompt by cache size", ["Cache", ...shareNames],
            data.points.map((p) => [[p.blocks, kvBlocks], ...shareKeys.map((key) => shared(p[key]))])),
        label: "Line chart of the share of the prompt that a request gets, by cache size",
    });
}

/* ---- over time ---- */

/* Returns the elements of data.details that the chart over time shows: up to four, evenly spaced. */
function kvShownDetails() {
    const list = data.details.filter((d) => d.blocks > 0), step = Math.max(1, list.length / 4);
    return [...new Set([3, 2, 1, 0].map((i) => Math.floor(list.length - 1 - i * step)))]
        .filter((i) => i >= 0).map((i) => list[i]);
}

function kvTimeConfig() {
    const options = baseOptions();
    options.interaction = { mode: "index", intersect: false };
    options.scales = {
        x: { ...axisStyle("minutes"), type: "linear", min: 0,
             max: data.window_tokens.length * data.window_seconds / 60 },
        y: { ...axisStyle("tokens served, %"), min: 0 },
    };
    options.plugins.tooltip.callbacks = {
        title: (items) => items.length ? `From minute ${items[0].parsed.x.toFixed(1)} on` : "",
        label: (item) => `${item.dataset.label}: ${percent(item.parsed.y / 100)}`,
    };
    return { type: "scatter", options, data: { datasets: kvShownDetails().map((d, i) =>
        lineSet(kvBlocks(d.blocks), i, d.window_token_hits.map((hits, k) => ({
            x: k * data.window_seconds / 60,
            y: data.window_tokens[k] ? 100 * hits / data.window_tokens[k] : 0 })),
            { stepped: "before" })) } };
}

function kvTimeFigure() {
    const shown = kvShownDetails();
    return figure({
        title: "Hits over time",
        legend: namesLegend(shown.map((d) => kvBlocks(d.blocks))),
        config: kvTimeConfig,
        table: () => plainTable("Token hits over time",
            ["From minute", ...shown.map((d) => kvBlocks(d.blocks))],
            data.window_tokens.map((n, k) => [[k * data.window_seconds / 60, (x) => x.toFixed(1)],
                ...shown.map((d) => shared(n ? d.window_token_hits[k] / n : 0))])),
        label: "Line chart of token hits over time",
    });
}

/* ---- reuse gaps ---- */

function gapName(i) {
    return i === 0 ? "at once" : "below " + seconds(2 ** i / 1000);
}

function kvGapRows() {
    const gaps = data.gaps_below_powers_of_two_ms, total = sum(gaps, (n) => n);
    const last = gaps.reduce((at, n, i) => n ? i : at, 0), first = gaps.findIndex((n) => n > 0);
    return gaps.map((n, i) => [gapName(i), total ? n / total : 0]).slice(Math.max(0, first), last + 1);
}

function kvGapFigure() {
    const rows = kvGapRows();
    return figure({
        title: "Time until a block is used again",
        note: "A cache serves a block only if it keeps it that long.",
        config: () => {
            const options = baseOptions();
            options.scales = { x: { ...axisStyle("") }, y: { ...axisStyle("% of the reuses"), min: 0 } };
            options.scales.x.ticks.maxRotation = 60;
            options.plugins.tooltip.callbacks = { label: (item) => percent(item.parsed.y / 100) };
            return { type: "bar", options, data: { labels: rows.map((row) => row[0]), datasets: [{
                backgroundColor: color("bar"), data: rows.map((row) => 100 * row[1]) }] } };
        },
        table: () => plainTable("Time until a block is used again", ["Time", "Share of the reuses"],
            rows.map((row) => [row[0], shared(row[1])])),
        label: "Bar chart of the time between two uses of a block",
    });
}
