"use strict";
// Diagrams from CSV text, by the rules of pbow.io: columns sample, part, birth, death; a
// row for each point; a row without birth and death names a diagram that may be empty.

const Csv = (() => {
  const COLUMNS = ["sample", "part", "birth", "death"];
  const LARGEST_COORDINATE = 1e100;
  // What Python's float reads. Number() would take "", 0x10 and no "inf".
  const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
  const INFINITE = /^([+-]?)inf(inity)?$/i;
  const ROWS_AT_ONCE = 20000;

  /** Read the samples of a text, for a model; throws an Error in words for people.
   *
   * `pause` is awaited now and then, so that the page can breathe.
   */
  async function readSamples(text, model, pause) {
    const rows = rowsOf(text.replace(/^\uFEFF/, ""));
    const header = rows.next().value ?? [];
    const places = placesOf(header);
    const found = { samples: new Set(), parts: new Map() };
    let count = 1;
    for (const row of rows) {
      count += 1;
      if (row.length !== header.length) {
        throw new Error(
          `Row ${count} has ${row.length} fields and the first line ` +
            `${header.length}: ${shown(row)}.`,
        );
      }
      addRow(found, places.map((place) => row[place]), count);
      if (count % ROWS_AT_ONCE === 0) await pause();
    }
    takeUnnamed(found.parts, model.parts);
    checkParts([...found.parts.keys()], model.parts);
    return collect(found, model);
  }

  /** Split text into rows of fields; a quoted field may have commas, quotes, lines. */
  function* rowsOf(text) {
    const plain = /[^,\r\n]*/y;
    let row = [];
    let at = 0;
    for (;;) {
      let field;
      if (text[at] === '"') {
        [field, at] = quotedField(text, at);
      } else {
        plain.lastIndex = at;
        [field] = plain.exec(text);
        at += field.length;
      }
      row.push(field);
      if (text[at] === ",") {
        at += 1;
        continue;
      }
      if (row.length > 1 || row[0] !== "") yield row;
      row = [];
      if (at >= text.length) return;
      at += text.startsWith("\r\n", at) ? 2 : 1;
    }
  }

  function quotedField(text, start) {
    let field = "";
    let at = start + 1;
    for (;;) {
      const end = text.indexOf('"', at);
      if (end < 0) throw new Error("A quotation mark is opened and never closed.");
      field += text.slice(at, end);
      at = end + 1;
      if (text[at] !== '"') break;
      field += '"';
      at += 1;
    }
    if (at < text.length && !",\r\n".includes(text[at])) {
      throw new Error(`After the quoted ${shown([field])} a comma or a new line is due.`);
    }
    return [field, at];
  }

  function placesOf(header) {
    const known = header.filter((name) => COLUMNS.includes(name));
    if (known.length !== 4 || new Set(known).size !== 4) {
      throw new Error(
        `The first line must have the columns ${COLUMNS.join(", ")}, each once; ` +
          `got ${shown(header)}.`,
      );
    }
    return COLUMNS.map((name) => header.indexOf(name));
  }

  function addRow(found, [sample, part, birth, death], row) {
    if (!found.parts.has(part)) found.parts.set(part, new Map());
    const isPoint = birth !== "" || death !== "";
    if (!isPoint && sample === "") return;
    const index = toNumber(sample, row);
    if (!Number.isSafeInteger(index) || index < 0) {
      throw new Error(
        `Samples are numbered 0, 1, 2, ...; row ${row} has ${shown([sample])}.`,
      );
    }
    found.samples.add(index);
    if (!isPoint) return;
    const point = [toNumber(birth, row), toNumber(death, row)];
    checkPoint(point, index, part);
    const diagrams = found.parts.get(part);
    if (!diagrams.has(index)) diagrams.set(index, []);
    diagrams.get(index).push(...point);
  }

  function toNumber(word, row) {
    const trimmed = word.trim();
    if (DECIMAL.test(trimmed)) return Number(trimmed);
    const infinite = INFINITE.exec(trimmed);
    if (infinite) return infinite[1] === "-" ? -Infinity : Infinity;
    if (/^[+-]?nan$/i.test(trimmed)) return NaN;
    throw new Error(`${shown([word])} in row ${row} is not a number.`);
  }

  function checkPoint([birth, death], sample, part) {
    const isDeath = death <= LARGEST_COORDINATE || death === Infinity;
    if (death >= birth && Math.abs(birth) <= LARGEST_COORDINATE && isDeath) return;
    const where = `Diagram ${sample}${part && ` of part ${part}`} has a point`;
    const what = `(birth=${birth}, death=${death})`;
    if (Number.isNaN(birth) || Number.isNaN(death)) {
      throw new Error(`${where} that is NaN ${what}. Remove it, or its padding, first.`);
    }
    if (!Number.isFinite(birth)) {
      throw new Error(
        `${where} with an infinite birth ${what}. Only a death may be infinite.`,
      );
    }
    if (death < birth) {
      throw new Error(
        `${where} that dies before it is born ${what}. ` +
          "For superlevel filtrations negate both coordinates.",
      );
    }
    throw new Error(
      `${where} beyond ${LARGEST_COORDINATE} ${what}. ` +
        "Where this stands for infinity, write inf; else rescale the diagrams.",
    );
  }

  /** A part without a name is the only one of the model, and the other way round. */
  function takeUnnamed(parts, [wanted, ...others]) {
    const [given, ...further] = parts.keys();
    if (others.length || further.length || (given !== "" && wanted !== "")) return;
    const diagrams = parts.get(given);
    parts.delete(given);
    parts.set(wanted, diagrams);
  }

  function checkParts(given, wanted) {
    if (given.length === 0) {
      throw new Error("There is no row below the first line, so that no part is known.");
    }
    const missing = wanted.filter((name) => !given.includes(name));
    const extra = given.filter((name) => !wanted.includes(name));
    if (missing.length + extra.length === 0) return;
    const wrong = [
      ...missing.map((name) => `${name} is missing`),
      ...extra.slice(0, 5).map((name) => `${name} is unexpected`),
    ];
    throw new Error(
      `The model was fitted on the parts ${wanted.join(", ")}: ${wrong.join(", ")}.`,
    );
  }

  function collect(found, model) {
    const n = found.samples.size;
    for (let index = 0; index < n; index++) {
      if (found.samples.has(index)) continue;
      throw new Error(
        `Samples must be numbered from 0 without gaps; there is no ${index}. ` +
          `Write a row '${index},${model.parts[0]},,' for an empty diagram.`,
      );
    }
    const samples = Array.from({ length: n }, (_, index) => {
      const points = (part) => found.parts.get(part).get(index) ?? [];
      return Object.fromEntries(
        model.parts.map((part) => [part, Float64Array.from(points(part))]),
      );
    });
    samples.forEach((sample, index) => checkBirths(sample, index, model));
    return samples;
  }

  /** With a number for essential points, none may be born after it. */
  function checkBirths(sample, index, model) {
    if (typeof model.essential !== "number") return;
    for (const part of model.parts) {
      const points = sample[part];
      for (let i = 0; i < points.length; i += 2) {
        if (points[i + 1] === Infinity && points[i] > model.essential) {
          throw new Error(
            `Diagram ${index}${part && ` of part ${part}`} has an essential point born ` +
              `at ${points[i]}, after the model's essential=${model.essential}.`,
          );
        }
      }
    }
  }

  function shown(row) {
    return JSON.stringify(row.join(",").slice(0, 60));
  }

  /** One line of CSV: texts as they are, quoted where they could be misread.
   *
   * Spreadsheets take what begins with = + - @ for a formula, unless they are told that
   * quoted fields are text. An apostrophe before it would change the name.
   */
  function lineOf(fields) {
    const quoted = fields.map((field) => {
      if (typeof field === "number") return String(field);
      const isOdd = /[",\r\n]|^[\s=+\-@]|\s$/.test(field);
      return isOdd ? `"${field.replaceAll('"', '""')}"` : field;
    });
    return `${quoted.join(",")}\n`;
  }

  return { readSamples, lineOf };
})();
