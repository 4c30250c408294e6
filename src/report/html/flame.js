/* Makes the panel about calls: a flame graph, drawn as an icicle with the callers on top, and a table of
 * functions with their callers and callees.
 *
 * The graph consists of HTML elements, because they support keyboard focus, names for screen readers, text
 * that ends with an ellipsis, the colors of the theme, and printing, which a canvas or a library for flame
 * graphs does not. Only frames that are wide enough to be seen are made. */

const frameRows = 60; /* maximum number of rows; the user can zoom in to see deeper calls */
const thinnest = 0.0008; /* smallest share of the width that a frame must have */
const mostFrames = 3000;
const letterWidth = 7; /* pixels of a letter in a frame, roughly */

Object.assign(state, { zoom: [], find: "" });

/* Returns the node at the top of the graph. `state.zoom` has the keys of the nodes from the root to it. */
function zoomedNode(all) {
    let node = all[0];
    for (const key of state.zoom) {
        if (!node.children.has(key)) break;
        node = node.children.get(key);
    }
    return node;
}

function pathOf(node) {
    const path = [];
    for (; node.parent; node = node.parent) path.unshift(node);
    return path;
}

/* Returns the frames to draw as {node, x, width, row}, where x and width are shares of the whole width. */
function layoutFrames(top) {
    const frames = [{ node: top, x: 0, width: 1, row: 0 }];
    for (let i = 0; i < frames.length && frames.length < mostFrames; i++) {
        const { node, x, row } = frames[i];
        let at = x;
        for (const child of row + 1 < frameRows ? node.list : []) {
            const width = child.total / top.total;
            if (width < thinnest) break;
            frames.push({ node: child, x: at, width, row: row + 1 });
            at += width;
        }
    }
    return frames;
}

/* ---- words ---- */

function sayFrame(p, node) {
    const all = callsOf(p), whole = all[0].total || 1, f = node.f === undefined ? null : p.contexts.functions[node.f];
    const where = f ? `, ${callPlace(f, 0)}` : "";
    const more = node.other ? (node.contexts ? ` (${exactCount(node.contexts)} contexts)` : "")
        : f && ownFiles(p) ? (node.own ? ", own code" : ", library") : "";
    return `${clean(node.name)}${where}${more}: ${percent(node.total / whole)} of the ${metricName(p)} ` +
        `(${exactCount(node.total)}), itself ${percent(node.self / whole)}.`;
}

/* Returns links to the lines of a frame, the line with the largest count first. */
function frameLines(p, node) {
    const f = node.f === undefined ? null : p.contexts.functions[node.f];
    const lines = [...node.lines].filter(([line, n]) => line && n).sort((x, y) => y[1] - x[1]).slice(0, 4);
    if (!f || !lines.length) return null;
    const source = p.attribution ? p.attribution.sources.indexOf(f.file) : -1;
    return el("p", { class: "note" }, "Lines: ", lines.flatMap(([line, n], i) => [i ? ", " : null,
        fileOf(p, source) ? linkButton(callPlace(f, line), () => openSource(p, source, line)) : callPlace(f, line),
        ` ${percent(n / (node.total || 1))}`]));
}

/* ---- search ---- */

/* Returns the nodes whose names contain all words of `text`, and the sum of their totals. A node below
 * another node that was found is not added to the sum again. */
function findCalls(all, text) {
    const words = text.toLowerCase().split(/\s+/).filter((word) => word), found = new Set();
    let total = 0;
    if (!words.length) return { found, total };
    for (const node of all) {
        const name = node.name.toLowerCase();
        node.inside = node.parent && (node.parent.inside || found.has(node.parent));
        if (!node.parent || !words.every((word) => name.includes(word))) continue;
        found.add(node);
        if (!node.inside) total += node.total;
    }
    return { found, total };
}

/* ---- drawing ---- */

function frameKind(node) {
    return !node.parent ? "root" : node.other ? "rest" : node.own ? "own" : "library";
}

/* Returns the text of a frame: its name, or the name without scopes if the whole name does not fit, because many
 * frames have the same scopes. "operator()" keeps the name of its class. `width` is the frame's share of the
 * graph's width. */
