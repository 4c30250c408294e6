/* Tabs, each of which shows a panel {id, name, make}. `make` returns the content of the panel. Its argument is a
 * function that rebuilds the panel after a choice in it. The address of the page ends with the id of the shown panel,
 * so no element may have the id of a panel: the browser would scroll to this element. */

const main = document.getElementById("main");
const tabs = el("div", { role: "tablist", "aria-label": "Panels of the report", id: "tabs" });
const choices = el("div", { class: "choices", id: "choices" }); /* choices for all panels */

let panels = [], active = null;

/* Rebuilds the content of a panel. `focus` names the group of choices in it that keeps the focus. */
function render(panel, focus) {
    forgetCharts(panel.node);
    panel.node.replaceChildren(panel.make((name) => render(panel, name)));
    panel.fresh = true;
    drawPending();
    const chosen = focus && panel.node.querySelector(`input[name="${focus}"]:checked`);
    if (chosen) chosen.focus();
}

/* Scrolls to where the user left the panel. A new panel is scrolled to its top, if its top is above the visible
 * area. */
function restoreScroll(panel) {
    const top = main.getBoundingClientRect().top + scrollY - tabs.parentNode.offsetHeight;
    scrollTo({ top: panel.scroll ?? Math.min(scrollY, top), behavior: "instant" });
}

function show(panel, focus) {
    const from = active;
    if (from && from !== panel) from.scroll = scrollY;
    active = panel;
    for (const each of panels) {
        const chosen = each === panel;
        each.node.hidden = !chosen;
        each.tab.setAttribute("aria-selected", String(chosen));
        each.tab.tabIndex = chosen ? 0 : -1;
    }
    if (!panel.fresh) render(panel);
    drawPending();
    if (from && from !== panel) restoreScroll(panel);
    if (focus) panel.tab.focus({ preventScroll: true });
    if (tabs.scrollWidth > tabs.clientWidth)
        panel.tab.scrollIntoView({ block: "nearest", inline: "center" });
    try {
        history.replaceState(null, "", "#" + panel.id);
    } catch { /* a browser refuses this if the page is shown inside another page */ }
}

/* Rebuilds and shows the panel with this id, and remembers the panel that the user came from. */
function leaveFor(id) {
    const panel = panels.find((each) => each.id === id);
    if (active !== panel) state.from = active;
    panel.fresh = false;
    show(panel);
}

/* Shows the panel that the user came from, as it was. */
function goBack() {
    const panel = state.from;
    state.from = null;
    show(panel, true);
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

function makeTab(panel) {
    panel.tab = el("button", { type: "button", role: "tab", id: "tab-" + panel.id,
        "aria-controls": "panel-" + panel.id, click: () => show(panel), keydown: onTabKey },
        panel.name);
    panel.node = el("div", { role: "tabpanel", id: "panel-" + panel.id, class: "panel",
        "aria-labelledby": "tab-" + panel.id, hidden: true });
    tabs.append(panel.tab);
    main.append(panel.node);
}

/* Shows all panels, because all of them are printed. */
function showAll() {
    for (const panel of panels) {
        panel.node.hidden = false;
        if (!panel.fresh) render(panel);
    }
}

/* Makes the tabs and shows the panel that the address names, or the first one. Entries of `list` may
 * be null. */
function startTabs(list) {
    panels = list.filter((panel) => panel);
    panels.forEach(makeTab);
    document.querySelector("header").after(
        el("nav", { class: "bar", "aria-label": "Report" }, tabs, choices));
    preparePrint(showAll, () => show(active));
    show(panels.find((panel) => "#" + panel.id === location.hash) || panels[0]);
}
