"use strict";
// The plane and the bars, by plotly. Whatever becomes text in a figure goes through
// plain(): plotly reads a little HTML.

const Plots = (() => {
  // Palette of Okabe and Ito without black and yellow. Seven colors and five symbols have
  // no common divisor: 35 words look different, also to those who see few colors.
  const COLORS = [
    ...["#0072b2", "#d55e00", "#009e73", "#cc79a7"],
    ...["#e69f00", "#56b4e9", "#8c8c8c"],
  ];
  const SYMBOLS = ["circle", "square", "diamond", "triangle-up", "x"];
  const LARGEST = 42; // diameter of a circle, in pixels
  const SMALLEST = 6;
  const CORNERS = 48; // of an ellipse
  const FADED = 0.3;
  const CONFIG = {
    responsive: true,
    displaylogo: false,
    // Named one by one: plotly's own choice has a button that would upload the figure.
    plotlyServerURL: "",
    modeBarButtons: [
      ["toImage", "zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d"],
    ],
  };
  const TRACES = ["others", "points", "ellipses", "words", "marked"];

  let outlines = []; // colors of the circles, none of them emphasized

  function plain(text) {
    return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  }

  const colorOf = (word) => COLORS[word % COLORS.length];
  const symbolOf = (word) => SYMBOLS[word % SYMBOLS.length];

  function theme(name) {
    // A custom property is not computed to a color; a property that uses it is.
    const probe = document.createElement("span");
    probe.style.color = `var(--${name})`;
    document.body.append(probe);
    const color = getComputedStyle(probe).color;
    probe.remove();
    return color;
  }

  function layoutOf(xTitle, yTitle) {
    const line = theme("line");
    const axis = { gridcolor: line, zeroline: false, automargin: true, nticks: 7 };
    const title = (text) => ({ text, font: { color: theme("faint") }, standoff: 8 });
    return {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: theme("ink"), size: 13, family: "system-ui, sans-serif" },
      margin: { l: 50, r: 12, t: 30, b: 45 }, // the buttons are at the top
      showlegend: false,
      hovermode: "closest",
      hoverlabel: {
        align: "left",
        bgcolor: theme("paper"),
        bordercolor: line,
        font: { color: theme("ink") },
      },
      modebar: {
        bgcolor: "rgba(0,0,0,0)",
        color: theme("faint"),
        activecolor: theme("ink"),
      },
      xaxis: { ...axis, title: title(xTitle) },
      yaxis: { ...axis, title: title(yTitle) },
    };
  }

  // --- the plane ----------------------------------------------------------------------

  /** Move what is beyond the axes to their edge, and tell which way it lies. */
  function toEdge([x, y], [left, right, bottom, top]) {
    let beyond = null;
    if (y > top) beyond = "triangle-up-open";
    if (y < bottom) beyond = "triangle-down-open";
    if (x > right) beyond = "triangle-right-open";
    if (x < left) beyond = "triangle-left-open";
    const between = (value, low, high) => Math.min(Math.max(value, low), high);
    return { x: between(x, left, right), y: between(y, bottom, top), beyond };
  }

  /** Draw words as circles, the points of diagrams, and the ellipses of a mixture.
   *
   * `drawing`: `book`; `axes`, left, right, bottom, top; for each word of the book
   * `values`, areas with a sign, and `texts`, lines to show on hovering; `isDifference`
   * of two labels; `points`, `others` and `marked` as [birth, persistence] lists;
   * `words` and `sides` of the points, the side being 0 or 1 for the label compared, and 2
   * for neither.
   * Returns how many words and points are beyond the axes.
   */
  function drawPlane(element, drawing) {
    const { book, axes } = drawing;
    const placed = {
      words: book.words.map((word) => toEdge(word, axes)),
      points: drawing.points.map((point) => toEdge(point, axes)),
    };
    const traces = {
      others: othersTrace(drawing.others.map((point) => toEdge(point, axes))),
      points: pointTrace(placed.points, drawing),
      ellipses: ellipseTrace(book),
      words: wordTrace(placed.words, drawing, largestOf(element, book)),
      marked: markedTrace(drawing.marked.map((point) => toEdge(point, axes))),
    };
    outlines = traces.words.marker.line.color;
    const layout = layoutOf(
      book.is_essential ? "birth of essential classes" : "birth",
      book.is_essential ? "" : "persistence",
    );
    // Zooming survives a change of what is drawn, also of the resolution, but not of the
    // part.
    layout.uirevision = `points ${book.points}`;
    layout.xaxis.range = padded(axes[0], axes[1]);
    layout.yaxis.range = padded(axes[2], axes[3]);
    if (book.is_essential) {
      Object.assign(layout.yaxis, { showgrid: false, showticklabels: false });
    }
    Plotly.react(
      element,
      TRACES.map((name) => ({ type: "scatter", mode: "markers", name, ...traces[name] })),
      layout,
      CONFIG,
    );
    const beyond = (all) => all.filter((one) => one.beyond !== null).length;
    return { words: beyond(placed.words), points: beyond(placed.points) };
  }

  function padded(low, high) {
    const pad = 0.05 * (high - low);
    return [low - pad, high + pad];
  }

  const xy = (placed) => ({
    x: placed.map((one) => one.x),
    y: placed.map((one) => one.y),
  });

  function othersTrace(placed) {
    const marker = { size: 3, color: theme("faint"), opacity: 0.35 };
    return { ...xy(placed), marker, hoverinfo: "skip" };
  }

  function pointTrace(placed, { points, words, sides, isDifference }) {
    const bySide = ["more", "less", "ink"].map(theme);
    const text = points.map(([birth, persistence], i) => {
      const where = `birth ${short(birth)}, persistence ${short(persistence)}`;
      return `${where}<br>word ${words[i]}${placed[i].beyond ? "<br>beyond the axes" : ""}`;
    });
    const symbols = (i) => (isDifference ? SYMBOLS[sides[i]] : symbolOf(words[i]));
    return {
      ...xy(placed),
      text,
      hoverinfo: "text",
      cliponaxis: false,
      marker: {
        size: isDifference ? 5 : 7,
        // Lists, because plotly computes all anew where one number becomes a list.
        opacity: words.map(() => 0.9),
        color: words.map((word, i) => (isDifference ? bySide[sides[i]] : colorOf(word))),
        symbol: placed.map((one, i) => one.beyond ?? symbols(i)),
      },
    };
  }

  /** Words of essential classes are on a line, where large circles would hide others. */
  function largestOf(element, book) {
    if (!book.is_essential) return LARGEST;
    return Math.min(LARGEST, (0.9 * element.clientWidth) / book.words.length);
  }

  function wordTrace(placed, { values, texts, isDifference }, diameter) {
    const largest = values.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
    const [more, less] = ["more", "less"].map(theme);
    const colors = values.map((value, k) => {
      if (isDifference) return value >= 0 ? more : less;
      return colorOf(k);
    });
    return {
      ...xy(placed),
      text: texts.map((lines) => lines.map(plain).join("<br>")),
      hoverinfo: "text",
      cliponaxis: false,
      marker: {
        size: values.map((value) => diameterOf(Math.abs(value), largest, diameter)),
        symbol: placed.map((one) => one.beyond ?? "circle"),
        color: colors.map(seenThrough), // points are below
        opacity: 1,
        line: { color: colors, width: colors.map(() => 1) },
      },
    };
  }

  function markedTrace(placed) {
    const line = { color: theme("ink"), width: 2 };
    const marker = { size: 14, symbol: "circle-open", color: theme("ink"), line };
    return { ...xy(placed), marker, hoverinfo: "skip" };
  }

  /** rgb(...) or #rrggbb, with an opacity of 0.3. */
  function seenThrough(color) {
    if (color.startsWith("#")) return `${color}4d`;
    return color.replace("rgb(", "rgba(").replace(")", ", 0.3)");
  }

  function diameterOf(value, largest, diameter) {
    if (largest === 0) return SMALLEST;
    return Math.max(SMALLEST, diameter * Math.sqrt(value / largest));
  }

  /** One standard deviation around every mean, as one line with gaps. */
  function ellipseTrace(book) {
    const x = [];
    const y = [];
    if (book.covariances !== null && !book.is_essential) {
      book.words.forEach(([birth, persistence], k) => {
        const [[xx, mixed], [, yy]] = book.covariances[k];
        const root = Math.sqrt(xx);
        const slope = mixed / root;
        const rest = Math.sqrt(Math.max(yy - slope * slope, 0));
        for (let i = 0; i <= CORNERS; i++) {
          const angle = (2 * Math.PI * i) / CORNERS;
          x.push(birth + root * Math.cos(angle));
          y.push(persistence + slope * Math.cos(angle) + rest * Math.sin(angle));
        }
        x.push(null);
        y.push(null);
      });
    }
    const line = { color: theme("faint"), width: 0.6 };
    return { mode: "lines", x, y, line, hoverinfo: "skip" };
  }

  // --- the bars -----------------------------------------------------------------------

  /** Draw one vector in the colors of its words, or two side by side in those of labels. */
  function drawBars(element, { vectors, names }) {
    const isPair = vectors.length === 2;
    const [more, less] = ["more", "less"].map(theme);
    const traces = vectors.map((values, side) => ({
      type: "bar",
      name: plain(names[side]),
      x: Array.from(values, (_, k) => k),
      y: Array.from(values),
      text: Array.from(values, (value, k) => {
        const of = isPair ? `<br>${plain(names[side])}` : "";
        return `word ${k}: ${short(value)}${of}`;
      }),
      textposition: "none",
      hoverinfo: "text",
      marker: {
        color: isPair ? [more, less][side] : Array.from(values, (_, k) => colorOf(k)),
        line: { color: theme("ink"), width: Array.from(values, () => 0) },
      },
    }));
    const layout = layoutOf("word", "");
    layout.yaxis.rangemode = "tozero";
    layout.bargap = 0.15;
    // Between few bars plotly would find room for fractions of words.
    if (vectors[0].length <= 10) layout.xaxis.dtick = 1;
    layout.uirevision = `bars ${vectors[0].length}`;
    return Plotly.react(element, traces, layout, CONFIG);
  }

  // --- one word in both ---------------------------------------------------------------

  /** Outline a word in both figures, and fade the points of others.
   *
   * Style only: the figures stay as they are, so that it can follow the pointer.
   */
  function emphasize(plane, bars, word, { words, isDifference }) {
    const n = plane.data[3].x.length;
    const widths = Array.from({ length: n }, (_, k) => (k === word ? 3 : 1));
    const colors = outlines.map((color, k) => (k === word ? theme("ink") : color));
    const line = { "marker.line.width": [widths], "marker.line.color": [colors] };
    Plotly.restyle(plane, line, [3]);
    const isFaded = words.includes(word) && !isDifference;
    const opacities = words.map((one) => (one === word || !isFaded ? 0.9 : FADED));
    Plotly.restyle(plane, { "marker.opacity": [opacities] }, [1]);
    const borders = Array.from({ length: n }, (_, k) => (k === word ? 2 : 0));
    Plotly.restyle(bars, { "marker.line.width": bars.data.map(() => borders) });
    // The band shows also a word whose bar has no height.
    const band = {
      ...{ type: "rect", layer: "below", xref: "x", yref: "paper", y0: 0, y1: 1 },
      ...{ x0: word - 0.5, x1: word + 0.5, fillcolor: theme("line"), opacity: 0.6 },
      line: { width: 0 },
    };
    return Plotly.relayout(bars, { shapes: [band] });
  }

  /** A number for reading, not for computing. */
  function short(value) {
    return value >= 1e308 ? "∞" : String(Number(value.toPrecision(4)));
  }

  return { drawPlane, drawBars, emphasize, colorOf, theme, short };
})();