function frameText(node, width) {
    const name = clean(node.name), letters = width * 0.88 * window.innerWidth / letterWidth;
    const bare = name.length > letters && name.match(/(?:::|\)\.)(?!operator)(~?[\w$]+(?:<[^:]*>)?)$/);
    return bare ? bare[1] : name;
}

function drawFrames(p, box, frames, found) {
    const whole = callsOf(p)[0].total || 1;
    const rows = 1 + Math.max(...frames.map((frame) => frame.row));
    box.style.setProperty("--rows", rows);
    box.replaceChildren(...frames.map(({ node, x, width, row }, i) => {
        const kind = frameKind(node) + (width > 0.02 ? " named" : "") + (found.has(node) ? " match" : "");
        const item = el("div", { class: `frame ${kind}`, role: "treeitem", "aria-level": row + 1, tabindex: i ? -1 : 0,
            "data-frame": i, "aria-label": `${clean(node.name)}, ${percent(node.total / whole)}` },
            width > 0.02 ? frameText(node, width) : "");
        Object.assign(item.style, { left: `${100 * x}%`, width: `${100 * width}%`, top: `calc(var(--row) * ${row})` });
        return item;
    }));
}

/* Returns the index of the frame to which an arrow key moves from frame `i`, or -1 if there is none. */
function neighborFrame(frames, i, key) {
    const { node, row, x } = frames[i];
    if (key === "ArrowUp") return frames.findIndex((frame) => frame.node === node.parent);
    if (key === "ArrowDown") return frames.findIndex((frame) => frame.node.parent === node && frame.row === row + 1);
    const sign = key === "ArrowRight" ? 1 : -1;
    return frames.reduce((best, frame, k) => frame.row === row && sign * (frame.x - x) > 0 &&
        (best < 0 || sign * (frames[best].x - frame.x) > 0) ? k : best, -1);
}

/* Makes the graph. `zoom` is called to make a node the top of the graph, and `tell` to describe a node. */
function flameBox(p, frames, found, zoom, tell) {
    const tip = el("div", { class: "flame-tip", hidden: true, "aria-hidden": "true" });
    const box = el("div", { class: "flame", role: "tree", "aria-label": `Flame graph of the ${metricName(p)}. Arrow keys ` +
        "move, Enter zooms in, Escape zooms out." });
    const frameAt = (event) => event.target.closest("[data-frame]");
    const nodeAt = (item) => frames[Number(item.dataset.frame)].node;
    box.addEventListener("click", (event) => { if (frameAt(event)) zoom(nodeAt(frameAt(event))); });
    box.addEventListener("focusin", (event) => { if (frameAt(event)) tell(nodeAt(frameAt(event))); });
    box.addEventListener("mousemove", (event) => {
        const item = frameAt(event), area = tip.parentNode.getBoundingClientRect();
        tip.hidden = !item;
        if (!item) return;
        tip.textContent = sayFrame(p, nodeAt(item));
        const x = Math.min(event.clientX - area.left + 14, area.width - tip.offsetWidth - 4);
        Object.assign(tip.style, { left: `${Math.max(0, x)}px`, top: `${event.clientY - area.top + 20}px` });
    });
    box.addEventListener("mouseleave", () => { tip.hidden = true; });
    box.addEventListener("keydown", (event) => {
        const item = frameAt(event), i = item ? Number(item.dataset.frame) : -1;
        if (i < 0) return;
        if (event.key === "Enter" || event.key === " ") zoom(frames[i].node, true);
        else if (event.key === "Escape") zoom(frames[0].node.parent || frames[0].node, true);
        else if (event.key.startsWith("Arrow")) {
            const to = box.children[neighborFrame(frames, i, event.key)];
            if (to) {
                item.tabIndex = -1;
                to.tabIndex = 0;
                to.focus();
            }
        } else return;
        event.preventDefault();
    });
    drawFrames(p, box, frames, found);
    return el("div", { class: "flame-area" }, box, tip);
}

/* ---- files ---- */

