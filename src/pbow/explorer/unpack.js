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

  /** Run the program in an element. */
  async function run(id) {
    const script = document.createElement("script");
    script.textContent = new TextDecoder().decode(await bytesOf(id));
    document.head.append(script);
  }

  return { bytesOf, run };
})();
