/* Draws the charts about object caches. */

Object.assign(state, { ratio: "requests", sizes: "objects" });

function percentLabels(title) {
    return {
        title, label: (item) => `${item.dataset.label}: ${percent(item.parsed.y / 100)}`,
    };
}

function byteAxis(title, first, last) {
    const style = axisStyle(title);
    return { ...style, type: "logarithmic", min: first, max: last, afterBuildTicks: powerTicks,
             ticks: { ...style.ticks, callback: bytes } };
}

/* ---- misses by cache size ---- */

const ratios = { requests: ["curve", "miss"], bytes: ["byte_curve", "byte_miss"] };

/* Returns the first and the last size on the chart axis. The axis begins at the first hits or at half the
 * size of the largest object, whichever is smaller, and shows every curve to its end. */
function sizeRange() {
    const list = profiles.filter((p) => p.measured);
    const firsts = list.map((p) => Math.min(p.objects.largest / 2, p.curve.bytes.find((_, i) =>
        p.curve.miss[i] < 0.995) || Infinity));
    const ends = list.map((p) => p.curve.bytes[p.curve.bytes.length - 1]);
    return [2 ** Math.floor(Math.log2(Math.max(1, Math.min(...firsts)))), 1.3 * Math.max(2, ...ends)];
}

/* Returns the points of a curve, which is flat after its end. */
function missPoints(curve, last) {
    const list = curve.bytes.map((x, i) => ({ x, y: 100 * curve.miss[i] }));
    return [...list, { x: last, y: list[list.length - 1].y }];
}

/* A plugin of Chart.js that shades the sizes below the largest object, and marks the size that the
 * first sentence of the page names. */
const sizeMarks = {
    id: "sizeMarks",
    beforeDatasetsDraw(chart) {
        const { ctx, chartArea, scales } = chart;
        const largest = Math.max(...shownProfiles().map(([p]) => p.objects.largest));
        const right = Math.min(chartArea.right, scales.x.getPixelForValue(largest));
        ctx.save();
        if (right > chartArea.left) {
            ctx.fillStyle = translucent(color("mark"), 0.1);
            ctx.fillRect(chartArea.left, chartArea.top, right - chartArea.left, chartArea.bottom - chartArea.top);
            ctx.font = `600 12px ${Chart.defaults.font.family}`;
            ctx.textBaseline = "bottom";
            ctx.fillStyle = color("mark-text");
            const text = ["smaller than the largest object", "below the largest", "too small"].find((words) =>
                ctx.measureText(words).width + 10 < right - chartArea.left);
            if (text) ctx.fillText(text, chartArea.left + 5, chartArea.bottom - 4);
        }
        ctx.restore();
    },
    afterDatasetsDraw(chart) {
        const { ctx, chartArea, scales } = chart, p = profiles[0];
        if (several || !p.goal) return;
        const x = scales.x.getPixelForValue(p.goal.bytes), text = `${bytes(p.goal.bytes)} hits ${percent(1 - p.goal.miss)}`;
        ctx.save();
        ctx.strokeStyle = color("mark");
        ctx.lineWidth = 1.25;
        ctx.setLineDash([4, 3]);
        ctx.beginPath();
        ctx.moveTo(x, chartArea.top);
        ctx.lineTo(x, chartArea.bottom);
        ctx.stroke();
        ctx.font = `600 12px ${Chart.defaults.font.family}`;
        ctx.textBaseline = "top";
        ctx.fillStyle = color("mark-text");
        const room = chartArea.right - x - 8, width = ctx.measureText(text).width;
        ctx.textAlign = width < room ? "left" : "right";
        ctx.fillText(text, x + (width < room ? 5 : -5), chartArea.top + 2);
        ctx.restore();
    },
};

/* Returns the lower and the upper end of the band of a sample as two lines. The chart fills the space between
 * them. A chart of bytes has no band. */
function bandSets(p, i) {
    if (!p.band.length || state.ratio === "bytes") return [];
    const side = (column) => p.band.map((row) => ({ x: row[0], y: 100 * row[column] }));
    const common = { showLine: true, borderWidth: 0, pointRadius: 0, pointHitRadius: 0, isBand: true };
    return [{ ...common, label: "lower end", data: side(1), fill: false },
            { ...common, label: "upper end", data: side(2), fill: "-1", backgroundColor: translucent(seriesColor(i), 0.22) }];
}

function missSets(last) {
    if (several)
        return shownProfiles().flatMap(([p, i]) =>
            [lineSet(profileNames[i], i, missPoints(p[ratios[state.ratio][0]], last)), ...bandSets(p, i)]);
    const p = profiles[0];
    return [lineSet("requests missed", 0, missPoints(p.curve, last)), ...bandSets(p, 0),
            lineSet("bytes missed", 1, missPoints(p.byte_curve, last))];
}

