/* Builds the page about prefix caches: findings in plain words, charts and tables. */

function kvTile(label, value, note) {
    return el("div", { class: "tile" }, el("dt", {}, label), el("dd", {}, el("b", {}, value),
        note ? el("span", {}, note) : null));
}

/* ---- findings ---- */

function sayEnough() {
    const all = data.infinite.token_hit_ratio;
    if (!all) return ["No request begins like an earlier one, so a prefix cache of any size serves nothing."];
    const enough = (share) => data.enough.find((e) => e.share_of_infinite === share);
    const list = [`A prefix cache can serve at most ${percent(all)} of the prompt tokens. ` +
        `${kvBlocks(data.infinite.blocks)} are enough for all of it.`];
    const most = enough(0.9), half = enough(0.5);
    if (most && half)
        list.push(`90\u00a0% of the hits of an infinite cache need ${kvBlocks(most.blocks)}, and half of them need ` +
            `${kvBlocks(half.blocks)}. Beyond ${kvBlocks(enough(0.99).blocks)}, more memory gains next to nothing.`);
    return list;
}

function sayBest() {
    const gains = data.points.filter((p) => p.best_block_hit_ratio !== undefined)
        .map((p) => ({ p, gain: p.best_block_hit_ratio - p.block_hit_ratio }));
    if (!gains.length) return [];
    const best = gains.reduce((a, b) => b.gain > a.gain ? b : a);
    return [`LRU is furthest from the best possible replacement at ${kvBlocks(best.p.blocks)}: ` +
        `${percent(best.p.block_hit_ratio)} of the blocks instead of ${percent(best.p.best_block_hit_ratio)}.`];
}

function sayPlan() {
    if (!data.plan) return [];
    if (!data.plan.found) return ["No sizes of the offered tiers reach the goal."];
    const sizes = data.plan.tiers.filter((t) => t.bytes > 0).map((t) => `${bytes(t.bytes)} of ${clean(t.name)}`);
    return [`The cheapest way to the goal: ${sizes.join(" and ") || "no cache"}. It serves ` +
        `${percent(data.plan.token_hit_ratio)} of the prompt tokens and costs ` +
        `${data.plan.storage_cost_per_hour.toFixed(2)} per hour` +
        (data.plan.miss_cost_per_hour > 0
            ? `; misses cost ${data.plan.miss_cost_per_hour.toFixed(2)} per hour.`
            : ". The cost of misses is not known.")];
}

function sayRouters() {
    if (!data.routers) return [];
    const last = data.points.length - 1;
    const parts = data.routers.map((r) => `${r.router} ${percent(r.points[last].token_hit_ratio)}`);
    return [`Token hit ratio of ${data.replicas} replicas that together have ${kvBlocks(data.points[last].blocks)}: ` +
        `${parts.join(", ")}. One shared pool of this size has ${percent(data.points[last].token_hit_ratio)}.`];
}

function sayCard() {
    if (!data.card_bytes) return [];
    const room = data.card_bytes - data.weights_bytes;
    if (room <= 0)
        return [`A card with ${bytes(data.card_bytes)} cannot hold the weights (${bytes(data.weights_bytes)}).`];
    return [`A card with ${bytes(data.card_bytes)} less ${bytes(data.weights_bytes)} of weights holds ` +
        `${count(room / data.token_bytes)} tokens.`];
}

/* ---- sections ---- */

function kvTiles() {
    return el("dl", { class: "tiles" },
        kvTile("Requests", count(data.requests), data.seconds ? "in " + seconds(data.seconds) : null),
        kvTile("Prompt tokens", count(data.prompt_tokens), `blocks of ${data.block_tokens}`),
        kvTile("Distinct blocks", count(data.distinct_blocks), `of ${count(data.blocks)}`),
        kvTile("Best token hits", percent(data.infinite.token_hit_ratio), "infinite cache"),
        data.token_bytes ? kvTile("Bytes per token", bytes(data.token_bytes),
            data.model ? clean(data.model) : null) : null);
}

