/* Shows the run over time: a heat map of distances by window, and the misses of each window. */

const heatMargin = { right: 12, top: 22, bottom: 44 };
const heatNarrow = 500; /* a chart that is narrower, in pixels, gets short labels */

function lastBin(rows) {
    return Math.max(0, ...rows.map((row) => row.bins.length - 1));
}

/* Returns a color between `low`, for a share of 0, and `high`, for a share of 1. The scale is not linear, so that
 * small shares can be seen as well. */
function heatColor(share, low, high) {
    const t = share > 0 ? 0.08 + 0.92 * Math.sqrt(share) : 0;
    const mix = (shift) => {
        const a = low >> shift & 255, b = high >> shift & 255;
        return Math.round(a + t * (b - a));
    };
    return `rgb(${mix(16)}, ${mix(8)}, ${mix(0)})`;
}

function heatLayout(canvas, p) {
    const rows = p.windows.rows, bins = lastBin(rows) + 1;
    const narrow = canvas.clientWidth < heatNarrow, left = narrow ? 74 : 122;
    const width = canvas.clientWidth - left - heatMargin.right;
    const height = canvas.clientHeight - heatMargin.top - heatMargin.bottom;
    return { rows, bins, lanes: bins + 1, width, height, left, narrow, cell: width / rows.length,
             lane: height / (bins + 1), x: (i) => left + i * width / rows.length,
             y: (k) => heatMargin.top + height - (k + 1) * height / (bins + 1) };
}

/* Draws row k for bin k. The row above the last bin holds the infinite distances. */
function drawCells(ctx, layout) {
    const low = parseInt(color("heat-low").slice(1), 16);
    const high = parseInt(color("heat-high").slice(1), 16);
    const share = (row, k) => (k < layout.bins ? (row.bins[k] || 0) : row.infinite) / (row.references || 1);
    let most = 0;
    for (const row of layout.rows)
        for (let k = 0; k < layout.lanes; k++) most = Math.max(most, share(row, k));
    layout.rows.forEach((row, i) => {
        for (let k = 0; k < layout.lanes; k++) {
            ctx.fillStyle = heatColor(share(row, k) / (most || 1), low, high);
            ctx.fillRect(layout.x(i), layout.y(k), layout.cell + 0.6, layout.lane + 0.6);
        }
    });
}

/* Returns the labels below the map: at the starts of windows, at most one per window, and at the
 * end of the run. */
function heatTicks(layout) {
    const n = layout.rows.length, ticks = Math.min(n, Math.max(2, Math.floor(layout.width / 130)));
    return Array.from({ length: ticks + 1 }, (_, t) => {
        const row = layout.rows[Math.min(n - 1, Math.round(t * n / ticks))], last = t === ticks;
        return { x: last ? layout.left + layout.width : layout.x(layout.rows.indexOf(row)),
                 align: t === 0 ? "left" : last ? "right" : "center",
                 label: count(last ? row.from + row.references : row.from) };
    });
}

function drawHeatAxes(ctx, p, layout) {
    ctx.font = `13px ${getComputedStyle(document.body).fontFamily}`;
    ctx.fillStyle = color("muted");
    ctx.textBaseline = "middle";
    ctx.textAlign = "right";
    const step = Math.max(1, Math.ceil(18 / layout.lane));
    for (let k = 0; k + step <= layout.bins; k += step)
        ctx.fillText(layout.narrow ? blockCount(logBin(k)[0]) : distanceRange(...logBin(k)),
            layout.left - 8, layout.y(k) + layout.lane / 2);
    const name = infiniteName([p]);
    ctx.fillText(ctx.measureText(name).width <= layout.left - 8 ? name : "infinite", layout.left - 8,
        layout.y(layout.bins) + layout.lane / 2);
    ctx.textBaseline = "top";
    for (const { x, align, label } of heatTicks(layout)) {
        ctx.textAlign = align;
        ctx.fillText(label, x, heatMargin.top + layout.height + 6);
    }
    ctx.textAlign = "center";
    ctx.fillText("references", layout.left + layout.width / 2,
        heatMargin.top + layout.height + 24);
    drawPhases(ctx, p, layout);
}

/* Draws the name of each phase, shortened or left out if it does not fit, and a line where each
 * phase except the first begins. */
