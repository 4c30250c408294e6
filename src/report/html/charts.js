/* The functions with which all pages draw their charts, with Chart.js.
 *
 * Every chart has its numbers in a table below it. A build without Chart.js shows only the
 * tables. */

const charts = []; /* the charts that are on the page at present */
const canDraw = typeof Chart !== "undefined";

function color(name) {
    return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

function seriesColor(i) {
    return color("series-" + (i % 6 + 1));
}

function translucent(hex, alpha) {
    const n = parseInt(hex.slice(1), 16);
    return `rgba(${n >> 16}, ${n >> 8 & 255}, ${n & 255}, ${alpha})`;
}

/* Dashes of the lines, so that lines do not differ by color alone. */
const dashes = [[], [7, 4], [2, 3], [10, 3, 2, 3], [12, 4], [4, 4]];

/* Makes a chart with a title, a legend, a note, and a table of its numbers. `config` is called
 * again when the colors change. */
function figure({ title, note, legend, config, table, tall, controls, label }) {
    const box = el("div", { class: tall ? "plot tall" : "plot" });
    const entry = canDraw ? draw(box, label || title, config) : null;
    const caption = el("figcaption", {}, el("h3", {}, title), controls || null, legend || null,
        figureExports(title, () => chartRows(config()), entry));
    const numbers = el("details", { class: "numbers", open: !canDraw },
        el("summary", {}, "The numbers"), table());
    return el("figure", {}, caption, canDraw ? box : null,
        note ? el("p", { class: "note" }, note) : null, numbers);
}

/* Puts a chart into a box and returns its entry in `charts`. */
function draw(box, label, config) {
    const canvas = el("canvas", { role: "img", "aria-label": `${label}. The numbers are below.` });
    box.replaceChildren(canvas);
    /* The size of the chart is known only when the element is on the page. */
    const chart = { canvas, config, chart: null, make: () => {
        if (chart.chart) chart.chart.destroy();
        chart.chart = new Chart(canvas, config());
    } };
    charts.push(chart);
    return chart;
}

/* Draws the charts that are on the page and not yet drawn or, with `again`, all charts on the
 * page. */
function drawPending(again) {
    for (const entry of charts)
        if (entry.canvas.isConnected && (again || !entry.chart)) entry.make();
}

function forgetCharts(panel) {
    for (let i = charts.length - 1; i >= 0; i--)
        if (panel.contains(charts[i].canvas)) {
            if (charts[i].chart) charts[i].chart.destroy();
            charts.splice(i, 1);
        }
}

/* ---- functions that all charts share ---- */

function axisStyle(title) {
    return {
        title: { display: Boolean(title), text: title, color: color("muted") },
        grid: { color: color("grid"), borderColor: color("line"), tickColor: color("line") },
        ticks: { color: color("muted"), maxRotation: 0 },
    };
}

function baseOptions() {
    if (canDraw)
        Object.assign(Chart.defaults.font, { family: getComputedStyle(document.body).fontFamily, size: 13 });
    return {
        animation: false,
        responsive: true,
        maintainAspectRatio: false,
        interaction: { mode: "nearest", axis: "x", intersect: false },
        plugins: {
            legend: { display: false },
            tooltip: {
                backgroundColor: color("tip"), titleColor: color("tip-text"),
                bodyColor: color("tip-text"), displayColors: false, padding: 10,
            },
        },
    };
}

/* Makes checkboxes that show and hide profiles. A page with a single profile has none. */
function profileLegend(refresh) {
    if (profiles.length < 2) return null;
    return el("ul", { class: "legend" }, profiles.map((p, i) => el("li", {}, el("label", {},
        el("input", { type: "checkbox", checked: !state.hidden.has(i), change: (event) => {
            if (event.target.checked) state.hidden.delete(i);
            else state.hidden.add(i);
            refresh();
        } }),
        swatch(i), el("span", {}, profileNames[i])))));
}

function swatch(i) {
    const ns = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(ns, "svg"), line = document.createElementNS(ns, "line");
    svg.setAttribute("class", `swatch series-${i % 6 + 1}`);
    svg.setAttribute("aria-hidden", "true");
    for (const [name, value] of Object.entries({ x1: 0, y1: 6, x2: 26, y2: 6,
        "stroke-dasharray": dashes[i % 6].join(" ") || "none" })) line.setAttribute(name, value);
    svg.append(line);
    return svg;
}

function shownProfiles() {
    return profiles.map((p, i) => [p, i]).filter(([p, i]) => p.measured && !state.hidden.has(i));
}

/* Places ticks at powers of two, as many as fit. */
function powerTicks(scale) {
    const room = Math.max(2, Math.floor(scale.width / 64));
    const low = Math.ceil(Math.log2(scale.min)), high = Math.floor(Math.log2(scale.max));
    const step = [1, 2, 3, 4, 5, 6, 8, 10, 20].find((s) => (high - low) / s <= room) || 20;
    const first = Math.ceil(low / step) * step;
    scale.ticks = [];
    for (let k = first; k <= high; k += step) scale.ticks.push({ value: 2 ** k });
}

/* Makes a chart axis of bins. It labels as many bins as fit, and always the last one. */
function binAxis(title, names) {
    const style = axisStyle(title);
    return { ...style, grid: { display: false }, ticks: { ...style.ticks, autoSkip: false,
        callback(_, i) {
            const longest = Math.max(...names.map((name) => name.length));
            const step = Math.ceil(names.length * (7 * longest + 14) / this.chart.width);
            const last = names.length - 1;
            return i === last || (i % step === 0 && last - i >= step) ? names[i] : "";
        } } };
}

function lineSet(label, i, list, more) {
    return { label, showLine: true, pointRadius: 0, borderWidth: 2, borderColor: seriesColor(i),
             borderJoinStyle: "round",
             borderDash: dashes[i % 6], data: list, ...more };
}

function namesLegend(names) {
    return el("ul", { class: "legend" }, names.map((name, i) =>
        el("li", {}, swatch(i), el("span", {}, name))));
}
