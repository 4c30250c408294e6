/* Makes the panel with whole source files, in which each line shows its share of the references or
 * misses, and the links from tables to this panel.
 *
 * A profile has `files`: the source files with the most misses, each with the counts of its lines
 * [line, references, misses of each cache ...] and its text, or a reason why the text is missing. A file that has
 * changed has a reason and the lines that the profile keeps; its unknown lines are null. */

Object.assign(state, { metric: "misses", file: null, from: null });

const nearHot = 4; /* number of lines to print before a hot line, and after it */

/* ---- the chosen count ---- */

/* Returns the name of the chosen count: the misses of the chosen cache, or references. */
function metricName(p) {
    return state.metric === "references" ? "references" : `${clean(levelsOf(p)[state.level].name)} misses`;
}

/* Makes radio buttons that choose between misses and references. `name` names the group. */
function metricChoice(name, p, refresh) {
    return segmented(name, "By", [["misses", `${clean(levelsOf(p)[state.level].name)} misses`],
        ["references", "references"]], state.metric, (value) => {
        state.metric = value;
        refresh(name);
    });
}

/* Returns the index of the chosen count in a row of `counts` of a file. */
function metricColumn() {
    return state.metric === "references" ? 1 : 2 + state.level;
}

function metricTotal(p) {
    return state.metric === "references" ? sum(p.attribution.functions, (f) => f.references)
                                         : totalMisses(p, state.level);
}

/* Returns the file of the profile with this source, if the page has its text, or undefined. */
function fileOf(p, source) {
    return (p.files || []).find((file) => file.source === source && file.text);
}

/* ---- links ---- */

/* Makes a button that looks like a link. */
function linkButton(content, click) {
    return el("button", { type: "button", class: "link", click }, content);
}

/* Shows `line` of the source file number `source` in its panel, and marks the line for a moment. */
function openSource(p, source, line) {
    state.file = source;
    leaveFor("source");
    const row = document.querySelector(`.source-file [data-line="${line}"]`);
    if (!row) return;
    row.scrollIntoView({ block: "center" });
    (row.querySelector("button") || row).focus({ preventScroll: true });
    row.classList.add("found");
    setTimeout(() => row.classList.remove("found"), 2500);
}

/* Shows the rows of a table that match `filter`. `table` is the id of the table. */
function openTable(panel, table, filter) {
    tableState[table] = { ...tableState[table], sort: "share", down: true, filter, limit: pageRows };
    if (panel === "code") state.code = table;
    leaveFor(panel);
    const input = document.querySelector(`#${table} input[type=search]`);
    if (input) input.focus();
}

/* Returns the name of a line, such as "file.c:12", as a link if the page has the text of the file. */
function placeLink(p, line) {
    const a = p.attribution, name = codeName(placeOf(a, line));
    return line && !line.others && line.line && fileOf(p, line.source)
        ? linkButton(name, () => openSource(p, line.source, line.line)) : name;
}

/* ---- one file ---- */

/* Returns the details of a line, for each function that has it. */
function countedDetails(p, source, number) {
    const a = p.attribution, nodes = [];
    a.lines.forEach((line, i) => {
        if (line.source !== source || line.line !== number || line.others) return;
        const f = a.functions[line.function];
        nodes.push(el("div", {}, el("p", { class: "label" }, f ? clean(f.name) : "(unknown function)"),
            hasDistances(line) ? lineDetails(p, line, i, true) : null,
            linkButton("Show in the table of lines", () =>
                openTable("code", "lines", placeOf(a, line)))));
    });
    return nodes.length ? nodes : [el("p", { class: "note" }, "The page has no details of this line.")];
}

/* Makes the row of a line. `count` is the chosen count of the line, or undefined if it has none. */
function sourceRow(p, file, number, text, count, total, hot) {
    const share = count && total ? count / total : 0;
    const gutter = el("span", { class: "weight" }, count ? percent(share) : "");
    if (count) gutter.style.setProperty("--share", `${(100 * share).toFixed(2)}%`);
    const label = hot ? el("button", { type: "button", class: "number", "aria-expanded": "false",
        "aria-label": `Line ${number}, ${percent(share)} of the ${metricName(p)}` }, String(number))
        : el("span", { class: "number" }, String(number));
    const row = el("div", { class: hot ? "line hot" : count ? "line counted" : "line", "data-line": number,
        tabindex: -1 }, label, gutter, el("code", {}, clean(text) || " "));
    if (hot)
        label.addEventListener("click", () => {
            const open = row.nextSibling && row.nextSibling.className === "line-details" ? row.nextSibling : null;
            label.setAttribute("aria-expanded", String(!open));
            if (open) open.remove();
            else row.after(el("div", { class: "line-details" }, countedDetails(p, file.source, number)));
        });
    return row;
}

/* Returns the numbers of the hot lines, at most 500: the lines with at least 0.5 % of the total, and the
 * three lines with the largest counts. */
function hotLines(file, total) {
    const column = metricColumn();
    const rows = file.counts.filter((row) => row[column] > 0).sort((x, y) => y[column] - x[column]);
    return rows.filter((row, i) => i < 3 || row[column] >= total / 200).slice(0, 500).map((row) => row[0]);
}

