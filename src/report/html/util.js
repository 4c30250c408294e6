/* The data of the page, and helper functions for all other files: elements, numbers with units,
 * names.
 *
 * Names, paths and source lines of a profile are untrusted. They enter the page as text nodes and
 * attributes only, never as HTML, and control characters in them are made visible. */

const data = JSON.parse(document.getElementById("data").textContent);
const profiles = data.profiles;

/* The choices of the user. */
const state = { level: 0, profile: 0, hidden: new Set(), bins: "log", code: "lines" };

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

/* Replaces control and direction characters, which could make a name look like another one, by a
 * visible character. */
function clean(text) {
    return String(text).replace(
        /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
        "\ufffd");
}

/* ---- numbers ---- */

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

function exactCount(n) {
    return grouped.format(n);
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

/* Formats a fraction as a percentage. Only the exact values 0 and 1 become 0 % and 100 %. */
function percent(share) {
    const x = 100 * share;
    if (x === 0 || x === 100) return x + "\u00a0%";
    if (Math.abs(x) < 0.01) return "<0.01\u00a0%";
    if (x > 99.99 && x < 100) return ">99.99\u00a0%";
    return x.toFixed(Math.abs(x) < 0.995 ? 2 : x > 99.9 ? 2 : 1) + "\u00a0%";
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

function baseName(path) {
    return clean(String(path).replace(/\/+$/, "").replace(/^.*\//, "") || path);
}

/* The base names of the profiles without ".json", or the given names where base names are equal. */
const profileNames = (() => {
    const short = profiles.map((p) => baseName(p.name).replace(/(.)\.json$/, "$1"));
    return short.map((name, i) =>
        short.indexOf(name) === short.lastIndexOf(name) ? name : clean(profiles[i].name));
})();

/* Formats a cache size, given in blocks, in the unit of the profile. */
function sizeOf(profile, blocks) {
    return profile.block_bytes ? bytes(blocks * profile.block_bytes)
                               : exactCount(blocks) + "\u00a0objects";
}

function distanceRange(low, high) {
    if (high < 10000) return low === high ? String(low) : `${low} \u2013 ${high}`;
    return `${blockCount(low)} \u2013 ${blockCount(high + 1)}`;
}

/* Returns the range of log bin k: distance 0, 1, 2 to 3, 4 to 7 ... */
function logBin(k) {
    return k === 0 ? [0, 0] : [2 ** (k - 1), 2 ** k - 1];
}

/* ---- details, prepared for display ---- */

/* Turns rows [low, high, count] of non-empty log bins into an array of counts by bin. */
function countsOf(rows) {
    const counts = [];
    for (const [low, , n] of rows) counts[low ? Math.round(Math.log2(low)) + 1 : 0] = n;
    return Array.from(counts, (n) => n || 0);
}

/* Sets `others` in each entry: true if it holds the sum of all entries that are not in its list. */
function markOthers(attribution) {
    for (const row of [...attribution.functions, ...attribution.data]) row.others = row.name === "(others)";
    for (const line of attribution.lines) line.others = line.function === null;
    for (const pair of attribution.pairs) pair.others = pair.use === null;
}

for (const { attribution, windows, spatial } of profiles) {
    const lists = attribution ? [attribution.functions, attribution.lines, attribution.data] : [];
    for (const row of [...lists.flat(), ...(windows ? windows.rows : [])]) row.bins = countsOf(row.bins);
    if (attribution) markOthers(attribution);
    if (spatial && spatial.word_profile)
        spatial.word_profile.bins = countsOf(spatial.word_profile.histogram);
}

/* Returns whether the page has the distances of an entry. It has them only for the first entries of
 * a list. */
function hasDistances(row) {
    return !row.others && (row.bins.length > 0 || row.infinite === row.references);
}

/* Returns the caches for which the misses of the profile were counted, or the caches of the page if
 * there are none. */
function levelsOf(profile) {
    return profile.levels && profile.levels.length ? profile.levels : data.levels;
}

function levelName(level) {
    return inBytes ? `${clean(level.name)}, ${bytes(level.bytes)}` : clean(level.name);
}

/* Returns "file.c:12", or the file or the function if the line number is unknown, or "(others)" for
 * a line that is not in the list. */
function placeOf(attribution, line) {
    if (!line || line.others) return "(others)";
    const source = attribution.sources[line.source];
    const f = attribution.functions[line.function];
    if (source !== undefined && line.line) return `${baseName(source)}:${line.line}`;
    return source !== undefined ? baseName(source) : f ? clean(f.name) : "(unknown)";
}

function sum(list, value) {
    return list.reduce((total, item) => total + value(item), 0);
}

/* Returns the misses of the whole run at a level, or 0 if the profile has no attribution. */
function totalMisses(profile, level) {
    return profile.attribution ? sum(profile.attribution.functions, (f) => f.misses[level]) : 0;
}

function meanDistance(row, finite) {
    return finite > 0 && row.distance_sum !== null ? row.distance_sum / finite : null;
}
