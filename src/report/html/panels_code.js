/* Makes the panels about code and data: the functions, lines, pairs and data regions that cause the
 * misses. */

function missColumns(p, total, finite) {
    const level = state.level, name = clean(levelsOf(p)[level].name);
    return [
        { key: "share", label: `Share of ${name} misses`,
          number: (row) => total ? row.misses[level] / total : 0,
          cell: (row) => shareCell(total ? row.misses[level] / total : 0) },
        { key: "misses", label: `${name} misses`, number: (row) => row.misses[level],
          cell: (row) => exactCount(row.misses[level]) },
        { key: "references", label: "References", number: (row) => row.references ?? row.count,
          cell: (row) => exactCount(row.references ?? row.count) },
        { key: "ratio", label: "Miss ratio",
          number: (row) => row.misses[level] / ((row.references ?? row.count) || 1),
          cell: (row) => percent(row.misses[level] / ((row.references ?? row.count) || 1)) },
        { ...(finite ? meanColumn(finite) : medianColumn),
          ...(p.bound ? { label: `${finite ? "Mean" : "Median"} distance below the bound` } : {}) },
    ];
}

/* The column for lines, functions and data, whose distances the profile has in log bins. */
const medianColumn = { key: "distance", label: "Median distance", number: medianBin,
    value: (row) => medianBin(row) < 0 ? "" : logBin(medianBin(row)).join(" to "),
    cell: (row) => medianBin(row) < 0 ? "\u2013" : distanceRange(...logBin(medianBin(row))) };

/* Returns the column for pairs, of whose distances the profile has only the sum. A few long distances can make
 * most of the sum. */
function meanColumn(finite) {
    const mean = (row) => meanDistance(row, finite(row));
    return { key: "distance", label: "Distance on average", number: mean,
             cell: (row) => mean(row) === null ? "\u2013" : count(mean(row)) };
}

/* ---- source text ---- */

function snippetOf(a, line) {
    return a.snippets.find((s) => s.source === line.source && line.line >= s.first &&
        line.line < s.first + s.lines.length);
}

/* Returns the text of a line: from the profile, or from the file on the page if the profile has no text for
 * the line, as for a line of own code that makes calls but has no references of its own. */
function textOf(p, line) {
    const file = line.text || !line.line ? null : fileOf(p, line.source);
    return clean(line.text || file && file.text[line.line - 1] || "").trim();
}

function snippetBox(a, line) {
    const found = snippetOf(a, line);
    const lines = found ? found.lines : line.text ? [line.text] : null;
    if (!lines) return null;
    const first = found ? found.first : line.line;
    return el("pre", { class: "source", tabindex: 0, "aria-label": `Source of ${placeOf(a, line)}` },
        el("code", {}, lines.map((text, i) => el("span",
            { class: first + i === line.line ? "line here" : "line" },
            el("span", { class: "number" }, String(first + i)), clean(text) + "\n"))));
}

function inlinedFrom(line) {
    return line.inlined_from && line.inlined_from.length
        ? el("p", { class: "note" }, "Inlined at ", line.inlined_from.map(baseName).join(", from ")) : null;
}

/* Returns the name of a data region with its size, because regions that one line allocates have the same name. */
function nameSizedData(region) {
    return nameData(region) + (region.bytes ? `, ${bytes(region.bytes)}` : "");
}

/* Lists the calls that lead to a line, if other functions of own code call it. The shares are fractions of the
 * misses whose calls are known, because the counts of library code are divided among lines of own code. */
function callsTo(p, line) {
    const paths = pathsTo(p, line, state.level), all = sum(paths, (path) => path.count), c = p.contexts;
    const place = ([f, at]) => {
        const source = p.attribution.sources.indexOf(c.functions[f].file), name = codeName(callPlace(c.functions[f], at));
        return at && fileOf(p, source) ? linkButton(name, () => openSource(p, source, at)) : name;
    };
    return paths.filter((path) => path.calls.length).slice(0, 4).map((path) => [
        `${percent(path.count / all)} of its misses: called by `, path.calls.map((call, i) => [
            i ? " \u2190 " : "", codeName(c.functions[call[0]].name), " at ", place(call)])].flat(2));
}

/* Makes the details of a line: its source, its distances, the calls that lead to it, the data that it misses on,
 * and the lines that used the blocks before. With `inFile`, the details are shown inside the source file, so they
 * do not repeat the source. */