function missConfig() {
    const options = baseOptions(), [first, last] = sizeRange();
    options.scales = { x: byteAxis("cache size", first, last),
                       y: { ...axisStyle("misses, %"), min: 0, max: 100 } };
    options.plugins.tooltip.filter = (item) => !item.dataset.isBand;
    options.plugins.tooltip.callbacks = percentLabels((items) =>
        items.length ? "Cache of " + bytes(items[0].parsed.x) : "");
    return { type: "scatter", options, data: { datasets: missSets(last) }, plugins: [sizeMarks] };
}

/* Returns the content of a table cell with a miss ratio. The sign \u2248 marks an interpolated miss ratio. */
function about(at, share) {
    return [share, () => (at.interpolated ? "\u2248\u00a0" : "") + percent(share)];
}

function missTable() {
    const key = ratios[state.ratio][1];
    if (!several)
        return plainTable("Misses by cache size", ["Cache size", "Requests missed", "Bytes missed"],
            profiles[0].sizes.map((at) => [[at.bytes, bytes], about(at, at.miss), about(at, at.byte_miss)]));
    /* The sizes of a profile are powers of two. After its last size, the misses stay the same. */
    const list = profiles.map((p, i) => [p, i]).filter(([p]) => p.measured);
    const sizes = [...new Set(list.flatMap(([p]) => p.sizes.map((at) => at.bytes)))].sort((a, b) => a - b);
    return plainTable(`Share of the ${state.ratio} missed, by cache size`,
        ["Cache size", ...list.map(([, i]) => profileNames[i])], sizes.map((size) => [[size, bytes],
            ...list.map(([p]) => {
                const at = p.sizes.filter((row) => row.bytes <= size).pop();
                return at ? about(at, at[key]) : "below the largest object";
            })]));
}

/* Makes radio buttons that choose what a chart shows. A page with a single profile has none. */
function choiceOf(name, legend, values, refresh) {
    return several ? segmented(name, legend, values.map((value) => [value, value]), state[name], (value) => {
        state[name] = value;
        refresh(name);
    }) : null;
}

function missFigure(refresh) {
    const band = profiles.some((p) => p.measured && p.band.length);
    return figure({
        title: "Misses by cache size", tall: true,
        controls: choiceOf("ratio", "Misses of", ["requests", "bytes"], refresh),
        legend: several ? profileLegend(() => drawPending(true)) : namesLegend(["requests missed", "bytes missed"]),
        note: "The caches are LRU caches. In the shaded area, the largest object does not fit, so the misses depend on " +
            "how a cache treats it." + (band ? " The band around a curve holds the exact value with 95\u00a0% confidence." : ""),
        config: missConfig, table: missTable,
        label: "Line chart of the misses of requests and of bytes by cache size",
    });
}

/* ---- sizes of the objects ---- */

function classStart(k) {
    return k === 0 ? 0 : 2 ** (k - 1);
}

function className(k) {
    return k === 0 ? "0\u00a0B" : k === 1 ? "1\u00a0B" : `${bytes(classStart(k))} \u2013 ${bytes(2 ** k)}`;
}

/* Returns the shares of the objects, or of their bytes, by size class. */
function classShares(p, what) {
    const list = what === "objects" ? p.objects.size_classes : p.objects.size_class_bytes || [];
    const total = sum(list, (n) => n);
    return list.map((n) => total ? n / total : 0);
}

/* Returns the series of the chart of object sizes, each as [name, shares, number of its color]. */
function sizeSeries() {
    return several ? shownProfiles().map(([p, i]) => [profileNames[i], classShares(p, state.sizes), i])
        : ["objects", "bytes"].map((what, i) => [`% of the ${what}`, classShares(profiles[0], what), i])
            .filter(([, shares]) => shares.length);
}

/* Returns the indices of the size classes from the first to the last that is not empty. */
function shownClasses(series) {
    const used = series.flatMap(([, shares]) => shares.map((share, k) => share ? k : -1)).filter((k) => k >= 0);
    const first = Math.min(...used), last = Math.max(...used);
    return used.length ? Array.from({ length: last - first + 1 }, (_, i) => first + i) : [];
}

