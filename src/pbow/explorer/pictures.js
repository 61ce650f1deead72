"use strict";
// The two pictures, by plotly. Whatever becomes text in a picture goes through plain():
// plotly reads a little HTML.

const Pictures = (() => {
  // Palette of Okabe and Ito without black. Seven colors and five signs have no common
  // divisor: 35 words look different, also to those who see few colors.
  const COLORS = [
    ...["#0072b2", "#d55e00", "#009e73", "#cc79a7"],
    ...["#e69f00", "#56b4e9", "#999999"],
  ];
  const SIGNS = ["circle", "square", "diamond", "triangle-up", "x"];
  const LARGEST = 42; // diameter of a circle, in pixels
  const SMALLEST = 5;
  const CORNERS = 48; // of an ellipse
  const CONFIG = {
    responsive: true,
    displaylogo: false,
    // Named one by one: plotly's own choice has a button that would upload the picture.
    plotlyServerURL: "",
    modeBarButtons: [
      ["toImage", "zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d"],
    ],
  };

  function plain(text) {
    return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  }

  function colorOf(word) {
    return COLORS[word % COLORS.length];
  }

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
    const axis = { gridcolor: line, zerolinecolor: line, automargin: true };
    return {
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { color: theme("ink"), size: 13 },
      margin: { l: 50, r: 10, t: 32, b: 45 }, // the buttons are at the top
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
      xaxis: { ...axis, title: { text: xTitle } },
      yaxis: { ...axis, title: { text: yTitle } },
    };
  }

  /** Draw words as circles, the points of diagrams, and the ellipses of a mixture.
   *
   * `drawing` has `values`, areas with a sign, and `texts`, lines to show on hovering,
   * for each word of `book`; `chosen`, a word to outline; `points` as birth,
   * persistence, ...; `labels` their words.
   */
  function drawPlane(element, drawing) {
    const { book, values, texts, isDifference, chosen, points, labels } = drawing;
    const traces = [pointTrace(points, labels, isDifference)];
    if (book.covariances !== null && !book.is_essential) traces.push(ellipseTrace(book));
    traces.push(wordTrace(book, values, texts, isDifference, chosen));
    const layout = layoutOf(
      book.is_essential ? "birth of essential classes" : "birth",
      book.is_essential ? "" : "persistence",
    );
    // Zooming survives a change of what is drawn, also of the resolution, but not of the
    // part.
    layout.uirevision = `points ${book.points}`;
    if (book.is_essential) {
      const line = { showgrid: false, showticklabels: false };
      Object.assign(layout.yaxis, { range: [-1, 1], ...line });
    }
    return Plotly.react(element, traces, layout, CONFIG);
  }

  function pointTrace(points, labels, isDifference) {
    const x = points.filter((_, i) => i % 2 === 0);
    const y = points.filter((_, i) => i % 2 === 1);
    const text = Array.from(
      labels,
      (word, i) => `birth ${short(x[i])}, persistence ${short(y[i])}<br>word ${word}`,
    );
    return {
      type: "scatter",
      mode: "markers",
      x: Array.from(x),
      y: Array.from(y),
      text,
      hoverinfo: "text",
      marker: {
        size: isDifference ? 4 : 7,
        opacity: 0.9,
        // Colors are for the two classes then.
        color: isDifference ? theme("line") : Array.from(labels, colorOf),
        symbol: Array.from(labels, (word) => SIGNS[word % SIGNS.length]),
      },
    };
  }

  function wordTrace(book, values, texts, isDifference, chosen) {
    const largest = values.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
    const [more, less] = (isDifference ? ["more", "less"] : ["word", "word"]).map(theme);
    const colors = values.map((value) => (value >= 0 ? more : less));
    return {
      type: "scatter",
      mode: "markers",
      x: book.words.map((word) => word[0]),
      y: book.words.map((word) => word[1]),
      text: texts.map((lines) => lines.map(plain).join("<br>")),
      hoverinfo: "text",
      marker: {
        size: values.map((value) => diameterOf(Math.abs(value), largest)),
        color: colors.map(seenThrough), // points are below
        opacity: 1,
        line: {
          color: values.map((_, k) => (k === chosen ? theme("ink") : colors[k])),
          width: values.map((_, k) => (k === chosen ? 3 : 1)),
        },
      },
    };
  }

  function seenThrough(color) {
    return color.replace("rgb(", "rgba(").replace(")", ", 0.4)");
  }

  function diameterOf(value, largest) {
    if (largest === 0) return SMALLEST;
    return Math.max(SMALLEST, LARGEST * Math.sqrt(value / largest));
  }

  /** One standard deviation around every mean, as one line with gaps. */
  function ellipseTrace(book) {
    const x = [];
    const y = [];
    book.words.forEach(([birth, persistence], k) => {
      const [[xx, xy], [, yy]] = book.covariances[k];
      const root = Math.sqrt(xx);
      const slope = xy / root;
      const rest = Math.sqrt(Math.max(yy - slope * slope, 0));
      for (let i = 0; i <= CORNERS; i++) {
        const angle = (2 * Math.PI * i) / CORNERS;
        x.push(birth + root * Math.cos(angle));
        y.push(persistence + slope * Math.cos(angle) + rest * Math.sin(angle));
      }
      x.push(null);
      y.push(null);
    });
    const line = { color: theme("faint"), width: 1 };
    return { type: "scatter", mode: "lines", x, y, line, hoverinfo: "skip" };
  }

  function drawHistogram(element, { values, chosen }) {
    const bars = {
      type: "bar",
      x: Array.from(values, (_, k) => k),
      y: Array.from(values),
      text: Array.from(values, (value, k) => `word ${k}: ${short(value)}`),
      textposition: "none",
      hoverinfo: "text",
      marker: {
        color: Array.from(values, (_, k) => colorOf(k)),
        line: {
          color: theme("ink"),
          width: Array.from(values, (_, k) => (k === chosen ? 2 : 0)),
        },
      },
    };
    const layout = layoutOf("word", "");
    layout.yaxis.rangemode = "tozero";
    // Between few bars plotly would find room for fractions of words.
    if (values.length <= 10) layout.xaxis.dtick = 1;
    return Plotly.react(element, [bars], layout, CONFIG);
  }

  /** A number for reading, not for computing. */
  function short(value) {
    return String(Number(value.toPrecision(4)));
  }

  return { drawPlane, drawHistogram, short };
})();
