/* The frame of all pages: light or dark colors, the names at the top, the foot, and printing. */

const prefersDark = matchMedia("(prefers-color-scheme: dark)");
let theme = "auto";

function applyTheme() {
    const dark = theme === "auto" ? prefersDark.matches : theme === "dark";
    document.documentElement.dataset.theme = dark ? "dark" : "light";
}

function makeTheme() {
    const redraw = () => {
        applyTheme();
        drawPending(true);
    };
    document.getElementById("theme").addEventListener("change", (event) => {
        theme = event.target.value;
        redraw();
    });
    prefersDark.addEventListener("change", redraw);
    applyTheme();
}

/* Returns sentences about the settings that differ between two profiles. */
function sayUnlike() {
    const said = data.unlike.map((setting) => `The profiles have different ${setting}.`);
    return said.length ? [...said, "Their numbers do not mean the same."] : said;
}

/* Writes the heading and the footer of the page. `names` are the names of the profiles or of the log, and
 * `what` is the end of the page's title. */
function fillFrame(names, what) {
    document.title = `${names} \u2013 ${what}`;
    document.getElementById("subject").textContent = names;
    document.getElementById("foot").textContent =
        `Made by ${clean(data.tool)}. This file needs no network and sends no data.` +
        (canDraw ? "" : " This build of reusedist has no chart library, so the numbers are in tables.");
    makeTheme();
}

/* Makes the browser print the page in light colors, as wide as the paper. `before` is called before printing, and
 * `after` afterwards. */
function preparePrint(before, after) {
    for (const [event, printing, change] of [["beforeprint", true, before], ["afterprint", false, after]])
        window.addEventListener(event, () => {
            document.documentElement.classList.toggle("printing", printing);
            change();
            drawPending(true);
        });
}

/* ---- how a profile was measured ---- */

function factList(title, rows) {
    return el("div", { class: "method" }, el("h3", {}, title),
        el("dl", {}, rows.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))));
}

/* Returns the rows about the traces of a profile. `unit` names what a trace consists of. */
function sourceRows(p, unit) {
    return p.sources.map((source) => ["Trace", `${clean(source.path || "(unnamed)")}` +
        (source.format ? `, ${clean(source.format)}` : "") +
        (source.bytes ? `, ${bytes(source.bytes)}` : "") + `, ${exactCount(source.references)} ${unit}`]);
}

function licenses() {
    return canDraw ? el("details", { class: "numbers" }, el("summary", {}, "Licenses"),
        el("pre", {}, document.getElementById("licenses").textContent.trim())) : null;
}
