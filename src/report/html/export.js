/* Makes files of charts and tables: CSV files with unrounded numbers, and pictures. The browser makes
 * them from the data of the page and hands them to the user as downloads; nothing is sent. */

/* Hands a file to the user. */
function download(name, content) {
    const address = URL.createObjectURL(content);
    el("a", { href: address, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
}

/* Returns the name of a file about `title`, such as "matmul-miss-ratio-by-cache-size.csv". */
function fileName(title, suffix) {
    const subject = document.getElementById("subject").textContent.slice(0, 40);
    const words = `${subject} ${title}`.normalize("NFKD").toLowerCase().match(/[a-z0-9_.]+/g) || ["report"];
    return words.join("-").slice(0, 120) + suffix;
}

/* Returns a field of a CSV file. Text that a spreadsheet would run as a formula gets an apostrophe
 * first, because names of a profile are untrusted. */
function csvField(value) {
    if (value === null || value === undefined) return "";
    if (typeof value === "number") return Number.isFinite(value) ? String(value) : "";
    const text = String(value).replace(/\u00a0/g, " ").replace(/^[=+\-@\t\r]/, "'$&");
    return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

function csvFile(title, rows) {
    download(fileName(title, ".csv"), new Blob(
        [rows.map((row) => row.map(csvField).join(",") + "\n").join("")], { type: "text/csv" }));
}

/* Makes a button that saves `title` as a file. `kind` is the label of the button. */
function exportButton(kind, title, save) {
    return el("button", { type: "button", class: "export", "aria-label": `${kind} file of ${title}`,
        title: `Save as a ${kind} file`, click: save }, kind);
}

/* ---- tables ---- */

/* Returns the value of a table cell: the value of its <data> element, which is not rounded, or its text. */
function cellValue(cell) {
    const exact = cell.querySelector("data");
    return exact ? Number(exact.value) : cell.textContent.trim();
}

/* Returns the rows of a table on the page, with the head first. */
function tableRows(table) {
    return [...table.rows].map((row) => [...row.cells].map(cellValue));
}

/* ---- charts ---- */

/* Returns the rows of all data sets of a chart: one row for each bar, or for each point of a line. */
function chartRows({ data: { labels, datasets }, options }) {
    const title = (axis) => options.scales[axis].title.text || axis;
    const name = (set) => set.label ?? title("y");
    if (labels)
        return [[title("x"), ...datasets.map(name)],
            ...labels.map((label, i) => [label, ...datasets.map((set) => set.data[i])])];
    return [["series", title("x"), title("y")],
        ...datasets.flatMap((set) => set.data.map((point) => [name(set), point.x, point.y]))];
}

const pictureScale = 2; /* pixels of a picture for each pixel of the page */

/* Draws the chart of a figure on a canvas of its own, which has enough pixels for paper. */
function chartCanvas(entry) {
    const { clientWidth: width, clientHeight: height } = entry.canvas, config = entry.config();
    const canvas = el("canvas", { width, height });
    Object.assign(config.options, { responsive: false, devicePixelRatio: pictureScale });
    entry.copy = new Chart(canvas, config);
    return canvas;
}

/* Draws the names of several data sets side by side, from the vertical position `y` on. Returns the vertical
 * position below them. */
function drawLegend(ctx, sets, width, y) {
    const line = 22;
    let x = 16;
    if (sets.length < 2) return y;
    for (const set of sets) {
        const room = 36 + ctx.measureText(set.label).width;
        if (x > 16 && x + room > width) [x, y] = [16, y + line];
        ctx.strokeStyle = set.borderColor || set.backgroundColor;
        ctx.lineWidth = set.showLine ? 3 : 10;
        ctx.setLineDash(set.borderDash || []);
        ctx.beginPath();
        ctx.moveTo(x, y + line / 2);
        ctx.lineTo(x + 26, y + line / 2);
        ctx.stroke();
        ctx.fillText(set.label, x + 34, y + line / 2);
        x += room + 20;
    }
    return y + line + 4;
}

/* Returns a picture: the title, the names of the data sets, and the chart, on the color of the page. */
function composePicture(title, canvas, width, sets) {
    const picture = el("canvas"), ctx = picture.getContext("2d"), height = width * canvas.height / canvas.width;
    const font = getComputedStyle(document.body).fontFamily;
    const prepare = (rows) => {
        picture.width = Math.round(pictureScale * (width + 32));
        picture.height = Math.round(pictureScale * (rows + height + 12));
        ctx.setTransform(pictureScale, 0, 0, pictureScale, 0, 0);
        ctx.fillStyle = color("surface");
        ctx.fillRect(0, 0, picture.width, picture.height);
        ctx.fillStyle = color("text");
        ctx.textBaseline = "middle";
        ctx.font = `600 16px ${font}`;
        ctx.fillText(title, 16, 22);
        ctx.font = `13px ${font}`;
        return drawLegend(ctx, sets, width, 40);
    };
    const top = prepare(prepare(0)); /* the first call measures the legend */
    ctx.drawImage(canvas, 16, top, width, height);
    return picture;
}

/* Saves a picture of a chart in the colors of the page. */
function savePicture(title, entry) {
    const drawn = entry.config ? chartCanvas(entry) : entry.canvas;
    const sets = entry.copy ? entry.copy.data.datasets.filter((set) => set.label && !set.isBand) : [];
    const picture = composePicture(title, drawn, entry.canvas.clientWidth, sets);
    if (entry.copy) entry.copy.destroy();
    entry.copy = null;
    picture.toBlob((content) => download(fileName(title, ".png"), content), "image/png");
}

/* Makes the buttons of a figure. `rows` returns the numbers of the chart; `entry` is its entry in
 * `charts`, or null if this build draws no charts. */
function figureExports(title, rows, entry) {
    return el("div", { class: "exports" }, exportButton("CSV", title, () => csvFile(title, rows())),
        entry ? exportButton("PNG", title, () => savePicture(title, entry)) : null);
}
