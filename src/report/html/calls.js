/* Prepares the calling contexts of a profile: the tree of calls for the chosen count, and the totals,
 * callers and callees of each function.
 *
 * A profile has `contexts`: functions {name, file, module, own}, frames [function, line, inlined],
 * nodes [parent, frame, references, misses ...] with exclusive counts, parents first, `rests` [node,
 * number of nodes, references, misses ...] of small branches that the page does not have, and `other`
 * [number of contexts, references, misses ...] of the references without a node in the tree. */

state.own = false;

/* ---- own code ---- */

/* Returns the paths of the source files that are the user's own code, or null if that is unknown. */
function ownFiles(p) {
    if (p.ownFiles !== undefined) return p.ownFiles;
    const named = p.attribution && p.attribution.own || [];
    const files = named.length ? named : p.contexts ? p.contexts.functions.filter((f) => f.own && f.file).map((f) => f.file) : [];
    p.ownFiles = files.length ? new Set(files) : null;
    return p.ownFiles;
}

function isOwnSource(p, source) {
    return Boolean(ownFiles(p)) && ownFiles(p).has(p.attribution.sources[source]);
}

/* Returns the rows of the user's own code if the user has chosen "Own code only", else all rows.
 * `source` returns the source file of a row. The row "(others)" always stays. */
function ownRows(p, rows, source) {
    return state.own && ownFiles(p) ? rows.filter((row) => row.others || isOwnSource(p, source(row))) : rows;
}

/* Makes the checkbox "Own code only", which all panels share, or returns null if the profile does not distinguish
 * own code from libraries. */
function ownSwitch(p) {
    if (!ownFiles(p)) return null;
    return el("label", { class: "check" }, el("input", { type: "checkbox", name: "own", checked: state.own,
        change: (event) => {
            state.own = event.target.checked;
            refreshAll();
        } }), el("span", {}, "Own code only"));
}

/* ---- names ---- */

function callPlace(f, line) {
    return f.file ? baseName(f.file) + (line ? `:${line}` : "") : baseName(f.module || "(unknown file)");
}

/* ---- the tree ---- */

function newCall(all, parent, key, more) {
    const node = { parent, key, self: 0, total: 0, depth: parent ? parent.depth + 1 : 0, children: new Map(),
                   lines: new Map(), callLines: new Map(), ...more };
    if (parent) parent.children.set(key, node);
    all.push(node);
    return node;
}

/* Returns the total of each node of the page's tree: its own count and the counts of all its descendants. */
function inclusiveCounts(c, column) {
    const totals = c.nodes.map((node) => node[column]);
    for (const rest of c.rests) totals[rest[0]] += rest[column];
    for (let i = c.nodes.length - 1; i >= 0; i--)
        if (c.nodes[i][0] !== null) totals[c.nodes[i][0]] += totals[i];
    return totals;
}

/* Adds calls that the page does not show one by one to the node `name` below `parent`, and makes this node if
 * there is none. `contexts` is the number of their calling contexts, and `count` is their total count. */
function addRest(all, parent, contexts, count, name) {
    const node = parent.children.get(name) || newCall(all, parent, name, { name, contexts: 0, other: true });
    node.self += count;
    node.contexts += contexts;
    return node;
}

/* Returns whether a function of the profile stands for contexts beyond the limits of the recorder and the
 * analysis. It has no file and no module. */
function standsForOthers(f) {
    return f.name === "(others)" && !f.file && !f.module;
}

/* Makes the tree for the chosen count: calls of the same function from the same caller are one node,
 * whatever their lines are. With "Own code only", the counts of a library function belong to its caller.
 * Returns the nodes, parents first; the first one is the whole run. */
function makeCalls(p) {
    const c = p.contexts, column = metricColumn() + 1, all = [], at = [], lineAt = [];
    const root = newCall(all, null, "", { name: "the whole run" }), totals = inclusiveCounts(c, column);
    c.nodes.forEach((row, i) => {
        const [f, line, inlined] = c.frames[row[1]], parent = row[0] === null ? root : at[row[0]];
        if (state.own && !c.functions[f].own) {
            at[i] = parent;
            lineAt[i] = row[0] === null ? 0 : lineAt[row[0]];
            parent.self += row[column];
            return;
        }
        if (standsForOthers(c.functions[f])) {
            at[i] = addRest(all, parent, 0, row[column], "(others)");
            return;
        }
        const node = at[i] = parent.children.get(f) ||
            newCall(all, parent, f, { f, name: c.functions[f].name, own: c.functions[f].own, inlined });
        node.self += row[column];
        addTo(node.lines, lineAt[i] = line, totals[i]);
        addTo(node.callLines, row[0] === null ? 0 : lineAt[row[0]], totals[i]);
    });
    for (const rest of c.rests) {
        if (state.own) at[rest[0]].self += rest[column];
        else addRest(all, at[rest[0]], rest[1], rest[column], "(small branches)");
    }
    if (c.other[column - 1]) addRest(all, root, c.other[0], c.other[column - 1], "(unknown calls)");
    for (let i = all.length - 1; i >= 0; i--) {
        all[i].total += all[i].self;
        if (all[i].parent) all[i].parent.total += all[i].total;
        all[i].list = [...all[i].children.values()].filter((node) => node.total).sort((x, y) => y.total - x.total);
    }
    return all;
}

