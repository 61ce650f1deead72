"use strict";
// The large pieces of the page: deflated, in base64, in elements of their own.

const Unpack = (() => {
  /** The bytes of an element, which is removed to free its memory. */
  async function bytesOf(id) {
    const element = document.getElementById(id);
    const text = atob(element.textContent);
    element.remove();
    const packed = new Uint8Array(text.length);
    for (let i = 0; i < packed.length; i++) packed[i] = text.charCodeAt(i);
    const unpacking = new Blob([packed]).stream();
    const stream = unpacking.pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).arrayBuffer();
  }

  /** The numbers of an element, of a typed array; content.py tells the order of bytes. */
  async function numbersOf(id, Type) {
    const unpacked = await bytesOf(id);
    const packed = new Uint8Array(unpacked, 1);
    if (new Uint8Array(unpacked)[0] === 0) return new Type(unpacked.slice(1));
    const width = Type.BYTES_PER_ELEMENT;
    const bytes = new Uint8Array(packed.length);
    let at = 0;
    for (let k = 0; k < width; k++) {
      for (let i = k; i < bytes.length; i += width) bytes[i] = packed[at++];
    }
    return new Type(bytes.buffer);
  }

  /** Run the program in an element. */
  async function run(id) {
    const script = document.createElement("script");
    script.textContent = new TextDecoder().decode(await bytesOf(id));
    document.head.append(script);
  }

  return { numbersOf, run };
})();
