/* Makes the sentences about object caches. */

const several = profiles.length > 1;

/* Returns the name of the requests that are counted as hits or misses. */
function unit(p) {
    return p.objects.count === "reads" ? "reads" : "requests";
}

function avoided(before, after) {
    return before > 0 ? (before - after) / before : 0;
}

/* Says by which share p.step more bytes reduce the misses of the cache `at`. */
function sayStep(p, at) {
    return `${bytes(p.step)} more ${at.more.miss < at.miss
        ? `avoids ${percent(avoided(at.miss, at.more.miss))} of the misses` : "avoids no miss"}`;
}

/* Answers in one sentence how large the cache must be. */
function sayAnswer(p) {
    const goal = p.goal, infinite = p.infinite / p.references;
    if (!p.measured) return "No requests were counted, so there are no hits or misses. Check --warmup and --count.";
    if (!goal) return `No cache of any size hits any of the ${unit(p)}.`;
    const size = goal.bytes === p.objects.largest ? `${bytes(goal.bytes)}, the size of the largest object,`
                                                  : bytes(goal.bytes);
    const share = (1 - goal.miss) / (1 - infinite), all = share > 1 - 1e-9;
    const part = goal.hits || all ? "" : `, which is ${percent(share)} of the hits of an infinite cache`;
    return `A cache of ${size} hits ${percent(1 - goal.miss)} of the ${unit(p)}${part}; ` +
        (all ? "more memory avoids no miss." : `${sayStep(p, goal)}.`);
}

/* Says which share of the requests an infinite cache misses, by cause. */
function sayInfinite(p) {
    const o = p.objects, n = p.references;
    const causes = [["cold", o.cold], ["of deleted objects", o.deleted], ["of expired objects", o.expired]]
        .filter(([, t]) => t.requests);
    return !causes.length ? `An infinite cache hits all ${unit(p)}.`
        : `An infinite cache misses ${percent(p.infinite / n)} of the ${unit(p)}` + (causes.length > 1
            ? `: ${joinWords(causes.map(([name, t]) => `${percent(t.requests / n)} ${name}`))}.`
            : `, all of them ${causes[0][0]}.`);
}

function sayBytes(p) {
    return p.goal && p.objects.counted.bytes ? `The same cache delivers ${percent(1 - p.goal.byte_miss)} of the ` +
        "requested bytes." : null;
}

function peak(p, column) {
    return p.objects.live ? Math.max(...p.objects.live.map((row) => row[column])) : null;
}

function sayExpiry(p) {
    const o = p.objects;
    if (!o.has_lifetimes || !o.live) return null;
    const live = peak(p, 2), without = peak(p, 3);
    return live < without ? `Live objects reach ${bytes(live)}. If nothing expired, they would reach ` +
        `${bytes(without)}.` : "Expiry does not reduce the peak of the live bytes.";
}

/* Returns the share of the requests that go to the most popular objects. `share` is the share of these
 * objects among all objects. The objects in a row of the profile have nearly equal numbers of requests. */
function topShare(p, share) {
    const rows = p.objects.popularity, total = sum(rows, (row) => row[3]);
    let left = share * sum(rows, (row) => row[2]), requests = 0;
    for (let i = rows.length - 1; i >= 0 && left > 0; i--) {
        const n = Math.min(left, rows[i][2]);
        requests += n * rows[i][3] / rows[i][2];
        left -= n;
    }
    return total ? requests / total : 0;
}

function sayPopularity(p) {
    if (!p.objects.popularity || !p.objects.popularity.length) return null;
    const rows = p.objects.popularity, once = rows[0][0] === 1 ? rows[0][2] : 0;
    const objects = sum(rows, (row) => row[2]), few = objects < 100; /* 1 % is less than one object */
    return (few ? `The most popular object gets ${percent(topShare(p, 1 / objects))}`
                : `The most popular 1\u00a0% of the objects get ${percent(topShare(p, 0.01))}`) +
        ` of the requests; ${percent(once / objects)} of the objects are requested only once.`;
}

/* Says that the trace is too short if many requests are cold misses; otherwise returns null. */
function sayLength(p) {
    const cold = p.objects.cold.requests / p.references;
    return cold < 0.1 ? null : `${percent(cold)} of the ${unit(p)} are cold misses, because the caches start ` +
        "empty. A longer trace, or a warm-up, gives a better answer.";
}

function sayAccuracy(p) {
    if (p.error.kind === "exact")
        return "The numbers are exact, except that a miss ratio with \u2248 is interpolated, because its cache size lies inside a " +
               "bin of the profile. The width of a bin is at most 0.8\u00a0% of the cache size.";
    return p.error.kind === "sampled"
        ? `The numbers are estimated from ${percent(p.error.rate)} of the objects; with 95\u00a0% confidence, miss ratios of ` +
          `requests are at most ${points(p.error.bound).slice(1)} points off.`
        : "The numbers are estimates without an error bound.";
}

function sayPartial(p) {
    return p.partial ? "The trace is incomplete. The results cover the requests up to its end." : null;
}

function objectFindings(p) {
    const list = p.measured ? [sayBytes(p), sayInfinite(p), sayLength(p), sayExpiry(p), sayPopularity(p),
        p.error.kind === "exact" ? null : sayAccuracy(p)] : [];
    return [...list, sayPartial(p)].filter((text) => text);
}

/* Compares the sizes that several profiles need for the same goal. */
function sayComparison() {
    if (!several || !profiles.every((p) => p.goal) || new Set(profiles.map((p) => p.goal.hits)).size > 1) return null;
    const hits = profiles[0].goal.hits;
    return (hits ? `These sizes hit ${100 * hits}\u00a0% of the requests: ` : "These sizes have 95\u00a0% of the hits of an " +
        "infinite cache: ") + joinWords(profiles.map((p, i) => `${bytes(p.goal.bytes)} (${profileNames[i]})`)) + ".";
}