function drawPhases(ctx, p, layout) {
    ctx.font = `600 12px ${getComputedStyle(document.body).fontFamily}`;
    ctx.textAlign = "left";
    ctx.fillStyle = ctx.strokeStyle = color("text");
    ctx.lineWidth = 1.25;
    const starts = p.windows.phases.map((first) => layout.x(first));
    starts.push(layout.left + layout.width + heatMargin.right);
    p.windows.phases.forEach((_, i) => {
        const room = starts[i + 1] - starts[i] - 4;
        const number = p.windows.phase_numbers[i];
        const label = [`phase ${number}`, String(number)].find((t) => ctx.measureText(t).width <= room);
        if (label) ctx.fillText(label, starts[i] + 2, 4);
        if (i === 0) return;
        ctx.setLineDash([3, 3]);
        ctx.beginPath();
        ctx.moveTo(starts[i], heatMargin.top);
        ctx.lineTo(starts[i], heatMargin.top + layout.height);
        ctx.stroke();
        ctx.setLineDash([]);
    });
}

function drawHeat(canvas, p, chosen) {
    const scale = window.devicePixelRatio || 1;
    canvas.width = Math.round(canvas.clientWidth * scale);
    canvas.height = Math.round(canvas.clientHeight * scale);
    const ctx = canvas.getContext("2d"), layout = heatLayout(canvas, p);
    ctx.setTransform(scale, 0, 0, scale, 0, 0);
    drawCells(ctx, layout);
    drawHeatAxes(ctx, p, layout);
    if (chosen === null) return;
    ctx.strokeStyle = color("mark");
    ctx.lineWidth = 2;
    ctx.strokeRect(layout.x(chosen), heatMargin.top, Math.max(2, layout.cell), layout.height);
}

/* Divides windows into at most `most` groups of neighbors. */
function groupWindows(rows, most) {
    const step = Math.ceil(rows.length / most);
    return rows.filter((_, i) => i % step === 0).map((_, g) => rows.slice(g * step, g * step + step));
}

/* Makes the heat map as a table. Neighboring windows are summed, so that there are at most 32 rows,
 * and empty bins are left out. */
function heatTable(p) {
    const rows = p.windows.rows, bins = [];
    for (let k = 0; k <= lastBin(rows); k++)
        if (rows.some((row) => (row.bins[k] || 0))) bins.push(k);
    return plainTable("Share of references by distance over time, %",
        ["From reference", ...bins.map((k) => distanceRange(...logBin(k))), infiniteName([p])],
        groupWindows(rows, 32).map((group) => {
            const all = sum(group, (row) => row.references) || 1, share = (n) => [100 * n / all, (x) => x.toFixed(1)];
            return [counted(group[0].from),
                ...bins.map((k) => share(sum(group, (row) => (row.bins[k] || 0)))),
                share(sum(group, (row) => row.infinite))];
        }));
}

/* Returns the rows of the heat map's CSV file: for each window, its references in each bin and its misses. */
function heatRows(p) {
    const rows = p.windows.rows, bins = Array.from({ length: lastBin(rows) + 1 }, (_, k) => k);
    return [["from reference", "references", ...bins.map((k) => `distance ${logBin(k)[0]}`), "infinite",
             ...levelsOf(p).map((level) => `${clean(level.name)} misses`)],
        ...rows.map((row) => [row.from, row.references, ...bins.map((k) => row.bins[k] || 0), row.infinite,
            ...levelsOf(p).map((_, k) => row.misses[k])])];
}

/* Describes a window in words. The page shows this text when the user points at the window or reaches
 * it with the arrow keys. */
function sayWindow(p, i) {
    const row = p.windows.rows[i], bins = lastBin(p.windows.rows) + 1;
    let most = 0;
    for (let k = 1; k < bins; k++)
        if ((row.bins[k] || 0) > (row.bins[most] || 0)) most = k;
    const misses = levelsOf(p).map((level, k) =>
        `${clean(level.name)} ${percent(row.references ? row.misses[k] / row.references : 0)}`).join(", ");
    return `References ${count(row.from)} to ${count(row.from + row.references)}: most frequent finite distance ` +
           `${distanceRange(...logBin(most))}; misses ${misses}.`;
}

