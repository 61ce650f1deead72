"use strict";
// The page: what is chosen, and what that shows.

(async () => {
  const { byId, count, counted, onChange, onClick } = Elements;
  const { fillSelect, tableRow } = Elements;
  const DRAWN_AT_MOST = 2000; // points; more would be slow to draw, and one blot

  const content = JSON.parse(byId("content").textContent);
  const { model, classes, samples } = content;
  const featureCount = model.columns.length;
  await Unpack.run("plotly");
  const vectors = new { float64: Float64Array, float32: Float32Array }[model.dtype](
    await Unpack.bytesOf("vectors"),
  );
  const drawn = new Float64Array(await Unpack.bytesOf("points"));
  // Of all diagrams, then of each class: what all words have together.
  const totals = content.means.map((part) => [part.all, ...part.classes].map(sum));

  const chosen = {
    book: firstToShow(),
    first: -1,
    second: -1,
    sample: { own: false, index: -1 }, // -1: all diagrams of the page
    word: 0,
  };

  /** The first codebook that fills the plane: with one birth, say, it is but a line. */
  function firstToShow() {
    const isWide = (values) => new Set(values).size > 1;
    const fillsPlane = ({ words }) =>
      isWide(words.map((word) => word[0])) && isWide(words.map((word) => word[1]));
    return Math.max(model.codebooks.findIndex(fillsPlane), 0);
  }

  // --- what is chosen -----------------------------------------------------------------

  const book = () => model.codebooks[chosen.book];
  const means = () => content.means[chosen.book];

  function vectorOf({ own: isOwn, index }) {
    if (isOwn) return Own.vectors()[index];
    if (index < 0) return content.mean_vector;
    return vectors.subarray(index * featureCount, (index + 1) * featureCount);
  }

  /** The points to draw, and how many there are in all. */
  function pointsOf({ own: isOwn, index }) {
    if (isOwn) {
      const all = Encode.pointsOf(model, book(), Own.samples()[index][book().part]);
      return { points: everyNth(all), total: all.length / 2 };
    }
    const { start, kept, total } = samples.points[book().points];
    if (index < 0) {
      const here = drawn.subarray(2 * start[0], 2 * start[start.length - 1]);
      return { points: everyNth(here), total: sum(total) };
    }
    const from = start[index];
    const points = drawn.subarray(2 * from, 2 * (from + kept[index]));
    return { points, total: total[index] };
  }

  function everyNth(points) {
    const step = Math.ceil(points.length / 2 / DRAWN_AT_MOST);
    return points.filter((_, i) => Math.floor(i / 2) % step === 0);
  }

  function sum(values) {
    return values.reduce((a, b) => a + b, 0);
  }

  function nameOf({ own: isOwn, index }) {
    if (isOwn) return `diagram ${index} of your file`;
    if (index < 0) return "all diagrams";
    return samples.names?.[index] ?? `diagram ${numberOf(index)}`;
  }

  /** Which one it was among all, of which the page may hold a choice. */
  function numberOf(index) {
    return samples.numbers?.[index] ?? index;
  }

  function labelOf(index) {
    return samples.classes === null ? null : classes[samples.classes[index]];
  }

  // --- what is shown ------------------------------------------------------------------

  function show() {
    showPlane();
    showHistogram();
    showWord(chosen.word);
  }

  function showPlane() {
    const { points, total } = pointsOf(chosen.sample);
    const labels = [];
    for (let i = 0; i < points.length; i += 2) {
      labels.push(Encode.wordOf(model, book(), points[i], points[i + 1]));
    }
    const { values, isDifference, what } = areas();
    Pictures.drawPlane(byId("plane"), {
      book: book(),
      values,
      isDifference,
      points,
      labels,
      texts: book().words.map((_, k) => hoverLines(k)),
      chosen: chosen.word,
    });
    const largest = Math.max(...values.map(Math.abs));
    byId("plane-note").textContent =
      `Circles are words; their area is ${what}, at most ${Pictures.short(largest)}. ` +
      `Points: ${nameOf(chosen.sample)}, ${count(labels.length)} of ${count(total)} ` +
      `drawn, ${isDifference ? "in gray" : "in the color and sign of their word"}.`;
  }

  /** The areas of the words, with a sign where two classes are compared. */
  function areas() {
    const { first, second } = chosen;
    const { unit } = content;
    if (second < 0 || first === second) {
      const what = first < 0 ? `the ${unit}` : `the ${unit} of class ${classNameOf(first)}`;
      return { values: meanOf(first), isDifference: false, what };
    }
    const values = meanOf(first).map((mean, k) => mean - meanOf(second)[k]);
    const what =
      `the difference in ${unit}, red where ${classNameOf(first)} has more and blue ` +
      `where ${classNameOf(second)} has`;
    return { values, isDifference: true, what };
  }

  const meanOf = (index) => (index < 0 ? means().all : means().classes[index]);
  const classNameOf = (index) => (index < 0 ? "all" : classes[index]);

  /** For all diagrams and for each class: what the word has, and its share. */
  function rowsOfWord(word) {
    return [-1, ...classes.keys()].map((index) => {
      const mean = meanOf(index)[word];
      const total = totals[chosen.book][index + 1];
      return { name: classNameOf(index), mean, share: total > 0 ? mean / total : 0 };
    });
  }

  function hoverLines(word) {
    const shown = rowsOfWord(word);
    const lines = shown
      .slice(0, 13)
      .map(({ name, share }) => `${clipped(name)}: ${percent(share)}`);
    if (shown.length > lines.length) lines.push("… (all classes in the table)");
    return [titleOf(word), ...lines];
  }

  function titleOf(word) {
    const [birth, persistence] = book().words[word].map(Pictures.short);
    return `word ${word}: birth ${birth}` +
      (book().is_essential ? "" : `, persistence ${persistence}`);
  }

  function showHistogram() {
    const start = startOf(chosen.book);
    const values = vectorOf(chosen.sample).slice(start, start + book().words.length);
    Pictures.drawHistogram(byId("histogram"), { values, chosen: chosen.word });
    const { own: isOwn, index } = chosen.sample;
    const label = isOwn || index < 0 ? null : labelOf(index);
    byId("histogram-title").textContent =
      index < 0 ? "Mean vector" : `Vector of ${nameOf(chosen.sample)}`;
    byId("histogram-note").textContent =
      `${book().words.length} of ${counted(featureCount, "feature")}: part ${book().name}` +
      (label === null ? "." : `. Class: ${label}.`);
  }

  function startOf(bookIndex) {
    return sum(model.codebooks.slice(0, bookIndex).map((one) => one.words.length));
  }

  function showWord(word) {
    chosen.word = word;
    byId("word").value = String(word);
    byId("word-title").textContent = titleOf(word).replace("w", "W");
    const rows = rowsOfWord(word);
    const largest = Math.max(...rows.map(({ share }) => share), Number.MIN_VALUE);
    byId("word-table").tBodies[0].replaceChildren(
      ...rows.map(({ name, share, mean }) => {
        const bar = document.createElement("span");
        bar.className = "bar";
        bar.style.width = `${(100 * share) / largest}%`;
        return tableRow([
          [name, "name"],
          [percent(share), "number"],
          [bar, "bars"],
          [Pictures.short(mean), "number"],
        ]);
      }),
    );
  }

  const percent = (share) => `${(100 * share).toFixed(2)} %`;
  const clipped = (text) => (text.length > 40 ? `${text.slice(0, 39)}…` : text);

  // --- choosing -----------------------------------------------------------------------

  function fillControls() {
    fillSelect("part", model.codebooks.map((one, k) => [k, one.name]));
    byId("part").value = String(chosen.book);
    const named = classes.map((name, k) => [k, clipped(name)]);
    fillSelect("first", [[-1, "all diagrams"], ...named]);
    fillSelect("second", [[-1, "none"], ...named]);
    for (const field of document.querySelectorAll(".classes")) {
      field.hidden = classes.length === 0;
    }
    byId("part-field").hidden = model.codebooks.length === 1;
    fillWords();
    fillSamples();
  }

  function fillWords() {
    fillSelect("word", book().words.map((_, k) => [k, `word ${k}`]));
  }

  function fillSamples() {
    const text = (index) => {
      const label = labelOf(index);
      const name = nameOf({ own: false, index });
      return clipped(label === null ? name : `${name} (${label})`);
    };
    const ofPage = Array.from({ length: samples.n }, (_, i) => [`page ${i}`, text(i)]);
    const ofFile = Own.samples().map((_, index) => [
      `own ${index}`,
      nameOf({ own: true, index }),
    ]);
    fillSelect("sample", [["page -1", "all diagrams"], ...ofFile, ...ofPage]);
    byId("sample").value = `${chosen.sample.own ? "own" : "page"} ${chosen.sample.index}`;
  }

  function chooseSample() {
    const [kind, index] = byId("sample").value.split(" ");
    chosen.sample = { own: kind === "own", index: Number(index) };
    showPlane();
    showHistogram();
  }

  function step(by) {
    const select = byId("sample");
    const last = select.options.length - 1;
    select.selectedIndex = Math.min(Math.max(select.selectedIndex + by, 0), last);
    chooseSample();
  }

  function listen() {
    byId("controls").addEventListener("submit", (event) => event.preventDefault());
    onChange("part", (value) => {
      chosen.book = Number(value);
      chosen.word = 0;
      fillWords();
      show();
    });
    for (const id of ["first", "second"]) {
      onChange(id, (value) => {
        chosen[id] = Number(value);
        showPlane();
      });
    }
    onChange("sample", chooseSample);
    onChange("word", (value) => {
      chosen.word = Number(value);
      show();
    });
    onClick("previous", () => step(-1));
    onClick("next", () => step(1));
    onChange("theme", (value) => {
      document.documentElement.dataset.theme = value;
      show();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
    const wordAt = ({ points: [point] }) =>
      point.curveNumber === byId("plane").data.length - 1 ? point.pointNumber : null;
    byId("plane").on("plotly_hover", (event) => {
      const word = wordAt(event);
      if (word !== null) showWord(word);
    });
    byId("plane").on("plotly_click", (event) => {
      chosen.word = wordAt(event) ?? chosen.word;
      show();
    });
  }

  // --- downloads ----------------------------------------------------------------------

  function downloadAll() {
    const columns = ["sample"];
    if (samples.names !== null) columns.push("name");
    if (samples.classes !== null) columns.push("label");
    const lead = (i) =>
      [numberOf(i), samples.names?.[i], labelOf(i)].filter((one) => one != null);
    Download.save(byId("download-status"), {
      fileName: "vectors.csv",
      columns: [...columns, ...model.columns],
      n: samples.n,
      row: (i) => [...lead(i), ...vectorOf({ own: false, index: i })],
    });
  }

  // --- start --------------------------------------------------------------------------

  byId("summary").textContent = content.summary;
  byId("unit").textContent = content.unit;
  byId("notes").replaceChildren(
    ...content.notes.map((note) => {
      const item = document.createElement("li");
      item.textContent = note;
      return item;
    }),
  );
  fillControls();
  show();
  listen();
  onClick("download-all", downloadAll);
  Own.listen(model, () => {
    if (chosen.sample.own) chosen.sample = { own: false, index: -1 };
    fillSamples();
    show();
  });
  document.querySelector("main").setAttribute("aria-busy", "false");
})().catch((error) => {
  Elements.byId("summary").textContent =
    `This page cannot start; a browser of 2024 or later should. (${error})`;
});