/* Moves the focus to the next hot line (step 1) or the previous one (step -1). */
function stepHot(step) {
    const buttons = [...document.querySelectorAll(".source-file button.number")];
    const from = document.activeElement.closest(".source-file") ? document.activeElement.closest("[data-line]") : null;
    let at = from ? buttons.findIndex((button) => Number(button.parentNode.dataset.line) >= Number(from.dataset.line)) : -1;
    if (at < 0 && step < 0) at = 0;
    const button = buttons[(at + step + buttons.length) % buttons.length];
    if (!button) return;
    button.parentNode.scrollIntoView({ block: "center" });
    button.focus({ preventScroll: true });
}

function sourceText(p, file) {
    const column = metricColumn(), total = metricTotal(p), hot = new Set(hotLines(file, total));
    const counts = new Map(file.counts.map((row) => [row[0], row[column]]));
    const near = new Set([...hot].flatMap((n) => Array.from({ length: 2 * nearHot + 1 }, (_, i) => n - nearHot + i)));
    const rows = file.text.map((text, i) => text === null ? null /* unknown */
        : sourceRow(p, file, i + 1, text, counts.get(i + 1), total, hot.has(i + 1)));
    rows.forEach((row, i) => row && row.classList.toggle("far", !near.has(i + 1)));
    const hottest = rows[hotLines(file, total)[0] - 1];
    const node = el("div", { class: "source-file", tabindex: 0, role: "region",
        "aria-label": `Source of ${baseName(p.attribution.sources[file.source])}. Keys n and p move between hot lines.`,
        keydown: (event) => {
            const step = { n: 1, p: -1 }[event.key];
            if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
            event.preventDefault();
            stepHot(step);
        } }, rows);
    requestAnimationFrame(() => { /* the element is on the page now */
        if (hottest && node.scrollTop === 0) node.scrollTop = hottest.offsetTop - node.clientHeight / 3;
    });
    return node;
}

/* ---- the panel ---- */

const missingText = {
    changed: "The file has changed since the run was analyzed. The page shows only the lines that the profile keeps. To " +
        "see the whole file, make the page before you edit it, or put the old file back.",
    unknown: "The source was not found when the run was analyzed, so the page cannot tell whether the file that " +
        "has this path now is the same.",
    missing: "The file could not be read when the page was made, its name does not have the suffix of a source " +
        "file, it is not text, or it has more than 512\u00a0KiB.",
    large: "The page has no room for this file.",
};

/* Returns the share of the chosen count that a file has. */
function fileShare(p, source) {
    const total = metricTotal(p);
    return total ? sum(p.attribution.lines.filter((line) => line.source === source), (line) =>
        state.metric === "references" ? line.references : line.misses[state.level]) / total : 0;
}

function fileChoice(p, files, refresh) {
    const a = p.attribution;
    return el("label", { class: "select" }, el("span", {}, "File"),
        el("select", { id: "file-choice", change: (event) => {
            state.file = Number(event.target.value);
            refresh();
            document.getElementById("file-choice").focus();
        } }, files.map((file) => el("option", { value: file.source, selected: file.source === state.file },
            `${baseName(a.sources[file.source])}: ${percent(file.share)}` + (file.reason === "changed" ? " (changed)" : file.text ? "" : " (no text)")))));
}

function saveSource(p, file) {
    const counts = new Map(file.counts.map((row) => [row[0], row.slice(1)])), none = file.counts[0].slice(1).fill(0);
    csvFile(baseName(p.attribution.sources[file.source]), [["line", "references",
        ...levelsOf(p).map((level) => `${clean(level.name)} misses`), "source"],
        ...file.text.map((text, i) => [i + 1, ...(counts.get(i + 1) || none), clean(text ?? "")])]);
}

function fileBody(p, file) {
    const a = p.attribution;
    if (!file.text)
        return el("p", { class: "notice" }, missingText[file.reason]);
    return el("div", { class: "data-table" },
        file.reason ? el("p", { class: "notice" }, missingText[file.reason]) : null,
        el("div", { class: "table-tools" },
            el("p", { class: "note" }, `Bars: share of all ${metricName(p)} of the run.`),
            linkButton("Previous hot line (p)", () => stepHot(-1)), linkButton("Next hot line (n)", () => stepHot(1)),
            el("div", { class: "exports" }, exportButton("CSV", `the lines of ${baseName(a.sources[file.source])}`,
                () => saveSource(p, file)))),
        sourceText(p, file));
}

function sourcePanel(refresh) {
    const p = profiles[state.profile], why = whyUncounted(p, "code");
    if (why) return section("Source", why);
    if (!p.files) return section("Source", missing("This page was made without the text of source files."));
    const files = ownRows(p, p.files, (file) => file.source).map((file) =>
        ({ ...file, share: fileShare(p, file.source) })).sort((x, y) => y.share - x.share);
    if (!files.length)
        return section("Source", missing("The source files are unknown. To record them, compile the program with -g."));
    const file = files.find((each) => each.source === state.file) || files.find((each) => each.text) || files[0];
    state.file = file.source;
    return section("Source",
        el("div", { class: "controls" }, state.from ? linkButton(`\u2190 Back to ${state.from.name}`, goBack) : null,
            fileChoice(p, files, refresh), metricChoice("heat", p, refresh)),
        el("p", { class: "note path" }, clean(p.attribution.sources[file.source])),
        fileBody(p, file));
}