function lineDetails(p, line, index, inFile) {
    const a = p.attribution, level = state.level;
    const by = (x, y) => y.misses[level] - x.misses[level];
    const items = callsTo(p, line);
    for (const row of a.line_data.filter((d) => d.line === index && d.misses[level]).sort(by).slice(0, 4))
        items.push([`${percent(row.misses[level] / line.misses[level])} of its misses: `, linkButton(
            nameSizedData(a.data[row.data]), () => openTable("data-regions", "regions", clean(a.data[row.data].name)))]);
    for (const row of a.pairs.filter((pair) => !pair.others && pair.reuse === index &&
        pair.misses[level]).sort(by).slice(0, 4))
        items.push([`${percent(row.misses[level] / line.misses[level])} of its misses: blocks last used by `,
            placeLink(p, a.lines[row.use])]);
    return [inFile ? null : snippetBox(a, line), inFile ? null : wholeFile(p, line.source, line.line),
        inlinedFrom(line), distanceDetails(p, line),
        items.length ? el("ul", {}, items.map((parts) => el("li", {}, parts))) : null]
        .filter((node) => node);
}

/* Makes a link to a line in the whole source file, or returns null if the page does not have the file. */
function wholeFile(p, source, line) {
    return line && fileOf(p, source) ? el("p", {}, linkButton("Show in the whole file",
        () => openSource(p, source, line))) : null;
}

function distanceDetails(p, row) {
    return el("div", {}, el("p", { class: "label" }, `Distances: ${sayPeak(p, row)}`), signature(p, row));
}

/* ---- tables ---- */

/* Shows a name in a code font. On the screen, a short name is not broken across lines, and a long name is broken
 * after a scope, if possible. */
function codeName(text) {
    const name = clean(text);
    return name.length <= 28 ? el("code", { class: "short" }, name)
        : el("code", { class: "long" }, name.split(/(?<=::)/).flatMap((part, i) => i ? [el("wbr"), part] : [part]));
}

function functionTable(p) {
    const a = p.attribution, total = totalMisses(p, state.level);
    const where = (f) => a.sources[f.source] === undefined ? clean(f.module || "")
        : baseName(a.sources[f.source]) + (f.line ? `:${f.line}` : "");
    return dataTable({
        id: "functions", caption: "Functions", rows: ownRows(p, a.functions, (f) => f.source), sort: "share",
        columns: [
            { key: "name", label: "Function", text: (f) => clean(f.name), cell: (f) => codeName(f.name) },
            { key: "where", label: "Defined in", text: where, cell: (f) => codeName(where(f)) },
            ...missColumns(p, total),
        ],
        open: (f) => hasDistances(f) ? () => [wholeFile(p, f.source, f.line), distanceDetails(p, f)]
            .filter((node) => node) : null,
    });
}

function lineTable(p) {
    const a = p.attribution, total = totalMisses(p, state.level);
    const index = new Map(a.lines.map((line, i) => [line, i]));
    const name = (line) => placeOf(a, line);
    const known = a.lines.some((line) => textOf(p, line));
    const inside = (line) => !a.functions[line.function] ? ""
        : clean(a.functions[line.function].name) + (line.library ? `, in ${clean(line.library)}` : "");
    return dataTable({
        id: "lines", caption: "Source lines", rows: ownRows(p, a.lines, (line) => line.source), sort: "share",
        columns: [
            { key: "place", label: "Line", text: name, cell: (line) => codeName(name(line)) },
            { key: "function", label: "Function", text: inside, cell: (line) => codeName(inside(line)) },
            ...(known ? [{ key: "text", label: "Source",
                text: (line) => textOf(p, line),
                cell: (line) => el("code", { class: "text" }, textOf(p, line)) }] : []),
            ...missColumns(p, total),
        ],
        open: (line) => hasDistances(line) ? () => lineDetails(p, line, index.get(line)) : null,
    });
}

function pairTable(p) {
    const a = p.attribution, total = totalMisses(p, state.level);
    const name = (pair, key) => placeOf(a, a.lines[pair[key]]);
    return dataTable({
        id: "pairs", caption: "Pairs of use and reuse", sort: "share",
        rows: ownRows(p, a.pairs, (pair) => a.lines[pair.reuse].source),
        columns: [
            { key: "use", label: "Used by", text: (pair) => name(pair, "use"),
              cell: (pair) => codeName(name(pair, "use")) },
            { key: "reuse", label: "Used again by", text: (pair) => name(pair, "reuse"),
              cell: (pair) => codeName(name(pair, "reuse")) },
            ...missColumns(p, total, (pair) => pair.count),
        ],
        open: (pair) => pair.others ? null : () => ["use", "reuse"].map((key) => a.lines[pair[key]])
            .filter((line, i, both) => line && (i === 0 || line !== both[0]))
            .map((line) => snippetBox(a, line) || el("p", { class: "note" },
                `${placeOf(a, line)}: the source is not in the profile.`)),
    });
}

function dataTableOf(p) {
    const a = p.attribution, total = totalMisses(p, state.level);
    return dataTable({
        id: "regions", caption: "Data", rows: a.data, sort: "share",
        columns: [
            { key: "name", label: "Data", text: (d) => clean(d.name), cell: (d) => codeName(d.name) },
            { key: "kind", label: "Kind", text: (d) => clean(d.kind) },
            { key: "bytes", label: "Size", number: (d) => d.bytes,
              cell: (d) => d.bytes ? bytes(d.bytes) : "\u2013" },
            ...missColumns(p, total),
            { key: "used", label: "Words used", number: (d) => d.words_used,
              cell: (d) => d.words_used === null ? "\u2013" : percent(d.words_used) },
        ],
        open: (d) => hasDistances(d) ? () => [distanceDetails(p, d),
            allocatedAt(p, d), dataUsers(p, a.data.indexOf(d))].filter((node) => node) : null,
    });
}