let callsMade = { key: "", all: [] };

function callsOf(p) {
    const key = [state.profile, state.own, state.metric, state.level].join();
    if (callsMade.key !== key) callsMade = { key, all: makeCalls(p) };
    return callsMade.all;
}

/* ---- functions ---- */

/* Adds `n` to the entry of `key`. */
function addTo(map, key, n) {
    map.set(key, (map.get(key) || 0) + n);
}

/* Adds the counts of a node to `to`, which maps each caller to a map from calling lines to counts. */
function addCallLines(to, node) {
    if (!to.has(node.parent.key)) to.set(node.parent.key, new Map());
    for (const [line, n] of node.callLines) addTo(to.get(node.parent.key), line, n);
}

/* Returns the functions with their own counts, their totals, callers and callees. Recursive calls, direct or
 * through other functions, are counted once in the total of a function. */
function functionTotals(all) {
    const entries = new Map(), active = new Map();
    const entry = (node) => {
        if (!entries.has(node.key))
            entries.set(node.key, { key: node.key, f: node.f, name: node.name, own: node.own, other: node.other,
                self: 0, total: 0, callers: new Map(), callees: new Map(), callLines: new Map() });
        return entries.get(node.key);
    };
    const stack = [[all[0], false]];
    while (stack.length) {
        const [node, done] = stack.pop(), edge = node.parent && `${node.parent.key}>${node.key}`;
        if (done) {
            for (const key of [node.key, edge]) active.set(key, active.get(key) - 1);
            continue;
        }
        if (node.parent) {
            const e = entry(node), caller = node.parent.parent ? entry(node.parent) : null;
            e.self += node.self;
            if (!active.get(node.key)) {
                e.total += node.total;
                addTo(e.callers, node.parent.key, node.total);
                addCallLines(e.callLines, node);
            }
            if (caller && !active.get(edge)) addTo(caller.callees, node.key, node.total);
            for (const key of [node.key, edge]) addTo(active, key, 1);
            stack.push([node, true]);
        }
        for (const child of node.list) stack.push([child, false]);
    }
    return entries;
}

/* ---- lines ---- */

const namedCallers = 6; /* maximum number of calls in a path */

/* Returns the frame of own code of each node as [function, line, caller]: its own frame or, if that is library
 * code, the frame of its nearest ancestor in own code, or null if it has none. */
function ownFrames(c) {
    const own = [];
    c.nodes.forEach((row, i) => {
        const [f, line] = c.frames[row[1]], caller = row[0] === null ? null : own[row[0]];
        own[i] = c.functions[f].own ? [f, line, caller] : caller;
    });
    return own;
}

/* Returns the paths of calls in own code that lead to a line, as {count, calls: [[function, line] ...]} with the
 * innermost call first. The path with the most misses comes first. Paths that differ in library code only are
 * one path. */
function pathsTo(p, line, level) {
    const c = p.contexts, column = 3 + level, paths = new Map();
    if (!c || !line.line || !p.attribution.functions[line.function]) return [];
    const own = ownFrames(c), file = p.attribution.sources[line.source];
    const name = p.attribution.functions[line.function].name;
    for (const [i, n] of [...c.nodes.map((row, i) => [i, row[column]]), ...c.rests.map((rest) => [rest[0], rest[column]])]) {
        if (!n || !own[i] || own[i][1] !== line.line) continue;
        const f = c.functions[own[i][0]], calls = [];
        if (f.file !== file || f.name !== name) continue;
        for (let at = own[i][2]; at && calls.length < namedCallers; at = at[2]) calls.push(at.slice(0, 2));
        const key = calls.map(([g, l]) => `${c.functions[g].name} ${c.functions[g].file} ${l}`).join("\n");
        if (!paths.has(key)) paths.set(key, { count: 0, calls });
        paths.get(key).count += n;
    }
    return [...paths.values()].sort((x, y) => y.count - x.count);
}
