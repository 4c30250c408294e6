/* The data of the page, and helper functions for all other files: elements, numbers with units,
 * names.
 *
 * Names, paths and source lines of a profile are untrusted. They enter the page as text nodes and
 * attributes only, never as HTML, and control characters in them are made visible. */

const data = JSON.parse(document.getElementById("data").textContent);
const profiles = data.profiles;

/* The choices of the user. Other scripts of a page add members. */
const state = { hidden: new Set() };

/* el("p", {class: "note"}, "text", child) makes an element. An attribute whose value is a function
 * becomes a listener for the event of that name. */
function el(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {}))
        if (typeof value === "function") node.addEventListener(name, value);
        else if (value !== null && value !== undefined && value !== false)
            node.setAttribute(name, value === true ? "" : value);
    node.append(...children.flat().filter((child) => child !== null && child !== undefined));
    return node;
}

/* Replaces control and direction characters, which could make a name look like another one, with a
 * visible character. */
function clean(text) {
    return String(text).replace(
        /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
        "\ufffd");
}

function section(title, ...children) {
    return el("section", {}, el("h2", {}, title), ...children);
}

function missing(what, command) {
    return el("div", { class: "empty" }, el("p", {}, what),
        command ? el("pre", {}, el("code", {}, command)) : null);
}

function tile(label, value, note) {
    return el("div", { class: "tile" }, el("dt", {}, label), el("dd", {}, el("b", {}, value),
        note ? el("span", {}, note) : null));
}

/* ---- numbers ---- */

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

function exactCount(n) {
    return grouped.format(n);
}

/* Returns the word for n things, in the singular or plural. */
function plural(n, one, many = one + "s") {
    return n === 1 ? one : many;
}

function scaled(x, unit) {
    const decimals = x === Math.floor(x) || x >= 99.95 ? 0 : x >= 9.995 ? 1 : 2;
    return x.toFixed(decimals) + (unit ? "\u00a0" + unit : "");
}

function withUnits(x, step, last, units) {
    let unit = 0;
    while (x >= last && unit + 1 < units.length) {
        x /= step;
        unit++;
    }
    return scaled(unit ? x : Math.round(x), units[unit]);
}

function count(n) {
    return n < 9999.5 ? exactCount(n) : withUnits(n, 1000, 999.5, ["", "k", "M", "G", "T", "P", "E"]);
}

function bytes(n) {
    return withUnits(n, 1024, 1023.5, ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]);
}

function blockCount(n) {
    return withUnits(n, 1024, 1023.5, ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"]);
}

/* Formats a fraction as a percentage, like rdi_format_share() in the terminal. Only the exact values 0 and 1
 * become 0 % and 100 %. */
function percent(share) {
    const x = 100 * share, size = Math.abs(x);
    if (x === 0 || x === 100) return x + "\u00a0%";
    if (size < 0.005) return "<0.01\u00a0%";
    if (x > 99.995 && x < 100) return ">99.99\u00a0%";
    return x.toFixed(size < 0.995 || x > 99.94 ? 2 : 1) + "\u00a0%";
}

/* Formats a difference of two fractions in percentage points. */
function points(difference) {
    const x = 100 * difference, digits = Math.abs(x) < 0.995 ? 2 : 1;
    const text = Math.abs(x).toFixed(digits);
    return (Number(text) === 0 ? "\u00b1" : x < 0 ? "\u2212" : "+") + text;
}

function seconds(s) {
    return s < 0.001 ? "under a millisecond" : s < 1 ? (1000 * s).toFixed(0) + "\u00a0ms"
         : s < 120 ? s.toFixed(s < 10 ? 1 : 0) + "\u00a0s" : (s / 60).toFixed(0) + "\u00a0min";
}

/* ---- names ---- */

function joinWords(parts, and = " and ") {
    return parts.length < 2 ? parts.join("")
         : parts.slice(0, -1).join(", ") + and + parts[parts.length - 1];
}

function baseName(path) {
    return clean(String(path).replace(/\/+$/, "").replace(/^.*\//, "") || path);
}

/* The base names of the profiles without ".json", or the given names where base names are equal. */
const profileNames = (() => {
    const short = profiles.map((p) => baseName(p.name).replace(/(.)\.json$/, "$1"));
    return short.map((name, i) =>
        short.indexOf(name) === short.lastIndexOf(name) ? name : clean(profiles[i].name));
})();

function sum(list, value) {
    return list.reduce((total, item) => total + value(item), 0);
}