/* Says where a data region was allocated. Returns null if the profile does not list the line that
 * allocated it. */
function allocatedAt(p, region) {
    const line = p.attribution.lines[region.line];
    return line && !line.others ? el("p", {}, "Allocated at ", placeLink(p, line)) : null;
}

/* Lists the lines with the most misses in a data region. */
function dataUsers(p, index) {
    const a = p.attribution, level = state.level;
    const rows = a.line_data.filter((d) => d.data === index && d.misses[level])
        .sort((x, y) => y.misses[level] - x.misses[level]).slice(0, 5);
    return rows.length ? el("ul", {}, rows.map((row) => el("li", {},
        `${percent(row.misses[level] / a.data[index].misses[level])} of its misses: `,
        placeLink(p, a.lines[row.line])))) : null;
}

/* ---- panels ---- */

const codeTables = {
    lines: ["Lines", lineTable], functions: ["Functions", functionTable],
    pairs: ["Use \u2192 reuse", pairTable],
};

function countedAt(p) {
    return el("p", { class: "note" }, `These are the misses of fully associative caches: ` +
        `${joinWords(levelsOf(p).map(levelName))}. Choose the cache above.` +
        (state.own && ownFiles(p) ? " Code of libraries is hidden; shares are of the misses of the whole run." : ""));
}

/* Returns a note that replaces the tables and says what is missing, or null if the tables can be
 * made. */
function whyUncounted(p, subject) {
    if (!p.attribution)
        return missing(`This profile has no ${subject} information. To record it, run:`, attribute);
    return p.levels && p.levels.length ? null
        : missing("This profile has no misses, because no cache was named. To count them, run:",
            "reusedist analyze --attribute --caches=L1=32K --out=json -o profile.json TRACE");
}

function codePanel(refresh) {
    const p = profiles[state.profile];
    const why = whyUncounted(p, "code");
    if (why) return section("Code", why);
    return section("Code", countedAt(p),
        p.unknown_code ? el("p", { class: "note" }, clean(p.unknown_code)) : null,
        segmented("code", "By", Object.entries(codeTables).map(([key, [name]]) => [key, name]),
            state.code, (value) => {
                state.code = value;
                refresh("code");
            }),
        codeTables[state.code][1](p));
}

function dataPanel() {
    const p = profiles[state.profile];
    const why = whyUncounted(p, "data");
    if (why) return section("Data", why);
    return section("Data", countedAt(p), dataTableOf(p));
}

/* Says why the misses of two profiles at a level cannot be compared, or returns null if they can. */
function whyIncomparable(level) {
    if (profiles.some((p) => p.skipped !== 0))
        return "The misses of functions are not compared, because the recorder skipped references.";
    const [before, after] = profiles.map((p) => (p.levels || [])[level]);
    return before && after && before.bytes === after.bytes ? null
        : "The misses of functions are not compared, because the chosen cache does not have the same size in both " +
          "profiles. To compare them, analyze both runs with the same --caches.";
}

/* Makes a table with the misses of the functions of two profiles, matched by name and sorted by the
 * size of the change. */
function codeChanges() {
    const level = state.level, all = new Map(), why = whyIncomparable(level);
    if (why) return el("div", {}, el("h3", {}, "Misses by function"), el("p", { class: "note" }, why));
    profiles.forEach((p, i) => {
        for (const f of p.attribution.functions) {
            const entry = all.get(f.name) || { name: f.name, misses: [0, 0] };
            entry.misses[i] += f.misses[level];
            all.set(f.name, entry);
        }
    });
    const change = (row) => row.misses[1] - row.misses[0];
    const rows = [...all.values()].map((row) => ({ ...row, others: row.name === "(others)" }));
    return el("div", {}, el("h3", {}, `Misses by function, ${levelName(levelsOf(profiles[0])[level])}`),
        dataTable({
            id: "changes", caption: "Misses by function, before and after", rows, sort: "size",
            columns: [
                { key: "name", label: "Function", text: (row) => clean(row.name),
                  cell: (row) => codeName(row.name) },
                ...[0, 1].map((i) => ({ key: "misses" + i, label: profileNames[i],
                    number: (row) => row.misses[i], cell: (row) => exactCount(row.misses[i]) })),
                { key: "size", label: "Difference", number: (row) => Math.abs(change(row)), value: change,
                  cell: (row) => (change(row) > 0 ? "+" : change(row) < 0 ? "\u2212" : "") +
                      exactCount(Math.abs(change(row))) },
            ],
        }));
}