function sizeConfig() {
    const series = sizeSeries(), classes = shownClasses(series), options = baseOptions();
    options.interaction = { mode: "index", intersect: false };
    options.scales = { x: binAxis("size of the object, from", classes.map((k) => bytes(classStart(k)))),
                       y: { ...axisStyle(several ? `% of the ${state.sizes}` : "%"), min: 0 } };
    options.plugins.tooltip.callbacks = percentLabels((items) =>
        items.length ? className(classes[items[0].dataIndex]) : "");
    return { type: "bar", options, data: { labels: classes.map((k) => bytes(classStart(k))),
        datasets: series.map(([label, shares, i]) => ({ label, data: classes.map((k) => 100 * (shares[k] || 0)),
            backgroundColor: translucent(seriesColor(i), 0.85), categoryPercentage: 0.86, barPercentage: 0.98 })) } };
}

function sizeFigure(refresh) {
    const series = sizeSeries(), classes = shownClasses(series);
    return figure({
        title: "Sizes of the objects",
        controls: choiceOf("sizes", "Share of the", ["objects", "bytes"], refresh),
        legend: several ? profileLegend(() => refresh()) : namesLegend(series.map(([name]) => name)),
        note: "Each object counts once, with its last size.",
        config: sizeConfig,
        table: () => plainTable("Sizes of the objects", ["Size", ...series.map(([name]) => name)],
            classes.map((k) => [className(k), ...series.map(([, shares]) => shared(shares[k] || 0))])),
        label: "Bar chart of the sizes of the objects",
    });
}

/* ---- popularity ---- */

const tops = [0.0001, 0.001, 0.01, 0.1, 0.5];

function hasPopularity(p) {
    return p.objects.popularity && p.objects.popularity.length > 0;
}

/* Returns points of rank and number of requests, the most popular object first: one point for each end of
 * a row of the profile. */
function rankPoints(p) {
    const list = [];
    let rank = 0;
    for (const [, , objects, requests] of p.objects.popularity.slice().reverse()) {
        list.push({ x: rank + 1, y: requests / objects });
        rank += objects;
        if (objects > 1) list.push({ x: rank, y: requests / objects });
    }
    return list;
}

/* Places ticks at powers of ten, as many as fit. */
function tenTicks(scale) {
    const room = Math.max(2, Math.floor((scale.isHorizontal() ? scale.width / 64 : scale.height / 28)));
    const low = Math.ceil(Math.log10(scale.min) - 1e-9), high = Math.floor(Math.log10(scale.max) + 1e-9);
    const step = Math.max(1, Math.ceil((high - low) / room));
    scale.ticks = [];
    for (let k = low; k <= high; k += step) scale.ticks.push({ value: 10 ** k });
}

function tenAxis(title) {
    const style = axisStyle(title);
    return { ...style, type: "logarithmic", min: 1, afterBuildTicks: tenTicks,
             ticks: { ...style.ticks, callback: count } };
}

function rankConfig() {
    const options = baseOptions(), list = shownProfiles().filter(([p]) => hasPopularity(p));
    options.scales = { x: tenAxis("rank of the object"), y: tenAxis("requests of the object") };
    options.plugins.tooltip.callbacks = {
        title: (items) => items.length ? `Object ${count(items[0].parsed.x)} by popularity` : "",
        label: (item) => (several ? item.dataset.label + ": " : "") + `${count(item.parsed.y)} requests`,
    };
    return { type: "scatter", options,
             data: { datasets: list.map(([p, i]) => lineSet(profileNames[i], i, rankPoints(p))) } };
}

function topTable() {
    const list = profiles.map((p, i) => [p, i]).filter(([p]) => hasPopularity(p));
    const once = (p) => p.objects.popularity[0][0] === 1 ? p.objects.popularity[0][2] : 0;
    const objects = (p) => sum(p.objects.popularity, (row) => row[2]);
    const whole = tops.filter((share) => list.some(([p]) => share * objects(p) >= 1)); /* at least one object */
    const rows = whole.map((share) => [`The top ${100 * share}\u00a0% of the objects get`,
        ...list.map(([p]) => shareCell(topShare(p, share)))]);
    rows.push(["Objects that are requested only once", ...list.map(([p]) =>
        shareCell(once(p) / objects(p)))]);
    return plainTable("Requests of the most popular objects",
        ["", ...list.map(([, i]) => several ? profileNames[i] : "Share")], rows);
}

function rankTable() {
    const list = profiles.map((p, i) => [p, i]).filter(([p]) => hasPopularity(p));
    return el("div", {}, list.map(([p, i]) => plainTable(
        "Objects by their number of requests" + (several ? `: ${profileNames[i]}` : ""),
        ["Requests of an object", "Objects", "Requests"], p.objects.popularity.slice().reverse().map(
            ([low, high, objects, requests]) => [low === high ? exactCount(low)
                : `${exactCount(low)} \u2013 ${exactCount(high)}`, counted(objects), counted(requests)]))));
}

