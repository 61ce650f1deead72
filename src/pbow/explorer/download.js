"use strict";
// Vectors as a CSV file.

const Download = (() => {
  const { byId, inPieces } = Elements;

  /** Save n rows; numbers have as many digits as it takes to read the same again.
   *
   * `heads` are the columns before the features, `lead(i)` what stands in them.
   */
  async function save(fileName, heads, columns, n, lead, vector) {
    const status = byId("download-status");
    const lines = [Csv.lineOf([...heads, ...columns])];
    await inPieces(
      n,
      (i) => lines.push(Csv.lineOf([...lead(i), ...vector(i)])),
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
