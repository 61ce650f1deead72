"use strict";
// The page: what is chosen, and what that shows.

(async () => {
  const { byId, count, counted, onChange, onClick } = Elements;
  const { fillSelect, tableRow } = Elements;
  const DRAWN_AT_MOST = 2000; // points; more would be slow to draw, and one blot
  const BEHIND_AT_MOST = 1000; // points of other samples behind those of one
  const NEAREST = 5;

  const content = JSON.parse(byId("content").textContent);
  const { model, labels, samples, ranking } = content;
  const featureCount = model.columns.length;
  if (byId("plotly") !== null) await Unpack.run("plotly");
  if (window.Plotly === undefined) {
    const { src } = document.querySelector("script[src]");
    throw new Error(`plotly.js was not found at ${src}`);
  }
  const types = { float64: Float64Array, float32: Float32Array };
  const vectors = await Unpack.numbersOf("vectors", types[model.dtype]);
  const drawn = await Unpack.numbersOf("points", Float64Array);
  const locations = await Unpack.numbersOf("locations", Int32Array);
  const rawType = content.raw?.kind === "cloud" ? Float32Array : Uint8Array;
  const rawNumbers = await Unpack.numbersOf("raw-bytes", rawType);
  if (content.raw !== null) Raw.take(content.raw, rawNumbers.buffer);
  // Of all diagrams, then of each label: what all words have together.
  const totals = content.means.map((part) => [part.all, ...part.labels].map(sum));
  const starts = model.codebooks.map((_, k) =>
    sum(model.codebooks.slice(0, k).map((one) => one.words.length)),
  );

  const ALL = { isOwn: false, index: -1 };
  const chosen = { book: 0, label: -1, other: -1, sample: ALL, word: 0, vertex: null };
  let query = "";
  let points = []; // those of the plane: { at, word, side, place }
  let total = 0; // of which these are drawn

  // --- what is chosen -----------------------------------------------------------------

  const book = () => model.codebooks[chosen.book];
  const isDifference = () => chosen.other >= 0 && chosen.other !== chosen.label;
  const wordsByScore = (k) => {
    const scores = ranking.scores.slice(starts[k], starts[k] + model.codebooks[k].words.length);
    return [...scores.keys()].sort((a, b) => scores[b] - scores[a]);
  };
  const scoreOf = (word) => ranking.scores[starts[chosen.book] + word];

  function openOnBestWord() {
    const best = ranking.scores.indexOf(Math.max(...ranking.scores));
    chosen.book = starts.findLastIndex((start) => start <= best);
    chosen.word = best - starts[chosen.book];
  }

  function vectorOf({ isOwn, index }) {
    if (isOwn) return Own.vectors()[index];
    return vectors.subarray(index * featureCount, (index + 1) * featureCount);
  }

  const meanVectorOf = (label) =>
    label < 0 ? content.mean_vector : content.label_vectors[label];

  /** The samples of the page that label and search leave. */
  function samplesLeft() {
    const wanted = query.trim().toLowerCase();
    return Array.from({ length: samples.n }, (_, i) => i).filter(
      (i) => isOfLabel(i) && nameOf({ isOwn: false, index: i }).toLowerCase().includes(wanted),
    );
  }

  function isOfLabel(index) {
    if (chosen.label < 0) return true;
    const label = samples.labels[index];
    return label === chosen.label || (isDifference() && label === chosen.other);
  }

  /** The points of a sample, and how many there are in all. */
  function pointsOf({ isOwn, index }) {
    if (isOwn) {
      const all = Encode.pointsOf(model, book(), Own.samples()[index][book().part]);
      const own = Array.from({ length: all.length / 2 }, (_, i) => ({
        at: [all[2 * i], all[2 * i + 1]],
        place: null,
      }));
      return { found: own, total: own.length };
    }
    const { start, kept, total } = samples.points[book().points];
    const found = Array.from({ length: kept[index] }, (_, i) => {
      const place = start[index] + i;
      return { at: [drawn[2 * place], drawn[2 * place + 1]], place };
    });
    return { found, total: total[index] };
  }

  function everyNth(all, most) {
    const step = Math.ceil(all.length / most);
    return all.filter((_, i) => i % step === 0);
  }

  /** The points of all samples of the labels chosen, with the side that they are on. */
  function pointsOfAll(most) {
    const found = [];
    let total = 0;
    for (let index = 0; index < samples.n; index++) {
      if (!isOfLabel(index)) continue;
      const side = isDifference() && samples.labels[index] === chosen.other ? 1 : 0;
      const ofOne = pointsOf({ isOwn: false, index });
      for (const point of ofOne.found) found.push({ ...point, side });
      total += ofOne.total;
    }
    return { found: everyNth(found, most), total };
  }

  function sum(values) {
    return values.reduce((a, b) => a + b, 0);
  }

  function nameOf({ isOwn, index }) {
    if (isOwn) return `diagram ${index} of your file`;
    return samples.names?.[index] ?? `sample ${numberOf(index)}`;
  }

  /** Which one it was among all, of which the page may hold a selection. */
  const numberOf = (index) => samples.numbers?.[index] ?? index;
  const labelOf = (index) => (samples.labels === null ? null : labels[samples.labels[index]]);
  const labelNameOf = (label) => (label < 0 ? "all samples" : labels[label]);
  const isOne = () => chosen.sample.index >= 0;

  // --- what is shown ------------------------------------------------------------------

  function show() {
    showPlane();
    showBars();
    showRanking();
    showNearest();
    showRaw();
    showWord(chosen.word);
    writeAddress();
  }

  function showPlane() {
    const all = pointsOfAll(isOne() ? BEHIND_AT_MOST : DRAWN_AT_MOST);
    const these = isOne() ? pointsOf(chosen.sample) : all;
    const side = isOne() ? sideOf(chosen.sample) : 0;
    total = these.total;
    points = everyNth(these.found, DRAWN_AT_MOST).map((point) => ({
      side,
      ...point,
      word: Encode.wordOf(model, book(), ...point.at),
    }));
    const { values, what } = areas();
    const beyond = Plots.drawPlane(byId("plane"), {
      book: book(),
      axes: content.axes[book().points],
      values,
      isDifference: isDifference(),
      points: points.map(({ at }) => at),
      words: points.map(({ word }) => word),
      sides: points.map((point) => point.side),
      others: isOne() ? all.found.map(({ at }) => at) : [],
      marked: points.filter(isAtVertex).map(({ at }) => at),
      texts: book().words.map((_, k) => hoverLines(k)),
    });
    const whose = isOne() ? nameOf(chosen.sample) : whoseNames();
    const edge = [
      beyond.words && counted(beyond.words, "word"),
      beyond.points && counted(beyond.points, "point"),
    ].filter(Boolean);
    byId("plane-note").textContent =
      `Circles are words; their area is ${what}. Points: ${whose}, ` +
      `${count(points.length)} of ${count(total)} drawn` +
      (!isDifference() ? ", in the color of their word." : side === 2 ? ", of neither label." : ".") +
      (isOne() ? " Gray: the other samples." : "") +
      (edge.length ? ` Beyond the axes, marked at the edge: ${edge.join(", ")}.` : "");
  }

  const whoseNames = () =>
    isDifference()
      ? `${labelNameOf(chosen.label)} and ${labelNameOf(chosen.other)}`
      : labelNameOf(chosen.label);

  const labelIndexOf = ({ isOwn, index }) =>
    isOwn || samples.labels === null ? -1 : samples.labels[index];

  /** The label compared that a sample is of: 0, 1, or 2 if it is of neither. */
  function sideOf(sample) {
    if (sample.isOwn || !isOfLabel(sample.index)) return 2;
    return labelIndexOf(sample) === chosen.other ? 1 : 0;
  }

  /** The areas of the words, with a sign where two labels are compared. */
  function areas() {
    const { label, other } = chosen;
    const { unit } = content;
    if (!isDifference()) {
      const what = label < 0 ? `the ${unit}` : `the ${unit} of label ${labels[label]}`;
      return { values: meanOf(label), what };
    }
    const values = meanOf(label).map((mean, k) => mean - meanOf(other)[k]);
    const what =
      `the difference in ${unit}, orange where ${labelNameOf(label)} has more and blue ` +
      `where ${labelNameOf(other)} has more`;
    return { values, what };
  }

  function meanOf(label) {
    const means = content.means[chosen.book];
    return label < 0 ? means.all : means.labels[label];
  }

  /** For all samples and for each label: what the word has, and its fraction. */
  function rowsOfWord(word) {
    return [-1, ...labels.keys()].map((label) => {
      const mean = meanOf(label)[word];
      const total = totals[chosen.book][label + 1];
      return { label, mean, fraction: total > 0 ? mean / total : 0 };
    });
  }

  function hoverLines(word) {
    const rows = rowsOfWord(word);
    const lines = rows
      .slice(0, 13)
      .map(({ label, mean }) => `${clipped(labelNameOf(label))}: ${Plots.short(mean)}`);
    if (rows.length > lines.length) lines.push("… (all labels in the table)");
    return [titleOf(word), ...lines];
  }

  function titleOf(word) {
    const [birth, persistence] = book().words[word].map(Plots.short);
    return `word ${word}: birth ${birth}` +
      (book().is_essential ? "" : `, persistence ${persistence}`);
  }

  function showBars() {
    const start = starts[chosen.book];
    const part = (vector) => vector.slice(start, start + book().words.length);
    const sides = isDifference() ? [chosen.label, chosen.other] : [chosen.label];
    const isMean = !isOne();
    const shown = isMean
      ? { vectors: sides.map((label) => part(meanVectorOf(label))), names: sides.map(labelNameOf) }
      : { vectors: [part(vectorOf(chosen.sample))], names: [nameOf(chosen.sample)] };
    Plots.drawBars(byId("bars"), shown);
    byId("bars-title").textContent = isMean
      ? `Mean vector${isDifference() ? "s" : ""} of ${whoseNames()}`
      : `Vector of ${nameOf(chosen.sample)}`;
    const label = labelIndexOf(chosen.sample);
    byId("bars-note").textContent =
      `${book().words.length} of ${counted(featureCount, "feature")}: part ${book().name}.` +
      (isOne() && label >= 0 ? ` Label: ${labels[label]}.` : "") +
      (isMean && isDifference()
        ? ` Orange: ${labelNameOf(chosen.label)}; blue: ${labelNameOf(chosen.other)}.`
        : "");
  }

  // --- words --------------------------------------------------------------------------

  function showRanking() {
    const rows = wordsByScore(chosen.book).map((word, rank) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "word";
      button.style.setProperty("--swatch", Plots.colorOf(word));
      button.textContent = `word ${word}`;
      const [birth, persistence] = book().words[word].map(Plots.short);
      const most = labels.length ? labels[indexOfMost(word)] : "";
      const row = tableRow([
        [String(rank + 1), "number"],
        [button, ""],
        [Plots.short(scoreOf(word)), "number"],
        [birth, "number"],
        [book().is_essential ? "∞" : persistence, "number"],
        [clipped(most), "name labels"],
      ]);
      row.dataset.word = word;
      row.cells[5].title = most; // which is cut off if it is long
      return row;
    });
    byId("ranking").tBodies[0].replaceChildren(...rows);
  }

  const indexOfMost = (word) =>
    labels.reduce((best, _, k) => (meanOf(k)[word] > meanOf(best)[word] ? k : best), 0);

  /** Show a word everywhere, chosen or only hovered over. */
  function showWord(word) {
    Plots.emphasize(byId("plane"), byId("bars"), word, {
      words: points.map((point) => point.word),
      isDifference: isDifference(),
    });
    for (const row of byId("ranking").tBodies[0].rows) {
      const isThis = Number(row.dataset.word) === word;
      row.classList.toggle("current", isThis);
      row.querySelector("button").setAttribute("aria-pressed", Number(row.dataset.word) === chosen.word);
    }
    byId("word").value = String(chosen.word);
    byId("word-panel").style.setProperty("--swatch", Plots.colorOf(word));
    byId("word-title").textContent = titleOf(word).replace("w", "W");
    const rows = rowsOfWord(word);
    const largest = Math.max(...rows.map(({ mean }) => mean), Number.MIN_VALUE);
    byId("word-table").tBodies[0].replaceChildren(
      ...rows.map(({ label, fraction, mean }) => {
        const bar = document.createElement("span");
        bar.className = "bar";
        bar.style.width = `${(100 * mean) / largest}%`;
        return tableRow([
          [labelNameOf(label), "name"],
          [Plots.short(mean), "number"],
          [bar, "bars"],
          [`${(100 * fraction).toFixed(2)} %`, "number"],
        ]);
      }),
    );
    drawRaw(word);
  }

  const clipped = (text) => (text.length > 40 ? `${text.slice(0, 39)}…` : text);

  function selectWord(word) {
    chosen.word = word;
    chosen.vertex = null;
    showPlane();
    showWord(word);
    writeAddress();
  }

  // --- nearest ------------------------------------------------------------------------

  function distance(a, b) {
    let squares = 0;
    for (let k = 0; k < a.length; k++) squares += (a[k] - b[k]) ** 2;
    return Math.sqrt(squares);
  }

  function showNearest() {
    const table = byId("nearest");
    table.tBodies[0].replaceChildren();
    table.tHead.replaceChildren();
    byId("nearest-label").textContent = "";
    if (!isOne()) {
      byId("nearest-note").textContent =
        "Choose a sample, or drop a diagram: its nearest samples and label are listed here.";
      return;
    }
    const vector = vectorOf(chosen.sample);
    const { isOwn, index } = chosen.sample;
    byId("nearest-note").textContent =
      `To ${nameOf(chosen.sample)}, by the Euclidean distance of the vectors of all parts` +
      (samples.numbers === null ? "." : `, among the ${count(samples.n)} samples of this page.`);
    if (labels.length) {
      const apart = content.label_vectors.map((mean) => distance(vector, mean));
      const best = apart.indexOf(Math.min(...apart));
      byId("nearest-label").textContent =
        `Nearest label: ${labels[best]} (distance ${Plots.short(apart[best])} to its mean vector).`;
    }
    const rows = Array.from({ length: samples.n }, (_, i) => i)
      .filter((i) => isOwn || i !== index)
      .map((i) => [distance(vector, vectorOf({ isOwn: false, index: i })), i])
      .sort((a, b) => a[0] - b[0] || a[1] - b[1])
      .slice(0, NEAREST)
      .map(([apart, i]) => {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = clipped(nameOf({ isOwn: false, index: i }));
        button.addEventListener("click", () => selectSample({ isOwn: false, index: i }));
        const label = labelOf(i);
        return tableRow([
          [button, "name"],
          ...(label === null ? [] : [[label, "name"]]),
          [Plots.short(apart), "number"],
        ]);
      });
    const heads = [["sample", ""], ...(labels.length ? [["label", ""]] : []), ["distance", "number"]];
    table.tHead.replaceChildren(tableRow(heads));
    table.tBodies[0].replaceChildren(...rows);
  }

  // --- raw data -----------------------------------------------------------------------

  const width = content.raw?.width ?? 0; // vertices of a birth or a death, at most

  /** The vertices of the birth (0) or the death (1) of a point of the page. */
  function verticesOf({ place }, side) {
    if (place === null || width === 0 || !content.raw.located[book().points]) return [];
    const from = (2 * place + side) * width;
    return Array.from(locations.subarray(from, from + width)).filter((v) => v >= 0);
  }

  const isAtVertex = (point) =>
    chosen.vertex !== null &&
    [0, 1].some((side) => verticesOf(point, side).includes(chosen.vertex));

  function showRaw() {
    byId("raw-title").textContent =
      isOne() ? `Raw data of ${nameOf(chosen.sample)}` : "Raw data";
  }

  function drawRaw(word) {
    if (content.raw === null) return;
    const note = byId("raw-note");
    if (!isOne() || chosen.sample.isOwn) {
      Raw.draw(-1, [], null);
      note.textContent = isOne()
        ? "A dropped diagram has no raw data here."
        : "Choose a sample to see it beside its diagram.";
      return;
    }
    const ofWord = points.filter((point) => point.word === word);
    const color = Plots.colorOf(word);
    const marks = ofWord.flatMap((point) =>
      [1, 0].map((side) => ({ vertices: verticesOf(point, side), color, isBirth: side === 0 })),
    );
    const placed = marks.filter(({ vertices }) => vertices.length > 0);
    if (!Raw.draw(chosen.sample.index, placed, chosen.vertex)) {
      note.textContent = Raw.reasonOf(chosen.sample.index);
      return;
    }
    if (!content.raw.located[book().points]) {
      note.textContent =
        `Part ${book().name} has no locations: compute homology with return_locations=True.`;
      return;
    }
    const what = content.raw.kind === "image" ? "pixel" : "point";
    const drawnOf =
      points.length < total ? `, of the ${count(points.length)} of ${count(total)} drawn` : "";
    note.textContent =
      chosen.vertex === null
        ? `${counted(ofWord.length, "point")} of word ${word}${drawnOf}: births are filled, ` +
          `deaths open. Click a ${what}, or press Enter here, to find the points of the diagram ` +
          "born or dying there."
        : `${Raw.nameOf(chosen.vertex)}: ${counted(points.filter(isAtVertex).length, "point")} ` +
          `of the diagram born or dying there${drawnOf}.`;
  }

  const verticesOfAll = (some) =>
    new Set(some.flatMap((point) => [0, 1].flatMap((side) => verticesOf(point, side))));

  function selectVertex(vertex) {
    chosen.vertex = vertex;
    showPlane();
    showWord(chosen.word);
  }

  /** By keys: the next vertex of the chosen word; none after the last. */
  function stepVertex() {
    const ofWord = points.filter((point) => point.word === chosen.word);
    const all = [null, ...verticesOfAll(ofWord)];
    selectVertex(all[(all.indexOf(chosen.vertex) + 1) % all.length]);
  }

  function listenToRaw() {
    const canvas = byId("raw");
    let from = null;
    let isTurned = false;
    canvas.addEventListener("pointerdown", (event) => {
      [from, isTurned] = [event, false];
    });
    canvas.addEventListener("pointermove", (event) => {
      if (from === null || event.buttons === 0 || !Raw.isSolid()) return;
      Raw.turn((event.clientX - from.clientX) / 150, (event.clientY - from.clientY) / 150);
      [from, isTurned] = [event, true];
      drawRaw(chosen.word);
    });
    canvas.addEventListener("click", (event) => {
      if (isOne() && !isTurned) selectVertex(Raw.nearest(event, verticesOfAll(points)));
    });
    canvas.addEventListener("keydown", (event) => {
      if (event.key === "Enter") stepVertex();
      const by = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] };
      if (!(event.key in by) || !Raw.isSolid()) return;
      event.preventDefault();
      Raw.turn(...by[event.key]);
      drawRaw(chosen.word);
    });
  }

  // --- the address --------------------------------------------------------------------

  /** Whole numbers by name; what is not there is as it is at first. */
  function writeAddress() {
    const { book: part, word, label, other, sample } = chosen;
    const values = { part, word };
    if (label >= 0) values.label = label;
    if (isDifference()) values.with = other;
    if (isOne() && !sample.isOwn) values.sample = numberOf(sample.index);
    history.replaceState(null, "", `#${new URLSearchParams(values)}`);
  }

  /** Choose what the address says, as far as there is such a thing in this page. */
  function readAddress() {
    const given = new URLSearchParams(location.hash.slice(1));
    const number = (name, end) => {
      const text = given.get(name) ?? "";
      return /^\d+$/.test(text) && Number(text) < end ? Number(text) : -1;
    };
    openOnBestWord();
    const part = number("part", model.codebooks.length);
    if (part >= 0) {
      chosen.book = part;
      const word = number("word", book().words.length);
      chosen.word = word >= 0 ? word : wordsByScore(part)[0];
    }
    chosen.label = number("label", labels.length);
    chosen.other = number("with", labels.length);
    const wanted = number("sample", Infinity);
    const index = samples.numbers === null ? wanted : samples.numbers.indexOf(wanted);
    chosen.sample = index < samples.n ? { isOwn: false, index } : ALL;
  }

  // --- choosing -----------------------------------------------------------------------

  function fillControls() {
    fillSelect("part", model.codebooks.map((one, k) => [k, one.name]));
    const named = labels.map((name, k) => [k, clipped(name)]);
    fillSelect("label", [[-1, "all samples"], ...named]);
    fillSelect("other", [[-1, "none"], ...named]);
    for (const field of document.querySelectorAll(".labels")) {
      field.hidden = labels.length === 0;
    }
    byId("part-field").hidden = model.codebooks.length === 1;
    fillChoices();
  }

  /** Options that depend on what is chosen. */
  function fillChoices() {
    byId("part").value = String(chosen.book);
    byId("label").value = String(chosen.label);
    byId("other").value = String(chosen.other);
    fillSelect("word", wordsByScore(chosen.book).map((word) => [word, `word ${word}`]));
    fillSamples();
  }

  function fillSamples() {
    const text = (index) => {
      const label = labelOf(index);
      const name = nameOf({ isOwn: false, index });
      return clipped(label === null ? name : `${name} (${label})`);
    };
    const left = samplesLeft();
    const own = Own.samples().map((_, index) => [
      `own ${index}`,
      nameOf({ isOwn: true, index }),
    ]);
    const { isOwn, index } = chosen.sample;
    // A sample that label and search do not leave is not shown either.
    if (isOne() && !isOwn && !left.includes(index)) chosen.sample = ALL;
    fillSelect("sample", [
      ["page -1", whoseNames()],
      ...own,
      ...left.map((i) => [`page ${i}`, text(i)]),
    ]);
    byId("sample").value = `${chosen.sample.isOwn ? "own" : "page"} ${chosen.sample.index}`;
    const isPart = left.length < samples.n;
    byId("found").textContent =
      isPart ? `${count(left.length)} of ${counted(samples.n, "sample")} to step through.` : "";
  }

  function selectSample(sample) {
    chosen.sample = sample;
    chosen.vertex = null;
    if (isOne() && !sample.isOwn && !samplesLeft().includes(sample.index)) {
      chosen.label = chosen.other = -1;
      byId("search").value = query = "";
    }
    fillChoices();
    show();
  }

  function sampleOfSelect() {
    const [kind, index] = byId("sample").value.split(" ");
    selectSample({ isOwn: kind === "own", index: Number(index) });
  }

  function step(by) {
    const select = byId("sample");
    const last = select.options.length - 1;
    select.selectedIndex = Math.min(Math.max(select.selectedIndex + by, 0), last);
    sampleOfSelect();
  }

  function listen() {
    byId("controls").addEventListener("submit", (event) => event.preventDefault());
    onChange("part", (value) => {
      chosen.book = Number(value);
      [chosen.word] = wordsByScore(chosen.book);
      chosen.vertex = null;
      fillChoices();
      show();
    });
    for (const id of ["label", "other"]) {
      onChange(id, (value) => {
        chosen[id] = Number(value);
        fillSamples();
        show();
      });
    }
    onChange("sample", sampleOfSelect);
    byId("search").addEventListener("input", () => {
      query = byId("search").value;
      fillSamples();
      show();
    });
    byId("search").addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      const [first] = samplesLeft();
      if (first !== undefined) selectSample({ isOwn: false, index: first });
    });
    onChange("word", (value) => selectWord(Number(value)));
    onClick("previous", () => step(-1));
    onClick("next", () => step(1));
    onChange("theme", (value) => {
      document.documentElement.dataset.theme = value;
      show();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
    window.addEventListener("hashchange", () => {
      byId("search").value = query = ""; // it could hide the sample that was asked for
      chosen.vertex = null;
      readAddress();
      fillChoices();
      show();
    });
    listenToWords();
    listenToRaw();
  }

  /** Hovering shows a word for the moment, and a click chooses it, in every view. */
  function listenToWords() {
    const wordAtPlane = ({ points: [{ data, pointNumber }] }) =>
      data.name === "points" ? points[pointNumber].word : pointNumber;
    const views = { plane: wordAtPlane, bars: ({ points: [{ pointNumber }] }) => pointNumber };
    for (const [id, wordAt] of Object.entries(views)) {
      byId(id).on("plotly_hover", (event) => showWord(wordAt(event)));
      byId(id).on("plotly_unhover", () => showWord(chosen.word));
      byId(id).on("plotly_click", (event) => selectWord(wordAt(event)));
    }
    const wordAtRow = (event) => {
      const row = event.target.closest("tbody tr");
      return row === null ? null : Number(row.dataset.word);
    };
    const when = (name, act) =>
      byId("ranking").addEventListener(name, (event) => {
        const word = wordAtRow(event);
        if (word !== null) act(word);
      });
    for (const name of ["mouseover", "focusin"]) when(name, showWord);
    for (const name of ["mouseleave", "focusout"]) {
      byId("ranking").addEventListener(name, () => showWord(chosen.word));
    }
    when("click", selectWord);
  }

  // --- downloads ----------------------------------------------------------------------

  function downloadAll() {
    const columns = ["sample"];
    if (samples.names !== null) columns.push("name");
    if (samples.labels !== null) columns.push("label");
    const lead = (i) =>
      [numberOf(i), samples.names?.[i], labelOf(i)].filter((one) => one != null);
    Download.save(byId("download-status"), {
      fileName: "vectors.csv",
      columns: [...columns, ...model.columns],
      n: samples.n,
      row: (i) => [...lead(i), ...vectorOf({ isOwn: false, index: i })],
    });
  }

  // --- start --------------------------------------------------------------------------

  byId("summary").textContent = content.summary;
  byId("word-note").textContent =
    `Count: ${content.unit}, before normalization. Fraction: of the total of all words of ` +
    "this part and label.";
  byId("score-name").textContent = ranking.name;
  byId("ranking-note").textContent = ranking.note;
  byId("notes").replaceChildren(
    ...content.notes.map((note) => {
      const item = document.createElement("li");
      item.textContent = note;
      return item;
    }),
  );
  // Before anything is drawn, because figures take the width that there is.
  byId("raw-panel").hidden = content.raw === null;
  byId("panels").classList.toggle("with-raw", content.raw !== null);
  readAddress();
  fillControls();
  show();
  listen();
  onClick("download-all", downloadAll);
  Own.listen(model, () => {
    selectSample(Own.samples().length ? { isOwn: true, index: 0 } : ALL);
  });
  document.querySelector("main").setAttribute("aria-busy", "false");
})().catch((error) => {
  Elements.byId("summary").textContent =
    `This page cannot start. It needs a browser of 2024 or later. ${error}`;
});
