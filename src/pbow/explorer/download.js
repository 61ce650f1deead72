"use strict";
// Vectors as a CSV file.

const Download = (() => {
  const { inPieces } = Elements;

  /** Save n rows; numbers have as many digits as it takes to read the same again.
   *
   * `row(i)` is what stands in the columns; `status` is told how far it is.
   */
  async function save(status, { fileName, columns, n, row }) {
    const lines = [Csv.lineOf(columns)];
    await inPieces(
      n,
      (i) => lines.push(Csv.lineOf(row(i))),
      (howFar) => {
        status.textContent = `${howFar} rows …`;
      },
    );
    status.textContent = "";
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(lines, { type: "text/csv" }));
    link.download = fileName;
    link.click();
    // Some browsers read the file only after the click has returned.
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }

  return { save };
})();
