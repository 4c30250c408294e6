/* Builds the page: tabs, choices and printing. */

const main = document.getElementById("main");
const tabs = document.getElementById("tabs");

const panels = [
    { id: "overview", name: "Overview", make: overviewPanel },
    { id: "distances", name: "Distances", make: distancesPanel },
    profiles.length === 2 ? { id: "compare", name: "Compare", make: comparePanel } : null,
    data.machines.length ? { id: "machine", name: "Machine", make: machinePanel } : null,
    { id: "code", name: "Code", make: codePanel },
    { id: "data-regions", name: "Data", make: dataPanel },
    { id: "time", name: "Time", make: timePanel },
    { id: "space", name: "Space", make: spacePanel },
    { id: "method", name: "Method", make: methodPanel },
].filter((panel) => panel);

let active = panels[0];

/* Rebuilds the content of a panel. `focus` names the group of choices in it that keeps the focus. */
function render(panel, focus) {
    forgetCharts(panel.node);
    panel.node.replaceChildren(panel.make((name) => render(panel, name || "bins")));
    panel.fresh = true;
    drawPending();
    const chosen = focus && panel.node.querySelector(`input[name="${focus}"]:checked`);
    if (chosen) chosen.focus();
}

function show(panel, focus) {
    active = panel;
    for (const each of panels) {
        const chosen = each === panel;
        each.node.hidden = !chosen;
        each.tab.setAttribute("aria-selected", String(chosen));
        each.tab.tabIndex = chosen ? 0 : -1;
    }
    if (!panel.fresh) render(panel);
    drawPending();
    if (focus) panel.tab.focus();
    if (tabs.scrollWidth > tabs.clientWidth)
        panel.tab.scrollIntoView({ block: "nearest", inline: "center" });
    try {
        history.replaceState(null, "", "#" + panel.id);
    } catch { /* a browser refuses this if the page is shown inside another page */ }
}

/* Redraws the page after a choice that all panels depend on. */
function refreshAll() {
    for (const panel of panels) panel.fresh = false;
    render(active);
}

/* Arrow keys move from tab to tab. Home and End go to the first and the last tab. */
function onTabKey(event) {
    const at = panels.indexOf(active), n = panels.length;
    const to = { ArrowRight: (at + 1) % n, ArrowLeft: (at + n - 1) % n, Home: 0, End: n - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    show(panels[to], true);
}

function makeTabs() {
    for (const panel of panels) {
        panel.tab = el("button", { type: "button", role: "tab", id: "tab-" + panel.id,
            "aria-controls": "panel-" + panel.id, click: () => show(panel), keydown: onTabKey },
            panel.name);
        panel.node = el("div", { role: "tabpanel", id: "panel-" + panel.id, class: "panel",
            "aria-labelledby": "tab-" + panel.id, hidden: true });
        tabs.append(panel.tab);
        main.append(panel.node);
    }
}

/* ---- choices for all panels ---- */

function makeChoices() {
    const box = document.getElementById("choices"), p = profiles[state.profile];
    const levels = levelsOf(p), telling = p.attribution || p.windows || p.spatial;
    state.level = Math.min(state.level, Math.max(0, levels.length - 1));
    const nodes = [];
    if (profiles.length > 1 && profiles.some((q) => q.attribution || q.windows || q.spatial))
        nodes.push(el("label", { class: "select" }, el("span", {}, "Profile"),
            el("select", { change: (event) => {
                state.profile = Number(event.target.value);
                makeChoices();
                refreshAll();
                box.querySelector("select").focus();
            } }, profileNames.map((name, i) =>
                el("option", { value: i, selected: i === state.profile }, name)))));
    if (telling && levels.length > 1)
        nodes.push(segmented("level", "Cache", levels.map((level, i) => [String(i), clean(level.name)]),
            String(state.level), (value) => {
                state.level = Number(value);
                refreshAll();
            }));
    box.replaceChildren(...nodes);
}

/* Chooses the level whose misses cost most time, if a miss costs four times as much in each further
 * cache. First touches do not count, because no cache avoids them. */
function chooseLevel() {
    const p = profiles[state.profile];
    if (!p.attribution) return;
    const cost = levelsOf(p).map((_, i) =>
        4 ** i * sum(p.attribution.functions, (f) => f.misses[i] - f.infinite));
    state.level = cost.indexOf(Math.max(...cost));
}

/* ---- printing: all panels are printed in light colors, as wide as the paper ---- */

function beforePrint() {
    document.documentElement.classList.add("printing");
    for (const panel of panels) {
        panel.node.hidden = false;
        if (!panel.fresh) render(panel);
    }
    drawPending(true);
}

function afterPrint() {
    document.documentElement.classList.remove("printing");
    show(active);
    drawPending(true);
}

/* ---- start ---- */

function start() {
    const names = profileNames.join(", ");
    document.title = `${names} \u2013 reuse distance`;
    document.getElementById("subject").textContent = names;
    document.getElementById("foot").textContent =
        `Made by ${clean(data.tool)}. This file needs no network and sends no data.` +
        (canDraw ? "" : " This build of reusedist has no chart library, so the numbers are in tables.");
    state.profile = Math.max(0, profiles.findIndex((p) => p.attribution));
    chooseLevel();
    makeChoices();
    makeTabs();
    makeTheme();
    window.addEventListener("beforeprint", beforePrint);
    window.addEventListener("afterprint", afterPrint);
    show(panels.find((panel) => "#" + panel.id === location.hash) || panels[0]);
}

start();
