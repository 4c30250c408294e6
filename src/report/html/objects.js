/* Builds the page about object caches: panels and method. */

function titleOf(i) {
    return several ? el("h3", {}, swatch(i), profileNames[i]) : null;
}

/* Makes an element for each profile, side by side if there are several profiles. */
function forEach(make) {
    const parts = profiles.map((p, i) => make(p, i)).filter((part) => part);
    return several ? el("div", { class: "several" }, parts) : parts[0] || null;
}

/* ---- overview ---- */

function objectTiles(p) {
    const o = p.objects, live = peak(p, 2), all = o.size_class_bytes && sum(o.size_class_bytes, (n) => n);
    const list = [tile(o.count === "reads" ? "Reads" : "Requests", count(p.references), bytes(o.counted.bytes)),
        tile("Objects", count(o.objects), all !== undefined ? `${bytes(all)} in all` : null),
        tile("Largest object", bytes(o.largest))];
    if (p.measured) list.push(tile("Misses of an infinite cache", percent(p.infinite / p.references)));
    if (live !== null)
        list.push(tile("Live bytes", bytes(live), o.has_lifetimes ? `${bytes(peak(p, 3))} if nothing expired` : "at their peak"));
    return el("dl", { class: "tiles" }, list);
}

function overviewOf(p, i) {
    return el("div", { class: "one" }, titleOf(i), el("p", { class: "answer" }, sayAnswer(p)),
        el("ul", { class: "findings" }, objectFindings(p).map((text) => el("li", {}, text))), objectTiles(p));
}

/* Makes a table that says, for each cache size, which share of its misses more memory avoids. */
function moreTable(p, i) {
    if (!p.measured || !p.sizes.length) return null;
    const step = bytes(p.step), part = (at, more, key) => at[key] > more[key]
        ? shared(avoided(at[key], more[key])) : "nothing";
    const rows = p.sizes.map((at) => [[at.bytes, bytes], about(at, at.miss), about(at, at.byte_miss),
        part(at, at.more, "miss"), part(at, at.more, "byte_miss"), part(at, at.twice, "miss")]);
    return el("div", {}, titleOf(i), plainTable("Misses, and the share of them that more memory avoids",
        ["Cache size", "Requests missed", "Bytes missed", `${step} more avoids, requests`,
         `${step} more avoids, bytes`, "Twice the size avoids, requests"], rows));
}

/* Makes a table of the misses of an infinite cache by cause. */
function causeTable(p, i) {
    const o = p.objects, n = o.counted.requests, all = o.counted.bytes;
    if (!p.measured) return null;
    const causes = [["Cold", o.cold], ["Deleted", o.deleted], ["Expired", o.expired]];
    const rows = causes.filter(([, t]) => t.requests).map(([name, t]) => [name, counted(t.requests),
        shareCell(t.requests / n), [t.bytes, bytes], shared(all ? t.bytes / all : 0)]);
    return el("div", {}, titleOf(i), rows.length ? plainTable("Misses of an infinite cache",
        ["Cause", "Requests", `Of the ${unit(p)}`, "Bytes", "Of the bytes"], rows)
        : el("p", {}, "An infinite cache has no misses."));
}

function overview(refresh) {
    const measured = profiles.some((p) => p.measured), same = sayComparison();
    const unlike = sayUnlike().join(" ");
    const node = section("How large must the cache be?", unlike ? el("p", { class: "notice" }, unlike) : null, same ? el("p", { class: "answer" }, same) : null,
        forEach(overviewOf), measured ? missFigure(refresh) : null);
    node.classList.add("overview");
    return el("div", { class: "parts" }, node,
        measured ? el("div", { class: several ? "parts" : "parts pair" },
            section("Gain from more memory", forEach(moreTable)),
            section("Misses that no cache avoids", forEach(causeTable),
                el("p", { class: "note" }, "A miss is cold if it is the first request of an object. It is " +
                    "deleted or expired if the object was deleted, or its lifetime had ended, before the request."))) : null);
}

/* ---- objects ---- */

function objectsPanel(refresh) {
    return section("Objects", sizeFigure(refresh),
        profiles.some(hasPopularity) ? [rankFigure(), topTable()]
            : missing("This profile has no popularity, because an earlier release made it. Analyze the trace again."));
}

/* ---- live bytes ---- */

function livePanel() {
    return section("Memory over time", el("ul", { class: "findings" }, profiles.map((p, i) => [sayExpiry(p), i])
        .filter(([text]) => text).map(([text, i]) => el("li", {}, several ? `${profileNames[i]}: ${text}` : text))),
        profiles.some((p) => p.objects.live) ? liveFigure()
            : missing("This profile has no live bytes. Merged profiles have none, because their runs have no " +
                "common time."));
}

/* ---- method ---- */

function methodRows(p) {
    const o = p.objects, rows = [["Accuracy", sayAccuracy(p)]];
    rows.push(["Counted", o.count === "reads" ? "reads, including those that renew a lifetime"
        : "reads, writes, and touches of objects that are present"]);
    rows.push(["Operations", o.has_operations ? [["reads", "read"], ["writes", "write"],
        ["touches", "touch"], ["deletes", "delete"]].map(([many, one]) =>
        `${exactCount(o[many].requests)} ${plural(o[many].requests, one, many)}`).join(", ")
        : "unknown: every request is a read"]);
    rows.push(["Lifetimes", !o.has_lifetimes ? "none in the trace: objects never expire"
        : o.expiry === "lazy" ? "an expired object keeps its memory until it is evicted (lazy expiry)"
        : "an expired object frees its memory at once (eager expiry)"]);
    rows.push(["Warm-up", o.warmup ? `the first ${exactCount(o.warmup)} ` +
        `${plural(o.warmup, "request fills the caches and does", "requests fill the caches and do")} not count`
        : "none: the caches start empty"]);
    if (o.backwards) rows.push(["Times that go backwards", `${exactCount(o.backwards)} ` +
        `${plural(o.backwards, "request, which counts", "requests, which count")} with the latest time so far`]);
    if (o.empty) rows.push(["Requests with a size of 0", exactCount(o.empty)]);
    if (p.seconds) rows.push(["Time of the analysis", seconds(p.seconds)]);
    if (p.partial) rows.push(["Complete", "no: the trace ends early"]);
    return [...rows, ...sourceRows(p, "requests")];
}

function objectMethod() {
    return section("How this was measured",
        el("p", {}, "The byte distance of a request is the number of bytes of other objects that were requested " +
            "since the same object was requested last. An LRU cache hits if the byte distance plus the size of the " +
            "object is at most the size of the cache, so one pass over the trace gives the misses of every size. " +
            "If objects change their size, expire or are deleted, the byte distance is the largest number of such " +
            "bytes at any moment since the last request for the same object."),
        profiles.map((p) => factList(clean(p.name), methodRows(p))), licenses());
}

/* ---- start ---- */

fillFrame(profileNames.join(", "), "object cache");
startTabs([
    { id: "overview", name: "Overview", make: overview },
    { id: "objects", name: "Objects", make: objectsPanel },
    { id: "memory", name: "Memory", make: livePanel },
    profiles.some(hasStretches) ? { id: "time", name: "Time", make: timePanel } : null,
    { id: "method", name: "Method", make: objectMethod },
]);
