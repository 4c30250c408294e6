/* Builds the page about prefix caches: findings in plain words, charts and tables. */

/* ---- findings ---- */

function sayEnough() {
    const all = data.infinite.token_hit_ratio;
    if (!all) return ["No request begins like an earlier one, so a prefix cache of any size serves nothing."];
    const enough = (share) => data.enough.find((e) => e.share_of_infinite === share);
    const list = [`A prefix cache can serve at most ${percent(all)} of the prompt tokens. ` +
        `A cache of ${kvBlocks(data.infinite.blocks)} is enough for that.`];
    const most = enough(0.9), half = enough(0.5);
    if (most && half)
        list.push(`90\u00a0% of the hits of an infinite cache need ${kvBlocks(most.blocks)}, and half of them need ` +
            `${kvBlocks(half.blocks)}. Beyond ${kvBlocks(enough(0.99).blocks)}, more memory adds at most 1\u00a0% of these hits.`);
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
    return [`The best sizes for the goal: ${sizes.join(" and ") || "no cache"}. They serve ` +
        `${percent(data.plan.token_hit_ratio)} of the prompt tokens and cost ` +
        `${data.plan.storage_cost_per_hour.toFixed(2)} per hour` +
        (data.plan.miss_cost_per_hour > 0
            ? `; misses cost ${data.plan.miss_cost_per_hour.toFixed(2)} per hour.`
            : ". The cost of misses is not known.")];
}

function sayRouters() {
    if (!data.routers) return [];
    const last = data.points.length - 1;
    const parts = data.routers.map((r) => `${percent(r.points[last].token_hit_ratio)} (${r.router})`);
    return [`The token hit ratio of ${data.replicas} replicas that together have ${kvBlocks(data.points[last].blocks)} ` +
        `is ${joinWords(parts)}. One shared cache of this size has ${percent(data.points[last].token_hit_ratio)}.`];
}

function sayCard() {
    if (!data.card_bytes) return [];
    const room = data.card_bytes - data.weights_bytes;
    if (room <= 0)
        return [`A card with ${bytes(data.card_bytes)} cannot hold the weights (${bytes(data.weights_bytes)}).`];
    return [`A card with ${bytes(data.card_bytes)} holds ${count(room / data.token_bytes)} tokens beside ` +
        `${bytes(data.weights_bytes)} of weights.`];
}

/* ---- sections ---- */

function kvTiles() {
    return el("dl", { class: "tiles" },
        tile("Requests", count(data.requests), data.seconds ? "in " + seconds(data.seconds) : null),
        tile("Prompt tokens", count(data.prompt_tokens), `blocks of ${data.block_tokens}`),
        tile("Distinct blocks", count(data.distinct_blocks), `of ${count(data.blocks)}`),
        tile("Best token hits", percent(data.infinite.token_hit_ratio), "infinite cache"),
        data.token_bytes ? tile("Bytes per token", bytes(data.token_bytes),
            data.model ? clean(data.model) : null) : null);
}

function kvTierTable() {
    const rate = (n) => bytes(n) + "/s";
    return section("Tiers", plainTable(`Tiers, ${data.fill}`,
        ["Tier", "Size", "Block hits", "Token hits", "Read", "Written"],
        data.tiers.map((t) => [clean(t.name), [t.bytes, bytes], shared(t.block_hit_ratio),
            shared(t.token_hit_ratio),
            t.read_bytes_per_second === null ? "" : [t.read_bytes_per_second, rate],
            t.written_bytes_per_second === null ? "" : [t.written_bytes_per_second, rate]])));
}

function kvRouterTable() {
    return section("Replicas", plainTable(
        `Token hits of ${data.replicas} replicas that have an equal share of the cache each`,
        ["All caches", "one shared cache", ...data.routers.map((r) => r.router)],
        data.points.map((p, i) => [[p.blocks, kvBlocks], shared(p.token_hit_ratio),
            ...data.routers.map((r) => shared(r.points[i].token_hit_ratio))])));
}

function kvTurnTable() {
    const shown = kvShownDetails();
    return section("Turns of conversations", plainTable("Token hits by turn",
        ["Turn", "Prompt tokens", ...shown.map((d) => kvBlocks(d.blocks))],
        data.turn_tokens.map((n, i) => [i, n]).filter(([, n]) => n > 0).map(([i, n]) =>
            [i + 1 < data.turn_tokens.length ? String(i + 1) : `${i + 1} and later`, [n, count],
             ...shown.map((d) => shared(d.turn_token_hits[i] / n))])));
}

function kvMethod() {
    return section("What these numbers mean",
        el("p", {}, "A block is served if it and all blocks before it in the prompt are in the cache when the " +
            "request arrives. The cache evicts the least recently used block. The numbers are exact for every size. " +
            `Blocks of a request are touched ${data.order === "tail" ? "tail first" : "front to back"}; last blocks ` +
            `with fewer tokens are ${data.partial === "drop" ? "not cached" : "cached"}; generated tokens are ` +
            `${data.outputs === "cache" ? "cached" : "not cached"}.`),
        el("p", {}, "The analysis does not model blocks that running requests pin, the time of transfers, and " +
            "eviction while a request runs."));
}

fillFrame(baseName(data.log || "log"), "prefix cache");
document.getElementById("main").append(...[
    section("What a prefix cache is worth here",
        el("ul", { class: "findings" },
            [...sayEnough(), ...sayCard(), ...sayPlan(), ...sayBest(), ...sayRouters()]
                .map((text) => el("li", {}, text))), kvTiles(), kvCurveFigure()),
    data.tiers ? kvTierTable() : null,
    section("Requests", kvShareFigure(), data.window_seconds ? kvTimeFigure() : null,
        data.window_seconds ? kvGapFigure() : null),
    data.turn_tokens ? kvTurnTable() : null,
    data.routers ? kvRouterTable() : null,
    kvMethod(),
].filter((part) => part));
drawPending();
preparePrint(() => {}, () => {});
