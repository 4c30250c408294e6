/* Shows the misses of object caches by stretches of time. */

const maxStretchRows = 500; /* maximum number of rows of a table; more rows would make the page slow */

function hasStretches(p) {
    return p.stretches && p.stretches.rows.length > 0;
}

/* Returns the time from the first stretch to the stretch `row`, in the unit of the chart axis. */
function stretchX(p, row) {
    return (row[0] - p.stretches.rows[0][0]) / stretchUnit(p)[0];
}

/* Returns the largest unit of time that fits at least three times between the first and the last stretch. */
function stretchUnit(p) {
    const rows = p.stretches.rows, span = rows[rows.length - 1][0] - rows[0][0];
    return timeUnits.find(([length]) => span >= 3 * length) || timeUnits[timeUnits.length - 1];
}

function stretchSets(p) {
    const rows = p.stretches.rows, dots = { pointRadius: rows.length > 200 ? 0 : 2.5, pointHitRadius: 6 };
    return p.stretches.sizes.map((size, k) => lineSet(bytes(size), k,
        rows.map((row) => ({ x: stretchX(p, row), y: 100 * row[2 + k] })),
        { ...dots, pointBackgroundColor: seriesColor(k) }));
}

function stretchConfig(p) {
    const options = baseOptions(), unitName = stretchUnit(p)[1];
    options.scales = { x: { ...axisStyle(unitName), type: "linear", min: 0 },
                       y: { ...axisStyle("requests missed, %"), min: 0, max: 100 } };
    options.plugins.tooltip.callbacks = percentLabels((items) =>
        items.length ? `From ${items[0].parsed.x.toFixed(2)} ${unitName}` : "");
    return { type: "scatter", options, data: { datasets: stretchSets(p) } };
}

function stretchTable(p) {
    const rows = p.stretches.rows, step = Math.ceil(rows.length / maxStretchRows);
    return plainTable("Requests missed over time", [`From, ${stretchUnit(p)[1]}`, "Requests",
        ...p.stretches.sizes.map((size) => bytes(size))], rows.filter((_, i) => i % step === 0).map((row) =>
        [[stretchX(p, row), (x) => x.toFixed(2)], counted(row[1]), ...row.slice(2).map(shared)]));
}

function stretchFigure(p, i) {
    const many = p.stretches.rows.length, step = Math.ceil(many / maxStretchRows);
    return figure({
        title: "Misses over time" + (several ? `: ${profileNames[i]}` : ""), tall: true,
        legend: namesLegend(p.stretches.sizes.map((size) => bytes(size))),
        note: `Requests missed in each stretch of ${exactSeconds(p.stretches.every)}, by cache size. The caches stay ` +
            "warm from one stretch to the next. A stretch without counted requests has no point." +
            (step > 1 ? ` The table has one of ${step} stretches; mrc --every --out=csv prints all ` +
                `${exactCount(many)}.` : ""),
        config: () => stretchConfig(p), table: () => stretchTable(p),
        label: "Line chart of the misses of requests over time",
    });
}

/* Formats the length of a stretch exactly. */
function exactSeconds(s) {
    const [length, name] = timeUnits.find(([unit]) => s % unit === 0) || [1, "seconds"];
    return `${s / length}\u00a0${s === length ? name.slice(0, -1) : name}`;
}

function timePanel() {
    return section("Misses over time", profiles.map((p, i) => hasStretches(p) ? stretchFigure(p, i) : several
        ? missing(`The profile ${profileNames[i]} has no stretches of time. Analyze the trace with --every.`) : null));
}