function heatFigure(p) {
    let chosen = null;
    const words = el("p", { class: "note reading", "aria-live": "polite" },
        "Point at a window, or focus the chart and use the arrow keys.");
    const canvas = el("canvas", { class: "heat", tabindex: 0, role: "img",
        "aria-label": "Heat map of reuse distances over time. Arrow keys move from window to window.",
        keydown: (event) => {
            const last = p.windows.rows.length - 1, at = chosen === null ? -1 : chosen;
            const to = { ArrowRight: Math.min(last, at + 1), ArrowLeft: Math.max(0, at - 1),
                         Home: 0, End: last }[event.key];
            if (to === undefined) return;
            event.preventDefault();
            choose(to);
        },
        mousemove: (event) => {
            const layout = heatLayout(canvas, p);
            const i = Math.floor((event.offsetX - layout.left) / layout.cell);
            if (i >= 0 && i < p.windows.rows.length) choose(i);
        } });
    const choose = (i) => {
        chosen = i;
        words.textContent = sayWindow(p, i);
        drawHeat(canvas, p, chosen);
    };
    const entry = { canvas, chart: null, make() { drawHeat(canvas, p, chosen); } };
    charts.push(entry);
    new ResizeObserver(() => { if (canvas.clientWidth) drawHeat(canvas, p, chosen); }).observe(canvas);
    return el("figure", {},
        el("figcaption", {}, el("h3", {}, "Reuse distance over time"),
            el("span", { class: "heat-scale" }, "no references", el("span"), "most"),
            figureExports("Reuse distance over time", () => heatRows(p), entry)),
        el("div", { class: "plot heat-box" }, canvas),
        el("p", { class: "note" }, "Each column is a window of ",
            `${count(p.windows.references)} references, each row a range of distances in blocks, and the top row `,
            `has the ${infiniteName([p], true)}; a stronger color means more references. Dashed lines mark the `,
            "beginnings of phases. A phase ",
            "that recurs keeps its number."),
        words,
        el("details", { class: "numbers" }, el("summary", {}, "The numbers"), heatTable(p)));
}

/* ---- misses over time ---- */

function timeConfig(p) {
    const options = baseOptions(), rows = p.windows.rows;
    options.interaction = { mode: "index", intersect: false };
    const end = rows.length ? rows[rows.length - 1].from + rows[rows.length - 1].references : 1;
    options.scales = {
        x: { ...axisStyle("references"), type: "linear", min: 0, max: end },
        y: { ...axisStyle("misses, % of references"), min: 0 },
    };
    options.scales.x.ticks = { ...options.scales.x.ticks, callback: (x) => count(x) };
    options.plugins.tooltip.callbacks = {
        title: (items) => items.length ? `From reference ${count(items[0].parsed.x)} on` : "",
        label: (item) => `${item.dataset.label} misses ${percent(item.parsed.y / 100)}`,
    };
    return { type: "scatter", options, data: { datasets: levelsOf(p).map((level, k) => ({
        label: clean(level.name), showLine: true, stepped: "before", pointRadius: 0, borderWidth: 2,
        borderColor: seriesColor(k), borderDash: dashes[k % 6],
        data: [...rows.map((row) => ({ x: row.from, y: row.references ? 100 * row.misses[k] / row.references : 0 }))]
            .concat(rows.length ? [{ x: end, y: 100 * rows[rows.length - 1].misses[k] /
                (rows[rows.length - 1].references || 1) }] : []),
    })) } };
}

/* Makes the chart as a table. Neighboring windows are summed, so that there are at most 64 rows. */
function timeTable(p) {
    return plainTable("Miss ratio over time",
        ["From reference", ...levelsOf(p).map((level) => levelName(level))],
        groupWindows(p.windows.rows, 64).map((group) => {
            const all = sum(group, (row) => row.references) || 1;
            return [counted(group[0].from), ...group[0].misses.map((_, k) => shared(sum(group, (row) => row.misses[k]) / all))];
        }));
}

function timeFigure(p) {
    return figure({
        title: "Miss ratio over time",
        legend: el("ul", { class: "legend" }, levelsOf(p).map((level, k) =>
            el("li", {}, swatch(k), el("span", {}, levelName(level))))),
        config: () => timeConfig(p), table: () => timeTable(p),
        label: "Line chart of the miss ratio over time",
    });
}

function phaseTable(p) {
    return plainTable("Phases", ["Phase", "From reference", "Intervals", "References", "Share of the run",
        ...levelsOf(p).map((level) => `Misses of ${levelName(level)}`)],
        phasesOf(p).map((phase) => [counted(phase.number), counted(phase.from),
            counted(phase.intervals), counted(phase.references), shared(phase.references / (p.references || 1)),
            ...phase.misses.map((n) => shared(phase.references ? n / phase.references : 0))]));
}
