"use strict";
// Raw data of a sample, an image or a point cloud, on a canvas.

const Raw = (() => {
  const { byId } = Elements;
  const SIZE = 480; // pixels of the canvas in each direction
  const REACH = 14; // of a click, in pixels of the canvas

  let raw = null;
  let bytes = null;
  let angles = [0.5, 0.35];
  let shown = null; // the sample, and where its vertices are on the canvas

  /** Take what content.py writes: places of the samples in a block of numbers. */
  function take(described, buffer) {
    raw = described;
    bytes = buffer;
  }

  const itemOf = (sample) => raw.items[String(sample)] ?? null;

  /** Draw a sample and the marks in it.
   *
   * `marks`: [{ vertices, color, isBirth }]; an edge or a triangle is drawn as such.
   */
  function draw(sample, marks, chosen) {
    const item = itemOf(sample);
    const canvas = byId("raw");
    canvas.width = canvas.height = SIZE;
    const context = canvas.getContext("2d");
    shown = null;
    canvas.hidden = item === null;
    if (item === null) return false;
    const place = raw.kind === "image" ? drawImage(context, item) : drawCloud(context, item);
    shown = { item, place };
    for (const mark of marks) drawMark(context, mark, place);
    if (chosen !== null) {
      const [x, y] = place(chosen);
      context.strokeStyle = Plots.theme("ink");
      context.lineWidth = 2.5;
      context.strokeRect(x - 9, y - 9, 18, 18);
    }
    return true;
  }

  function drawImage(context, { start, shape: [height, width], full, masked }) {
    const pixels = new Uint8Array(bytes, start, height * width);
    const small = new OffscreenCanvas(width, height);
    const data = new ImageData(width, height);
    pixels.forEach((gray, i) => {
      const alpha = masked && gray === 0 ? 0 : 255; // the page is seen through a mask
      data.data.set([gray, gray, gray, alpha], 4 * i);
    });
    small.getContext("2d").putImageData(data, 0, 0);
    const scale = SIZE / Math.max(full[0], full[1]);
    context.imageSmoothingEnabled = false;
    context.drawImage(small, 0, 0, full[1] * scale, full[0] * scale);
    return (pixel) => [
      ((pixel % full[1]) + 0.5) * scale,
      (Math.floor(pixel / full[1]) + 0.5) * scale,
    ];
  }

  function drawCloud(context, { start, shape: [n, dimension] }) {
    const points = new Float32Array(bytes, start, n * dimension);
    const flat = Array.from({ length: n }, (_, i) =>
      turned(points.subarray(i * dimension, (i + 1) * dimension)),
    );
    const [xs, ys] = [0, 1].map((axis) => flat.map((point) => point[axis]));
    const [left, right, low, high] = [xs, ys].flatMap((all) => [
      Math.min(...all),
      Math.max(...all),
    ]);
    const scale = (SIZE - 40) / Math.max(right - left, high - low, Number.MIN_VALUE);
    const place = (i) => [
      SIZE / 2 + (flat[i][0] - (left + right) / 2) * scale,
      SIZE / 2 - (flat[i][1] - (low + high) / 2) * scale,
    ];
    context.fillStyle = Plots.theme("faint");
    for (let i = 0; i < n; i++) {
      const [x, y] = place(i);
      context.beginPath();
      context.arc(x, y, 2.5, 0, 2 * Math.PI);
      context.fill();
    }
    return place;
  }

  /** Where a point of space is seen, turned by two angles; a point of a plane as it is. */
  function turned([x, y, z]) {
    if (z === undefined) return [x, y];
    const [around, up] = angles;
    const across = Math.cos(around) * x - Math.sin(around) * y;
    const depth = Math.sin(around) * x + Math.cos(around) * y;
    return [across, Math.cos(up) * z - Math.sin(up) * depth];
  }

  function drawMark(context, { vertices, color, isBirth }, place) {
    const corners = vertices.map(place);
    context.strokeStyle = context.fillStyle = color;
    context.lineWidth = 2;
    if (corners.length > 1) {
      context.beginPath();
      corners.forEach(([x, y]) => context.lineTo(x, y));
      context.closePath();
      context.stroke();
    }
    // Births are filled, deaths are open.
    for (const [x, y] of corners) {
      context.beginPath();
      context.arc(x, y, 5, 0, 2 * Math.PI);
      if (isBirth) context.fill();
      context.lineWidth = isBirth ? 1 : 2.5;
      if (isBirth) context.strokeStyle = Plots.theme("paper");
      context.stroke();
      context.strokeStyle = color;
    }
  }

  /** Of candidate vertices, the one nearest to a click, or null if none is near. */
  function nearest(event, candidates) {
    if (shown === null) return null;
    const box = byId("raw").getBoundingClientRect();
    const x = ((event.clientX - box.left) * SIZE) / box.width;
    const y = ((event.clientY - box.top) * SIZE) / box.height;
    let best = null;
    let least = REACH;
    for (const vertex of candidates) {
      const [vx, vy] = shown.place(vertex);
      const distance = Math.hypot(vx - x, vy - y);
      if (distance < least) [best, least] = [vertex, distance];
    }
    return best;
  }

  function turn(by, up) {
    angles = [angles[0] + by, angles[1] + up];
  }

  const isSolid = () => raw?.kind === "cloud" && shown?.item.shape[1] === 3;
  const nameOf = (vertex) => {
    if (raw.kind === "cloud") return `vertex ${vertex}`;
    const width = shown.item.full[1];
    return `pixel (row ${Math.floor(vertex / width)}, column ${vertex % width})`;
  };

  const reasonOf = (sample) =>
    raw.without.includes(sample)
      ? "No raw data was given for this sample."
      : "Raw data of this sample is not in this page, which holds only as many as fit.";

  return { take, draw, nearest, turn, isSolid, nameOf, reasonOf };
})();
