"use strict";
// Diagrams of the user: read from a file that is dropped or chosen, encoded, listed.

const Own = (() => {
  const { byId, count, counted, onChange, onClick, tableRow } = Elements;
  const { breathe, inPieces } = Elements;
  const ROWS_A_PAGE = 20;

  let model = null;
  let samples = [];
  let vectors = [];
  let firstRow = 0;
  let readings = 0;

  /** Wait for files; `onRead` is called when there are other diagrams than before. */
  function listen(forModel, onRead) {
    model = forModel;
    onChange("file", () => readFiles(byId("file").files, onRead));
    const dragging = (isOver) => (event) => {
      event.preventDefault();
      document.body.classList.toggle("dragging", isOver);
    };
    document.addEventListener("dragover", dragging(true));
    document.addEventListener("dragleave", dragging(false));
    document.addEventListener("drop", (event) => {
      dragging(false)(event);
      readFiles(event.dataTransfer.files, onRead);
    });
    onClick("earlier", () => showRows(firstRow - ROWS_A_PAGE));
    onClick("later", () => showRows(firstRow + ROWS_A_PAGE));
    onClick("download-own", downloadThese);
  }

  function downloadThese() {
    const rows = vectors; // another file may come before all are written
    Download.save(byId("own-download-status"), {
      fileName: "own-vectors.csv",
      columns: ["sample", ...model.columns],
      n: rows.length,
      row: (i) => [i, ...rows[i]],
    });
  }

  async function readFiles(files, onRead) {
    if (files.length === 0) return;
    readings += 1;
    const reading = readings;
    const name = files[0].name;
    try {
      if (files.length > 1) throw new Error(`expected one file, got ${files.length}.`);
      say(`Reading ${name} …`);
      const read = await Csv.readSamples(await files[0].text(), model, breathe);
      const encoded = await encode(read, name, () => reading === readings);
      // A file that was chosen meanwhile wins.
      if (reading !== readings) return;
      [samples, vectors] = [read, encoded];
      showRows(0);
      byId("own-result").hidden = false;
      onRead();
      const features = counted(model.columns.length, "feature");
      say(`${name}: ${counted(read.length, "diagram")}, ${features}.`);
    } catch (error) {
      if (reading === readings) say(`${name}: ${error.message}`, true);
    }
  }

  function say(text, isWrong = false) {
    byId("status").textContent = text;
    byId("status").classList.toggle("wrong", isWrong);
  }

  async function encode(read, name, isWanted) {
    const encoded = [];
    await inPieces(
      read.length,
      (i) => encoded.push(Encode.encodeSample(model, read[i])),
      (howFar) => {
        if (isWanted()) say(`${name}: ${howFar} diagrams …`);
        return isWanted();
      },
    );
    return encoded;
  }

  function showRows(wanted) {
    const n = vectors.length;
    firstRow = Math.max(wanted, 0);
    const end = Math.min(firstRow + ROWS_A_PAGE, n);
    const heads = model.columns.map((column) => [column, "number"]);
    const rows = [];
    for (let i = firstRow; i < end; i++) {
      const cells = Array.from(vectors[i], (value) => [Pictures.short(value), "number"]);
      rows.push(tableRow([[String(i), ""], ...cells]));
    }
    const table = byId("own-table");
    table.tHead.replaceChildren(tableRow([["diagram", ""], ...heads]));
    table.tBodies[0].replaceChildren(...rows);
    byId("rows").textContent =
      n === 0 ? "no diagrams" : `${firstRow} to ${end - 1} of ${count(n)}`;
    byId("earlier").disabled = firstRow === 0;
    byId("later").disabled = end >= n;
  }

  return { listen, samples: () => samples, vectors: () => vectors };
})();
