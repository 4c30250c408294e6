/* Builds the page about profiles of blocks: panels, and choices for all of them. */

/* ---- choices for all panels ---- */

function makeChoices() {
    const p = profiles[state.profile];
    const levels = levelsOf(p), telling = p.attribution || p.windows || p.spatial;
    state.level = Math.min(state.level, Math.max(0, levels.length - 1));
    const nodes = [];
    if (profiles.length > 1 && profiles.some((q) => q.attribution || q.windows || q.spatial))
        nodes.push(el("label", { class: "select" }, el("span", {}, "Profile"),
            el("select", { change: (event) => {
                state.profile = Number(event.target.value);
                makeChoices();
                refreshAll();
                choices.querySelector("select").focus();
            } }, profileNames.map((name, i) =>
                el("option", { value: i, selected: i === state.profile }, name)))));
    if (telling && levels.length > 1)
        nodes.push(segmented("level", "Cache", levels.map((level, i) => [String(i), clean(level.name)]),
            String(state.level), (value) => {
                state.level = Number(value);
                refreshAll();
            }));
    choices.replaceChildren(...nodes, ownSwitch(p) || "");
}

/* Chooses the level whose misses cost the most time, if a miss costs four times as much in each further
 * cache. Infinite distances do not count: without a bound, no larger cache avoids them. */
function chooseLevel() {
    const p = profiles[state.profile];
    if (!p.attribution) return;
    const cost = levelsOf(p).map((_, i) =>
        4 ** i * sum(p.attribution.functions, (f) => f.misses[i] - f.infinite));
    state.level = cost.indexOf(Math.max(...cost));
}

/* ---- start ---- */

state.profile = Math.max(0, profiles.findIndex((p) => p.attribution));
chooseLevel();
makeChoices();
fillFrame(profileNames.join(", "), "reuse distance");
startTabs([
    { id: "overview", name: "Overview", make: overviewPanel },
    { id: "distances", name: "Distances", make: distancesPanel },
    profiles.length === 2 ? { id: "compare", name: "Compare", make: comparePanel } : null,
    data.machines.length ? { id: "machine", name: "Machine", make: machinePanel } : null,
    { id: "code", name: "Code", make: codePanel },
    profiles.some((p) => p.attribution || p.contexts) ? { id: "calls", name: "Calls", make: callsPanel } : null,
    profiles.some((p) => p.attribution) ? { id: "source", name: "Source", make: sourcePanel } : null,
    { id: "data-regions", name: "Data", make: dataPanel },
    { id: "time", name: "Time", make: timePanel },
    profiles.some((p) => p.threads || p.sharing) ? { id: "threads", name: "Threads", make: threadsPanel } : null,
    { id: "space", name: "Space", make: spacePanel },
    { id: "method", name: "Method", make: methodPanel },
]);
