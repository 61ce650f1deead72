"use strict";
// The page: what is chosen, and what that shows. Names and labels can be anything, so
// they become text by textContent alone.

(() => {
  const ROWS_A_PAGE = 20;
  const DRAWN_AT_MOST = 2000; // points; more would be slow to draw, and one blot
  const BUSY = 40; // milliseconds of work before the page may breathe

  const byId = (id) => document.getElementById(id);
  const content = JSON.parse(byId("content").textContent);
  const { model, classes, samples } = content;
  const featureCount = model.columns.length;
  const vectors = new { float64: Float64Array, float32: Float32Array }[model.dtype](
    bytesOf("vectors"),
  );
  const drawn = new Float64Array(bytesOf("points"));

  const chosen = {
    book: 0,
    first: -1,
    second: -1,
    sample: { own: false, index: -1 }, // -1: all diagrams of the page
    word: 0,
  };
  let own = { samples: [], vectors: [], firstRow: 0 };
  let readings = 0;

  function bytesOf(id) {
    const element = byId(id);
    const text = atob(element.textContent);
    element.remove();
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
    return bytes.buffer;
  }

  // --- what is chosen -----------------------------------------------------------------

  const book = () => model.codebooks[chosen.book];
  const means = () => content.means[chosen.book];

  function vectorOf({ own: isOwn, index }) {
    if (isOwn) return own.vectors[index];
    if (index < 0) return content.mean_vector;
    return vectors.subarray(index * featureCount, (index + 1) * featureCount);
  }

  /** The points to draw, and how many there are in all. */
  function pointsOf({ own: isOwn, index }) {
    if (isOwn) {
      const all = Encode.pointsOf(model, book(), own.samples[index][book().part]);
      return { points: everyNth(all), total: all.length / 2 };
    }
    const { start, kept, total } = samples.points[chosen.book];
    if (index < 0) {
      const here = drawn.subarray(2 * start[0], 2 * start[start.length - 1]);
      return { points: everyNth(here), total: sum(total) };
    }
    const from = start[index];
    return { points: drawn.subarray(2 * from, 2 * (from + kept[index])), total: total[index] };
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
    return samples.names?.[index] ?? `diagram ${index}`;
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
      `Points: ${nameOf(chosen.sample)}, ${count(labels.length)} of ${count(total)} drawn, ` +
      `in the colour and sign of their word.`;
  }

  /** The areas of the words, with a sign where two classes are compared. */
  function areas() {
    const { first, second } = chosen;
    const unit = content.unit;
    if (first < 0) {
      return { values: means().all, isDifference: false, what: `the ${unit}` };
    }
    const one = means().classes[first];
    if (second < 0 || first === second) {
      const what = `the ${unit} of class ${classes[first]}`;
      return { values: one, isDifference: false, what };
    }
    const values = one.map((mean, k) => mean - means().classes[second][k]);
    const what =
      `the difference in ${unit}, red where ${classes[first]} has more and blue where ` +
      `${classes[second]} has`;
    return { values, isDifference: true, what };
  }

  function rowsOfWord(word) {
    const rows = [["all", means().all]];
    if (classes.length > 0) {
      rows.push(...classes.map((name, c) => [name, means().classes[c]]));
    }
    return rows.map(([name, mean]) => {
      const total = sum(mean);
      return { name, mean: mean[word], share: total > 0 ? mean[word] / total : 0 };
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
      (book().never_dies ? "" : `, persistence ${persistence}`);
  }

  function showHistogram() {
    const start = startOf(chosen.book);
    const values = vectorOf(chosen.sample).slice(start, start + book().words.length);
    Pictures.drawHistogram(byId("histogram"), { values, chosen: chosen.word });
    const label = chosen.sample.own || chosen.sample.index < 0 ? null : labelOf(chosen.sample.index);
    byId("histogram-title").textContent =
      chosen.sample.index < 0 ? "Mean vector" : `Vector of ${nameOf(chosen.sample)}`;
    byId("histogram-note").textContent =
      `${book().words.length} of ${featureCount} features: part ${book().name}` +
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

  function tableRow(cells) {
    const row = document.createElement("tr");
    for (const [inner, className] of cells) {
      const cell = row.insertCell();
      cell.className = className;
      cell.append(inner); // a string becomes text, never HTML
    }
    return row;
  }

  const percent = (share) => `${(100 * share).toFixed(2)} %`;
  const count = (n) => n.toLocaleString("en");
  const clipped = (text) => (text.length > 40 ? `${text.slice(0, 39)}…` : text);

  // --- choosing -----------------------------------------------------------------------

  function fill(select, options) {
    select.replaceChildren(...options.map(([value, text]) => new Option(text, value)));
  }

  function fillControls() {
    fill(byId("part"), model.codebooks.map((one, k) => [k, one.name]));
    const named = classes.map((name, k) => [k, clipped(name)]);
    fill(byId("first"), [[-1, "all diagrams"], ...named]);
    fill(byId("second"), [[-1, "none"], ...named]);
    for (const field of document.querySelectorAll(".classes")) {
      field.hidden = classes.length === 0;
    }
    byId("part-field").hidden = model.codebooks.length === 1;
    fillWords();
    fillSamples();
  }

  function fillWords() {
    fill(byId("word"), book().words.map((_, k) => [k, `word ${k}`]));
  }

  function fillSamples() {
    const select = byId("sample");
    const text = (index) => {
      const label = labelOf(index);
      const name = nameOf({ own: false, index });
      return clipped(label === null ? name : `${name} (${label})`);
    };
    const options = Array.from({ length: samples.n }, (_, i) => new Option(text(i), `page ${i}`));
    const ownOptions = own.samples.map(
      (_, i) => new Option(nameOf({ own: true, index: i }), `own ${i}`),
    );
    select.replaceChildren(new Option("all diagrams", "page -1"), ...ownOptions, ...options);
    const { own: isOwn, index } = chosen.sample;
    select.value = `${isOwn ? "own" : "page"} ${index}`;
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

  function onChange(id, act) {
    byId(id).addEventListener("change", () => act(byId(id).value));
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
    byId("previous").addEventListener("click", () => step(-1));
    byId("next").addEventListener("click", () => step(1));
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

  // --- own diagrams -------------------------------------------------------------------

  function listenForFiles() {
    onChange("file", () => readFiles(byId("file").files));
    const dragging = (isOver) => (event) => {
      event.preventDefault();
      document.body.classList.toggle("dragging", isOver);
    };
    document.addEventListener("dragover", dragging(true));
    document.addEventListener("dragleave", dragging(false));
    document.addEventListener("drop", (event) => {
      dragging(false)(event);
      readFiles(event.dataTransfer.files);
    });
    byId("earlier").addEventListener("click", () => showOwnRows(own.firstRow - ROWS_A_PAGE));
    byId("later").addEventListener("click", () => showOwnRows(own.firstRow + ROWS_A_PAGE));
  }

  async function readFiles(files) {
    readings += 1;
    const reading = readings;
    if (files.length !== 1) {
      if (files.length > 1) say("Expected one file; got several.", true);
      return;
    }
    const [file] = files;
    try {
      say(`Reading ${file.name} …`);
      const text = await file.text();
      const read = await Csv.readSamples(text, model, breathe);
      const computed = await encodeAll(read, file.name, () => reading === readings);
      // A file that was chosen meanwhile wins.
      if (reading !== readings) return;
      own = { samples: read, vectors: computed, firstRow: 0 };
      if (chosen.sample.own) chosen.sample = { own: false, index: -1 };
      fillSamples();
      show();
      showOwnRows(0);
      byId("own-result").hidden = false;
      say(`${file.name}: ${count(read.length)} diagrams, ${count(featureCount)} features.`);
    } catch (error) {
      if (reading === readings) say(`${file.name}: ${error.message}`, true);
    }
  }

  function say(text, isWrong = false) {
    byId("status").textContent = text;
    byId("status").classList.toggle("wrong", isWrong);
  }

  function breathe() {
    return new Promise((resolve) => setTimeout(resolve));
  }

  async function encodeAll(read, name, isWanted) {
    const computed = [];
    let since = performance.now();
    for (const sample of read) {
      computed.push(Encode.encodeSample(model, sample));
      if (performance.now() - since > BUSY) {
        say(`${name}: ${count(computed.length)} of ${count(read.length)} diagrams …`);
        await breathe();
        if (!isWanted()) break;
        since = performance.now();
      }
    }
    return computed;
  }

  function showOwnRows(firstRow) {
    const n = own.vectors.length;
    own.firstRow = Math.min(Math.max(firstRow, 0), Math.max(n - 1, 0));
    const end = Math.min(own.firstRow + ROWS_A_PAGE, n);
    const table = byId("own-table");
    table.tHead.replaceChildren(
      tableRow([["diagram", ""], ...model.columns.map((column) => [column, "number"])]),
    );
    const rows = [];
    for (let i = own.firstRow; i < end; i++) {
      const cells = Array.from(own.vectors[i], (value) => [Pictures.short(value), "number"]);
      rows.push(tableRow([[String(i), ""], ...cells]));
    }
    table.tBodies[0].replaceChildren(...rows);
    byId("rows").textContent = n === 0 ? "no diagrams" : `${own.firstRow} to ${end - 1} of ${count(n)}`;
    byId("earlier").disabled = own.firstRow === 0;
    byId("later").disabled = end >= n;
  }

  // --- downloads ----------------------------------------------------------------------

  function listenForDownloads() {
    byId("download-own").addEventListener("click", () =>
      download("own-vectors.csv", ["sample"], own.vectors.length, (i) => [i], (i) => own.vectors[i]),
    );
    byId("download-all").addEventListener("click", () => {
      const heads = ["sample"];
      if (samples.names !== null) heads.push("name");
      if (samples.classes !== null) heads.push("label");
      const tail = (i) => [samples.names?.[i], labelOf(i)].filter((text) => text != null);
      const vector = (index) => vectorOf({ own: false, index });
      download("vectors.csv", heads, samples.n, (i) => [i, ...tail(i)], vector);
    });
  }

  /** Save rows as CSV; numbers have as many digits as it takes to read the same again. */
  async function download(fileName, heads, n, lead, vector) {
    const lines = [Csv.lineOf([...heads, ...model.columns])];
    let since = performance.now();
    for (let i = 0; i < n; i++) {
      lines.push(Csv.lineOf([...lead(i), ...vector(i)]));
      if (performance.now() - since > BUSY) {
        byId("download-status").textContent = `${count(i)} of ${count(n)} rows …`;
        await breathe();
        since = performance.now();
      }
    }
    byId("download-status").textContent = "";
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(lines, { type: "text/csv" }));
    link.download = fileName;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
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
  byId("word-note").textContent =
    "Share: what this word has of all that a class has. Hover a word in the plane, or choose one above.";
  fillControls();
  show();
  listen();
  listenForFiles();
  listenForDownloads();
})();