function kvTierTable() {
    return el("section", {}, el("h2", {}, "Tiers"), plainTable(`Tiers, ${data.fill}`,
        ["Tier", "Size", "Block hits", "Token hits", "Read", "Written"],
        data.tiers.map((t) => [clean(t.name), bytes(t.bytes), percent(t.block_hit_ratio),
            percent(t.token_hit_ratio),
            t.read_bytes_per_second === null ? "" : bytes(t.read_bytes_per_second) + "/s",
            t.written_bytes_per_second === null ? "" : bytes(t.written_bytes_per_second) + "/s"])));
}

function kvRouterTable() {
    return el("section", {}, el("h2", {}, "Replicas"), plainTable(
        `Token hits of ${data.replicas} replicas with an equal part of the cache each`,
        ["All caches", "one shared pool", ...data.routers.map((r) => r.router)],
        data.points.map((p, i) => [kvBlocks(p.blocks), percent(p.token_hit_ratio),
            ...data.routers.map((r) => percent(r.points[i].token_hit_ratio))])));
}

function kvTurnTable() {
    const shown = kvShownDetails();
    return el("section", {}, el("h2", {}, "Turns of conversations"), plainTable("Token hits by turn",
        ["Turn", "Prompt tokens", ...shown.map((d) => kvBlocks(d.blocks))],
        data.turn_tokens.map((n, i) => [i, n]).filter(([, n]) => n > 0).map(([i, n]) =>
            [i + 1 < data.turn_tokens.length ? String(i + 1) : `${i + 1} and later`, count(n),
             ...shown.map((d) => percent(d.turn_token_hits[i] / n))])));
}

function kvMethod() {
    return el("section", {}, el("h2", {}, "What these numbers mean"),
        el("p", {}, "A block is served if it and all blocks before it in the prompt are in the cache when the " +
            "request arrives. The cache evicts the least recently used block. The numbers are exact for every size. " +
            `Blocks of a request are touched ${data.order === "tail" ? "tail first" : "front to back"}; last blocks ` +
            `with fewer tokens are ${data.partial === "drop" ? "not cached" : "cached"}; generated tokens are ` +
            `${data.outputs === "cache" ? "cached" : "not cached"}.`),
        el("p", {}, "Not modeled: blocks that running requests pin, the time of transfers, and eviction while a " +
            "request runs."));
}

function kvStart() {
    const name = baseName(data.log || "log"), main = document.getElementById("main");
    document.title = `${name} \u2013 prefix cache`;
    document.getElementById("subject").textContent = name;
    document.getElementById("foot").textContent =
        `Made by ${clean(data.tool)}. This file needs no network and sends no data.` +
        (canDraw ? "" : " This build of reusedist has no chart library, so the numbers are in tables.");
    makeTheme();
    const findings = [...sayEnough(), ...sayCard(), ...sayPlan(), ...sayBest(), ...sayRouters()];
    main.append(el("section", {}, el("h2", {}, "What a prefix cache is worth here"),
        el("ul", { class: "findings" }, findings.map((text) => el("li", {}, text))), kvTiles(),
        kvCurveFigure()));
    if (data.tiers) main.append(kvTierTable());
    main.append(el("section", {}, el("h2", {}, "Requests"), kvShareFigure(),
        data.window_seconds ? kvTimeFigure() : null, data.window_seconds ? kvGapFigure() : null));
    if (data.turn_tokens) main.append(kvTurnTable());
    if (data.routers) main.append(kvRouterTable());
    main.append(kvMethod());
    drawPending();
    window.addEventListener("beforeprint", () => {
        document.documentElement.classList.add("printing");
        drawPending(true);
    });
    window.addEventListener("afterprint", () => {
        document.documentElement.classList.remove("printing");
        drawPending(true);
    });
}

kvStart();
