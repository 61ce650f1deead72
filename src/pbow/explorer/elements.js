"use strict";
// Finding and filling elements of the page. Names and labels can be anything, so they
// become text, never HTML.

const Elements = (() => {
  const BUSY = 40; // milliseconds of work before the page may breathe

  const byId = (id) => document.getElementById(id);
  const count = (n) => n.toLocaleString("en");
  const counted = (n, word) => `${count(n)} ${word}${n === 1 ? "" : "s"}`;

  function onChange(id, act) {
    byId(id).addEventListener("change", () => act(byId(id).value));
  }

  function onClick(id, act) {
    byId(id).addEventListener("click", act);
  }

  function fillSelect(id, options) {
    // One by one: there may be more of them than a function takes arguments.
    const made = document.createDocumentFragment();
    for (const [value, text] of options) made.append(new Option(text, value));
    byId(id).replaceChildren(made);
  }

  /** A row of cells, each given by its content and its class. */
  function tableRow(cells) {
    const row = document.createElement("tr");
    for (const [inner, className] of cells) {
      const cell = row.insertCell();
      cell.className = className;
      cell.append(inner); // a string becomes text
    }
    return row;
  }

  function breathe() {
    return new Promise((resolve) => setTimeout(resolve));
  }

  /** Do n pieces of work; say now and then how far it is. Ends early at false. */
  async function inPieces(n, work, say) {
    let since = performance.now();
    for (let i = 0; i < n; i++) {
      work(i);
      if (performance.now() - since > BUSY) {
        if (say(`${count(i + 1)} of ${count(n)}`) === false) return;
        await breathe();
        since = performance.now();
      }
    }
  }

  return {
    ...{ byId, count, counted, onChange, onClick },
    ...{ fillSelect, tableRow, breathe, inPieces },
  };
})();
