"use strict";
// Vectors as a CSV file.

const Download = (() => {
  const { inPieces } = Elements;

  /** Save n rows; numbers have as many digits as it takes to read the same again.
   *
   * `row(i)` is what stands in the columns; `status` is told how far it is.
   */
  async function save(status, { fileName, columns, n, row }) {
    const lines = [lineOf(columns)];
    await inPieces(
      n,
      (i) => lines.push(lineOf(row(i))),
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

  /** One line of CSV: texts as they are, quoted where they could be misread.
   *
   * Spreadsheets take what begins with = + - @ for a formula, also in quotation marks.
   * An apostrophe makes it text, as in the CSV files that pbow writes in Python.
   */
  function lineOf(fields) {
    const quoted = fields.map((field) => {
      if (typeof field === "number") return String(field);
      const text = /^'*[=+\-@\t\r]/.test(field) ? `'${field}` : field;
      const isOdd = /[",\r\n]|^\s|\s$/.test(text);
      return isOdd ? `"${text.replaceAll('"', '""')}"` : text;
    });
    return `${quoted.join(",")}\n`;
  }

  return { save, lineOf };
})();