/* Returns the graph as an SVG picture. */
function flameSvg(p, title, frames) {
    const ns = "http://www.w3.org/2000/svg", width = 1200, row = 20, top = 34;
    const make = (tag, attributes, text) => {
        const node = document.createElementNS(ns, tag);
        for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
        if (text !== undefined) node.textContent = text;
        return node;
    };
    const height = top + row * (1 + Math.max(...frames.map((frame) => frame.row))) + 8;
    const svg = make("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "font-family": "monospace", "font-size": 11 });
    svg.append(make("rect", { width, height, fill: color("surface") }),
        make("text", { x: 4, y: 22, "font-size": 15, fill: color("text") }, title));
    for (const frame of frames) {
        const group = make("g", {}), x = width * frame.x, w = width * frame.width, y = top + row * frame.row;
        const room = Math.floor((w - 6) / 6.7), name = clean(frame.node.name);
        group.append(make("title", {}, sayFrame(p, frame.node)), make("rect", { x, y, width: Math.max(0.2, w - 0.6),
            height: row - 1, rx: 2, fill: color(`flame-${frameKind(frame.node)}`) }));
        if (room > 2) group.append(make("text", { x: x + 3, y: y + 14, fill: color("flame-text") },
            name.length <= room ? name : name.slice(0, room - 1) + "\u2026"));
        svg.append(group);
    }
    return new Blob([new XMLSerializer().serializeToString(svg)], { type: "image/svg+xml" });
}

function callRows(p) {
    return [["call path", `${metricName(p)}, itself`, `${metricName(p)}, with calls`], ...callsOf(p).slice(1).map((node) =>
        [pathOf(node).map((each) => clean(each.name)).join(";"), node.self, node.total])];
}

/* ---- the figure ---- */

function breadcrumbs(node, zoom) {
    const path = [...pathOf(node)], shown = path.length > 7 ? [...path.slice(0, 2), null, ...path.slice(-4)] : path;
    const root = path.length ? path[0].parent : node;
    return el("nav", { class: "crumbs", "aria-label": "Zoom" }, [root, ...shown].map((each, i, list) => [i ? " \u203a " : null,
        !each ? "\u2026" : i === list.length - 1 ? el("b", {}, clean(each.name))
            : linkButton(clean(each.name), () => zoom(each))]).flat());
}

function flameFigure(p, refresh) {
    const all = callsOf(p), top = zoomedNode(all), frames = layoutFrames(top), title = `Calls by ${metricName(p)}`;
    const zoom = (node, focus) => {
        state.zoom = pathOf(node).map((each) => each.key);
        refresh();
        if (focus) document.querySelector(".flame .frame").focus();
    };
    const told = el("div", { class: "flame-told", "aria-live": "polite" });
    const tell = (node) => told.replaceChildren(el("p", {}, sayFrame(p, node)), frameLines(p, node) || "");
    const status = el("p", { class: "note", role: "status" });
    const search = (text) => {
        const { found, total } = findCalls(all, text);
        status.textContent = !text.trim() ? "" : found.size
            ? `Calls of matching functions have ${percent(total / (all[0].total || 1))} of the ${metricName(p)}` : "No function matches";
        return found;
    };
    const area = flameBox(p, frames, search(state.find), zoom, tell);
    const input = el("input", { type: "search", value: state.find, autocomplete: "off", spellcheck: "false",
        input: (event) => {
            state.find = event.target.value;
            drawFrames(p, area.firstChild, frames, search(state.find));
        } });
    tell(top);
    const deeper = frames.some((frame) => frame.row === frameRows - 1 && frame.node.list.length);
    return el("figure", {}, el("figcaption", {}, el("h3", {}, title), metricChoice("flame", p, refresh),
        el("label", { class: "filter" }, el("span", {}, "Find"), input), status,
        el("div", { class: "exports" }, exportButton("CSV", title, () => csvFile(title, callRows(p))),
            exportButton("SVG", title, () => download(fileName(title, ".svg"), flameSvg(p, title, frames))))),
        flameLegend(p), breadcrumbs(top, zoom), area, told,
        el("p", { class: "note" }, "Each frame is below its caller. The width of a frame is its share with everything that it calls. " +
            "Click a frame or press Enter to zoom in." + (deeper ? " Deeper calls appear when you zoom in." : "")),
        sayPruned(p));
}

function flameLegend(p) {
    const kinds = [...(ownFiles(p) ? [["own", "own code"]] : []), ["library", ownFiles(p) ? "libraries" : "functions"],
        ["rest", "calls that are not shown one by one"]];
    return el("ul", { class: "legend" }, kinds.map(([kind, name]) =>
        el("li", {}, el("span", { class: `swatch frame-${kind}` }), el("span", {}, name))));
}

/* Says which contexts the page does not have. */
function sayPruned(p) {
    const c = p.contexts, kept = c.nodes.length, parts = [];
    if (kept < c.all)
        parts.push(`The page has the ${exactCount(kept)} largest of ${exactCount(c.all)} calling contexts; ` +
            "\u201c(small branches)\u201d stands for the remaining ones.");
    if (c.other[1])
        parts.push(`The contexts of ${percent(c.other[1] / (p.references || 1))} of the references are unknown, or in branches that are too small for this page.`);
    return parts.length ? el("p", { class: "note" }, parts.join(" ")) : null;
}

/* ---- functions, callers and callees ---- */

/* Names the lines of a caller whose calls have the largest counts, at most three, or returns "". */
function callLines(p, caller, lines) {
    const f = p.contexts.functions[caller.f];
    const list = [...lines].filter(([line, n]) => line && n).sort((x, y) => y[1] - x[1]).map(([line]) => callPlace(f, line));
    return !f || !f.file || !list.length ? "" : ` (${list.slice(0, 3).join(", ")}${list.length > 3 ? " \u2026" : ""})`;
}

function neighborList(p, title, entries, map, whole, lines) {
    const rows = [...map].sort((x, y) => y[1] - x[1]).slice(0, 8);
    if (!rows.length) return null;
    return el("div", {}, el("p", { class: "label" }, title), el("ul", {}, rows.map(([key, n]) => {
        const other = entries.get(key);
        return el("li", {}, `${percent(n / whole)} `, other && !other.other
            ? linkButton(codeName(other.name), () => openTable("calls", "call-table", clean(other.name)))
            : other ? clean(other.name) : "the start of the program or thread",
            lines && other && !other.other && lines.has(key) ? callLines(p, other, lines.get(key)) : "");
    })));
}

function callTable(p) {
    const all = callsOf(p), entries = functionTotals(all), whole = all[0].total || 1, name = metricName(p);
    const c = p.contexts, where = (row) => row.f === undefined ? "" : callPlace(c.functions[row.f], 0);
    return dataTable({
        id: "call-table", caption: "Functions with their calls", sort: "total",
        rows: [...entries.values()].map((row) => ({ ...row, others: row.other })),
        columns: [
            { key: "name", label: "Function", text: (row) => clean(row.name), cell: (row) => codeName(row.name) },
            { key: "where", label: "File", text: where, cell: (row) => codeName(where(row)) },
            { key: "total", label: `Share of ${name}, with calls`, number: (row) => row.total / whole,
              cell: (row) => shareCell(row.total / whole) },
            { key: "self", label: `Share of ${name}, itself`, number: (row) => row.self / whole,
              cell: (row) => shareCell(row.self / whole) },
            { key: "count", label: `${name}, with calls`, number: (row) => row.total, cell: (row) => exactCount(row.total) },
            { key: "count-self", label: `${name}, itself`, number: (row) => row.self, cell: (row) => exactCount(row.self) },
        ],
        open: (row) => row.other ? null : () => [el("p", {}, el("code", {}, clean(row.name))),
            el("div", { class: "several" }, neighborList(p, "Called by", entries, row.callers, row.total || 1, row.callLines),
                neighborList(p, "Calls", entries, row.callees, row.total || 1)),
            linkButton("Find in the graph", () => {
                state.find = row.name;
                state.zoom = [];
                refreshAll();
                document.querySelector(".flame").scrollIntoView({ block: "center" });
            })],
    });
}

function callsPanel(refresh) {
    const p = profiles[state.profile];
    if (!p.contexts) return section("Calls", missing("This profile has no calling contexts. To record " +
        "them, run:", "reusedist run --attribute --report=report.html -- PROGRAM ..."));
    if (!callsOf(p)[0].total)
        return section("Calls", el("div", { class: "controls" }, metricChoice("flame", p, refresh)),
            el("p", { class: "notice" }, `There are no ${metricName(p)}.`));
    return section("Calls", flameFigure(p, refresh), callTable(p));
}