function rankFigure() {
    return figure({
        title: "Popularity of the objects",
        legend: several ? profileLegend(() => drawPending(true)) : null,
        note: "Objects sorted by their number of requests, the most popular first. Delete requests are not counted.",
        config: rankConfig, table: rankTable,
        label: "Line chart of the number of requests by the rank of the object",
    });
}

/* ---- live bytes over time ---- */

const timed = profiles.every((p) => p.objects.has_times);
const timeUnits = [[86400, "days"], [3600, "hours"], [60, "minutes"], [1, "seconds"], [1e-3, "milliseconds"]];

/* The unit of the chart axis of time: the largest unit that fits at least three times into the longest run. */
const timeUnit = (() => {
    const spans = profiles.filter((p) => p.objects.live).map((p) => liveSeconds(p, p.objects.live.length - 1));
    return timeUnits.find(([length]) => Math.max(0, ...spans) >= 3 * length) || timeUnits[4];
})();

/* Returns the time from the first moment to moment i, in seconds. */
function liveSeconds(p, i) {
    return (p.objects.live[i][1] - p.objects.live[0][1]) / 1e9;
}

function liveX(p, i) {
    return timed ? liveSeconds(p, i) / timeUnit[0] : p.objects.live[i][0];
}

function liveSets() {
    const line = (p, name, i, column) => lineSet(name, i,
        p.objects.live.map((row, k) => ({ x: liveX(p, k), y: row[column] })));
    const list = shownProfiles().filter(([p]) => p.objects.live);
    if (several) return list.map(([p, i]) => line(p, profileNames[i], i, 2));
    const p = profiles[0];
    return [line(p, "live bytes", 0, 2), ...(p.objects.has_lifetimes ? [line(p, "if nothing expired", 1, 3)] : [])];
}

/* Places the ticks of a linear chart axis of bytes at multiples of a power of two. */
function byteTicks(scale) {
    const step = 2 ** Math.ceil(Math.log2(Math.max(1, scale.max / 8)));
    scale.ticks = [];
    for (let y = 0; y <= scale.max; y += step) scale.ticks.push({ value: y });
}

function liveConfig() {
    const options = baseOptions(), style = axisStyle("live bytes");
    options.scales = {
        x: { ...axisStyle(timed ? timeUnit[1] : "requests"), type: "linear", min: 0,
             max: Math.max(...liveSets().flatMap((set) => set.data.map((point) => point.x))) || 1 },
        y: { ...style, type: "linear", min: 0, afterBuildTicks: byteTicks,
             ticks: { ...style.ticks, callback: bytes } },
    };
    if (!timed) options.scales.x.ticks.callback = count;
    options.plugins.tooltip.callbacks = {
        title: (items) => !items.length ? "" : timed ? `After ${items[0].parsed.x.toFixed(2)} ${timeUnit[1]}`
            : `After ${count(items[0].parsed.x)} requests`,
        label: (item) => `${item.dataset.label}: ${bytes(item.parsed.y)}`,
    };
    return { type: "scatter", options, data: { datasets: liveSets() } };
}

/* Makes a table for each profile. It has every k-th moment and the last one, so that it has at most about
 * 64 rows. */
function liveTable() {
    const list = profiles.map((p, i) => [p, i]).filter(([p]) => p.objects.live);
    return el("div", {}, list.map(([p, i]) => {
        const step = Math.ceil(p.objects.live.length / 64);
        const head = [timed ? timeUnit[1] : "", "Requests", "Live bytes", "If nothing expired"].filter((text) => text);
        return plainTable("Live bytes" + (several ? `: ${profileNames[i]}` : ""),
            p.objects.has_lifetimes ? head : head.slice(0, -1),
            p.objects.live.map((row, k) => [...(timed ? [[liveX(p, k), (x) => x.toFixed(2)]] : []), counted(row[0]),
                [row[2], bytes], ...(p.objects.has_lifetimes ? [[row[3], bytes]] : [])])
                .filter((_, k, all) => k % step === 0 || k === all.length - 1));
    }));
}

function liveFigure() {
    return figure({
        title: "Live bytes over " + (timed ? "time" : "the run"), tall: true,
        legend: several ? profileLegend(() => drawPending(true))
            : namesLegend(liveSets().map((set) => set.label)),
        note: "The run is divided into up to 512 stretches. The chart shows the largest number of bytes that an " +
            "infinite cache held in each of them. " +
            "The peak is exact. Expired and deleted objects are not live.",
        config: liveConfig, table: liveTable,
        label: "Line chart of the live bytes over time",
    });
}
