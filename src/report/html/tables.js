/* Makes tables: plain tables, and tables whose rows can be sorted, filtered and opened. */

/* These functions return the content of a table cell with a number, or with a fraction. */
const counted = (n) => [n, exactCount];
const shared = (share) => [share, percent];

/* Returns the content of a table cell. [value, format] shows format(value), and keeps the value for
 * the CSV file of the table. */
function cellContent(cell) {
    return Array.isArray(cell) ? el("data", { value: cell[0] }, cell[1](cell[0])) : cell;
}

/* Makes a table whose first column is left-aligned and whose other columns are right-aligned. With
 * `headed`, the caption is hidden, because a heading says the same. */
function plainTable(caption, head, rows, headed) {
    const table = el("table", { class: "plain" },
        el("caption", { class: headed ? "hidden" : null }, caption),
        el("thead", {}, el("tr", {}, head.map((text) => el("th", { scope: "col" }, text)))),
        el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell, i) =>
            i === 0 ? el("th", { scope: "row" }, cellContent(cell)) : el("td", {}, cellContent(cell)))))));
    return el("div", { class: "table-box" },
        el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption }, table),
        el("div", { class: "exports" },
            exportButton("CSV", caption, () => csvFile(caption, tableRows(table)))));
}

/* Makes radio buttons that look like one control. */
function segmented(name, legend, choices, chosen, change) {
    return el("fieldset", { class: "segmented" }, el("legend", {}, legend),
        choices.map(([value, label]) => el("label", {},
            el("input", { type: "radio", name, value, checked: value === chosen,
                          change: () => change(value) }),
            el("span", {}, label))));
}

const pageRows = 25; /* number of rows that are shown at first; each click on "Show more" adds
                        four times as many */

/* The sorting, the filter and the number of visible rows of each table, which are kept while the page
 * is open. */
const tableState = {};

/* Makes a table that can be sorted and filtered. A column is {key, label, text(row) or number(row),
 * cell(row)}: `text` is the value for filtering and sorting as words, `number` is the value for
 * sorting as a number, and `cell` makes the content that is shown. A column may also have `value`, which
 * returns the value in the CSV file. A row can be opened if `open(row)` returns a function, which makes
 * the details. */
function dataTable({ id, caption, columns, rows, sort, open }) {
    const kept = tableState[id] || (tableState[id] = { sort, down: true, filter: "", limit: pageRows });
    if (!columns.some((column) => column.key === kept.sort)) kept.sort = sort;
    const body = el("tbody"), status = el("p", { class: "note", role: "status" });
    const more = el("button", { type: "button", class: "more", click: () => {
        kept.limit += 4 * pageRows;
        fill();
    } }, "Show more");
    const heads = columns.map((column) => el("th", { scope: "col", class: column.number ? "num" : null },
        el("button", { type: "button", click: () => {
            if (kept.sort === column.key) kept.down = !kept.down;
            else Object.assign(kept, { sort: column.key, down: Boolean(column.number) });
            fill();
        } }, column.label, el("span", { class: "arrow", "aria-hidden": "true" }))));

    function matching() {
        const words = kept.filter.toLowerCase().split(/\s+/).filter((word) => word);
        return rows.filter((row) => {
            const text = columns.map((c) => c.text ? c.text(row) : "").join("\n").toLowerCase();
            return words.every((word) => text.includes(word));
        });
    }

    function ordered(list) {
        const column = columns.find((c) => c.key === kept.sort), sign = kept.down ? -1 : 1;
        const value = column.number || column.text;
        return list.slice().sort((a, b) => {
            if (Boolean(a.others) !== Boolean(b.others)) return a.others ? 1 : -1;
            const x = value(a), y = value(b);
            return sign * (column.number ? (x === null ? -1 : x) - (y === null ? -1 : y)
                                         : x < y ? -1 : x > y ? 1 : 0);
        });
    }

    function fill() {
        const list = ordered(matching());
        body.replaceChildren(...list.slice(0, kept.limit).flatMap((row) => tableRow(row, columns, open)));
        status.textContent = list.length === rows.length
            ? `${exactCount(Math.min(kept.limit, rows.length))} of ${exactCount(rows.length)} shown`
            : `${exactCount(list.length)} of ${exactCount(rows.length)} match`;
        more.hidden = list.length <= kept.limit;
        columns.forEach((column, i) => {
            const chosen = column.key === kept.sort;
            if (chosen) heads[i].setAttribute("aria-sort", kept.down ? "descending" : "ascending");
            else heads[i].removeAttribute("aria-sort");
        });
    }

    /* Saves all rows that match the filter, in their order. */
    function saveRows() {
        csvFile(caption, [columns.map((column) => column.label), ...ordered(matching()).map((row) =>
            columns.map((column) => (column.value || column.number || column.text)(row)))]);
    }

    fill();
    const filter = el("input", { type: "search", value: kept.filter, autocomplete: "off",
        spellcheck: "false", input: (event) => {
            kept.filter = event.target.value;
            kept.limit = pageRows;
            fill();
        } });
    return el("div", { class: "data-table", id },
        el("div", { class: "table-tools" }, el("label", { class: "filter" }, el("span", {}, "Filter"),
            filter), status, el("div", { class: "exports" }, exportButton("CSV", caption, saveRows))),
        el("div", { class: "scroll" }, el("table", { class: "sorted" },
            el("caption", { class: "hidden" }, caption),
            el("thead", {}, el("tr", {}, heads)), body)),
        more);
}

/* Makes a row of a table and, if it can be opened, a hidden row for its details. */
function tableRow(row, columns, open) {
    const details = open && open(row);
    const cells = columns.map((column, i) => {
        const content = column.cell ? column.cell(row) : column.text(row);
        const attributes = { class: column.number ? "num" : null, "data-label": column.label };
        if (i > 0) return el("td", attributes, content);
        return el("th", { ...attributes, scope: "row" }, details ? opener(content) : content);
    });
    const tr = el("tr", { class: row.others ? "others" : null }, cells);
    if (!details) return [tr];
    const wide = el("tr", { class: "details", hidden: true }, el("td", { colspan: columns.length }));
    tr.querySelector("button.open").addEventListener("click", (event) => {
        const button = event.currentTarget, now = wide.hidden;
        if (now && !wide.firstChild.hasChildNodes()) wide.firstChild.append(...details());
        wide.hidden = !now;
        button.setAttribute("aria-expanded", String(now));
    });
    return [tr, wide];
}

function opener(content) {
    return el("button", { type: "button", class: "open", "aria-expanded": "false" }, content);
}

/* Shows a fraction as a percentage with a bar under it. */
function shareCell(share) {
    const bar = el("span", { class: "share-bar", "aria-hidden": "true" }, el("span"));
    bar.firstChild.style.width = `${100 * Math.max(0, Math.min(1, share))}%`;
    return el("span", { class: "share" }, el("data", { value: share }, percent(share)), bar);
}
