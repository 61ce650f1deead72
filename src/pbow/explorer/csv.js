"use strict";
// Diagrams from CSV text, by the rules of pbow.io: columns sample, part, birth, death; one
// row per point; a row without birth and death names a diagram that may be empty.

const Csv = (() => {
  const COLUMNS = ["sample", "part", "birth", "death"];
  const LARGEST_COORDINATE = 1e100;
  // What Python's float reads. Number() would take "", 0x10 and no "inf".
  const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
  const WORDS = { inf: Infinity, infinity: Infinity, nan: NaN };
  const ROWS_AT_ONCE = 20000;

  /** Read the samples of a text, for a model; throws an Error in words for people.
   *
   * `pause` is awaited now and then, so that the page can breathe.
   */
  async function readSamples(text, model, pause) {
    const rows = rowsOf(text.replace(/^\uFEFF/, ""));
    const header = rows.next().value ?? [];
    const places = COLUMNS.map((name) => header.indexOf(name));
    const known = header.filter((name) => COLUMNS.includes(name));
    if (known.length !== 4 || places.includes(-1)) {
      throw new Error(
        `The first line must have the columns ${COLUMNS.join(", ")}, each once; ` +
          `got ${shown(header)}.`,
      );
    }
    const parts = new Map(); // part: Map of sample: [birth, death, ...]
    const found = new Set();
    let count = 1;
    for (const row of rows) {
      count += 1;
      if (row.length !== header.length) {
        throw new Error(
          `Row ${count} has ${row.length} fields and the first line ` +
            `${header.length}: ${shown(row)}.`,
        );
      }
      addRow(parts, found, places.map((place) => row[place]), count, model.essential);
      if (count % ROWS_AT_ONCE === 0) await pause();
    }
    return collect(matched(parts, model.parts), found, model.parts);
  }

  /** Split text into rows of fields; a quoted field may have commas, quotes, lines. */
  function* rowsOf(text) {
    const field = /("(?:[^"]|"")*"|[^",\r\n][^,\r\n]*|)(,|\r\n|\r|\n|$)/y;
    let row = [];
    for (;;) {
      const at = field.lastIndex;
      const match = field.exec(text);
      if (match === null) {
        const rest = shown([text.slice(at)]);
        throw new Error(`A quotation mark is not closed, or not at the end, in ${rest}.`);
      }
      const [, word, end] = match;
      row.push(word[0] === '"' ? word.slice(1, -1).replaceAll('""', '"') : word);
      if (end === ",") continue;
      if (row.length > 1 || row[0] !== "") yield row;
      row = [];
      if (end === "") return;
    }
  }

  function addRow(parts, found, [sample, part, birth, death], row, essential) {
    if (!parts.has(part)) parts.set(part, new Map());
    const isPoint = birth !== "" || death !== "";
    if (!isPoint && sample === "") return;
    const index = toNumber(sample, row);
    if (!Number.isSafeInteger(index) || index < 0) {
      throw new Error(
        `Samples are numbered 0, 1, 2, ...; row ${row} has ${shown([sample])}.`,
      );
    }
    found.add(index);
    if (!isPoint) return;
    const point = [toNumber(birth, row), toNumber(death, row)];
    const wrong = faultOf(point, essential);
    if (wrong !== null) {
      const where = `Diagram ${index}${part && ` of part ${part}`} has a point`;
      throw new Error(`${where} ${wrong} (birth=${point[0]}, death=${point[1]}).`);
    }
    const diagrams = parts.get(part);
    if (!diagrams.has(index)) diagrams.set(index, []);
    diagrams.get(index).push(...point);
  }

  function toNumber(word, row) {
    const [, sign, name] = /^([+-]?)(.*)$/s.exec(word.trim().toLowerCase());
    if (DECIMAL.test(name)) return Number(sign + name);
    if (name in WORDS) return sign === "-" ? -WORDS[name] : WORDS[name];
    throw new Error(`${shown([word])} in row ${row} is not a number.`);
  }

  function faultOf([birth, death], essential) {
    if (Number.isNaN(birth) || Number.isNaN(death)) {
      return "that is NaN; remove it, or its padding, first";
    }
    if (!Number.isFinite(birth)) return "with an infinite birth; only a death may be infinite";
    if (death < birth) {
      return "that dies before it is born; for superlevel filtrations negate both";
    }
    if (Math.abs(birth) > LARGEST_COORDINATE || (death > LARGEST_COORDINATE && death < Infinity)) {
      return `beyond ${LARGEST_COORDINATE}; write inf for infinity, or rescale`;
    }
    if (death === Infinity && typeof essential === "number" && birth > essential) {
      return `that is essential and born after the model's essential=${essential}`;
    }
    return null;
  }

  /** The parts that a model needs. One without a name matches the only one. */
  function matched(parts, wanted) {
    const given = [...parts.keys()];
    if (given.length === 0) {
      throw new Error("There is no row below the first line, so that no part is known.");
    }
    const isUnnamed = given[0] === "" || wanted[0] === "";
    if (given.length === 1 && wanted.length === 1 && isUnnamed) {
      return new Map([[wanted[0], parts.get(given[0])]]);
    }
    const wrong = [
      ...wanted.filter((name) => !parts.has(name)).map((name) => `${name} is missing`),
      ...given
        .filter((name) => !wanted.includes(name))
        .slice(0, 5)
        .map((name) => `${name} is unexpected`),
    ];
    if (wrong.length === 0) return parts;
    throw new Error(
      `The model was fitted on the parts ${wanted.join(", ")}: ${wrong.join(", ")}.`,
    );
  }

  function collect(parts, found, names) {
    return Array.from({ length: found.size }, (_, index) => {
      if (!found.has(index)) {
        throw new Error(
          `Samples must be numbered from 0 without gaps; there is no ${index}. ` +
            `Write a row '${index},${names[0]},,' for an empty diagram.`,
        );
      }
      const points = (part) => Float64Array.from(parts.get(part).get(index) ?? []);
      return Object.fromEntries(names.map((part) => [part, points(part)]));
    });
  }

  function shown(row) {
    return JSON.stringify(row.join(",").slice(0, 60));
  }

  return { readSamples };
})();
