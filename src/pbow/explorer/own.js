"use strict";
// Diagrams of the user: read from a file that is dropped or chosen, and encoded.

const Own = (() => {
  const { byId, counted, onChange, onClick, breathe, inPieces } = Elements;

  let model = null;
  let samples = [];
  let vectors = [];
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

  return { listen, samples: () => samples, vectors: () => vectors };
})();
