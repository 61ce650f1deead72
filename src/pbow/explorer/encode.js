"use strict";
// The mathematics of the page: diagrams and a model in, vectors out. Pure functions.
//
// A model is what content.py writes: its codebooks are one per part and resolution, each
// normalized by itself. A sample is an object that has, for each part, a Float64Array of
// birth, death, birth, death, ... All numbers are float64, and nearest words are found by
// the very operations that Python does, so that ties end alike.

const Encode = (() => {
  const LEAST_NORM = 1e-12;
  const LARGEST_SINGLE = 3.4028234663852886e38;

  /** The vector of one sample: the columns of all codebooks side by side. */
  function encodeSample(model, sample) {
    const vector = new Float64Array(columnsOf(model));
    let start = 0;
    for (const book of model.codebooks) {
      const row = vector.subarray(start, start + book.words.length);
      addPoints(model, book, pointsOf(model, book, sample[book.part]), row);
      normalizeRow(row, model);
      start += row.length;
    }
    return model.dtype === "float32" ? vector.map(toSingle) : vector;
  }

  function columnsOf(model) {
    return model.codebooks.reduce((sum, book) => sum + book.words.length, 0);
  }

  /** What a codebook sees of a diagram: birth, persistence, ..., all finite. */
  function pointsOf(model, book, diagram) {
    const seen = [];
    for (let i = 0; i < diagram.length; i += 2) {
      const birth = diagram[i];
      const isEssential = diagram[i + 1] === Infinity;
      if (isEssential && typeof model.essential === "number") {
        seen.push(birth, model.essential - birth);
      } else if (isEssential === book.is_essential) {
        seen.push(birth, isEssential ? 0 : diagram[i + 1] - birth);
      }
    }
    return Float64Array.from(seen);
  }

  function addPoints(model, book, points, row) {
    for (let i = 0; i < points.length; i += 2) {
      const weight = weightOf(points[i + 1], book.ramp);
      if (model.encoding === "counts") {
        row[nearestWord(book, points[i], points[i + 1])] += weight;
      } else {
        addLikelihoods(model, book, points[i], points[i + 1], weight, row);
      }
    }
  }

  function weightOf(persistence, ramp) {
    if (ramp === null || persistence >= ramp[1]) return 1;
    if (persistence <= ramp[0]) return 0;
    const weight = (persistence - ramp[0]) / (ramp[1] - ramp[0]);
    return ramp[2] === 2 ? weight * weight : weight;
  }

  /** The first of the nearest words, in coordinates divided by the codebook's scale. */
  function nearestWord(book, birth, persistence) {
    const [rateX, rateY] = book.rates;
    const x = birth * rateX;
    const y = persistence * rateY;
    let nearest = 0;
    let smallest = Infinity;
    for (let k = 0; k < book.words.length; k++) {
      const dx = x - book.words[k][0] * rateX;
      const dy = y - book.words[k][1] * rateY;
      const distance = dx * dx + dy * dy;
      if (distance < smallest) {
        smallest = distance;
        nearest = k;
      }
    }
    return nearest;
  }

  function addLikelihoods(model, book, birth, persistence, weight, row) {
    const logs = logLikelihoods(model, book, birth, persistence);
    if (model.encoding === "posterior") makePosteriors(book, logs);
    for (let k = 0; k < row.length; k++) row[k] += weight * powerOf2(logs[k]);
  }

  /** log2 of what a point adds to each word; up to a constant for posteriors. */
  function logLikelihoods(model, book, birth, persistence) {
    const [meanX, meanY, l11, l21, l22, logFactor] = book.components;
    const logs = new Float64Array(meanX.length);
    for (let k = 0; k < logs.length; k++) {
      const dx = birth - meanX[k];
      const dy = persistence - meanY[k];
      const u = dx * l11[k];
      const v = dx * l21[k] + dy * l22[k];
      logs[k] = (model.encoding === "peak" ? 0 : logFactor[k]) - (u * u + v * v);
    }
    return logs;
  }

  /** Subtract the logarithm of the sum, from the largest on: far points underflow. */
  function makePosteriors(book, logs) {
    // A point so far that even logarithms overflow is shared out as at the means.
    if (logs.every((log) => log === -Infinity)) logs.set(book.components[5]);
    const largest = logs.reduce((a, b) => Math.max(a, b));
    let sum = 0;
    for (const log of logs) sum += powerOf2(log - largest);
    // One after the other: beside a huge logarithm, that of the sum would be lost.
    for (let k = 0; k < logs.length; k++) logs[k] = logs[k] - largest - Math.log2(sum);
  }

  function powerOf2(exponent) {
    return Math.exp(Math.LN2 * exponent);
  }

  function normalizeRow(row, { normalize, epsilon }) {
    if (normalize === "lipschitz") {
      const norm = row.reduce((a, b) => Math.hypot(a, b), 0);
      for (let k = 0; k < row.length; k++) row[k] /= 1 + norm;
    } else if (normalize === "smooth-sqrt") {
      // sqrt(v + epsilon) - sqrt(epsilon), without its cancellation.
      for (let k = 0; k < row.length; k++) {
        row[k] /= Math.sqrt(row[k] + epsilon) + Math.sqrt(epsilon);
      }
    } else if (normalize !== null) {
      const sum = row.reduce((a, b) => a + b, 0);
      const norm = normalize === "sqrt-l2" ? Math.max(Math.sqrt(sum), LEAST_NORM) : 1;
      for (let k = 0; k < row.length; k++) row[k] = Math.sqrt(row[k]) / norm;
    }
  }

  function toSingle(value) {
    return Math.fround(Math.min(value, LARGEST_SINGLE));
  }

  /** The word that a point belongs to: the nearest, or the one that it adds most to. */
  function wordOf(model, book, birth, persistence) {
    if (model.encoding === "counts") return nearestWord(book, birth, persistence);
    const logs = logLikelihoods(model, book, birth, persistence);
    return logs.reduce((best, log, k) => (log > logs[best] ? k : best), 0);
  }

  return { encodeSample, pointsOf, wordOf };
})();
