/* Chooses light or dark colors, for all pages. */

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
