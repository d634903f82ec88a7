// The program runs here, beside the page, so that the page stays responsive.
// In a page of one file it is packed, in base64, beside the script of Go.
const packed = self.packed;
// The program comes while the script of Go is read.
const file = fetch(packed === undefined ? "sparrowhall.wasm" : "data:application/gzip;base64," + packed);
if (packed === undefined) importScripts("wasm_exec.js");
const started = new Promise(resolve => { self.ready = resolve; });
self.reply = (number, status, text) => postMessage({ number, status, text });
self.fault = text => postMessage({ fault: text });
onmessage = async ({ data: m }) => {
  await started;
  serve(m.number, m.path, m.key, m.body, m.last);
};
(async () => {
  const go = new Go(), type = "application/wasm";
  let program = await file;
  if (!program.ok) throw new Error(`sparrowhall.wasm: ${program.status} ${program.statusText}`);
  // Not every server knows the type of the file.
  if (program.headers.get("Content-Type") !== type) {
    program = new Response(packed === undefined ? program.body : program.body.pipeThrough(new DecompressionStream("gzip")), { headers: { "Content-Type": type } });
  }
  const { instance } = await WebAssembly.instantiateStreaming(program, go.importObject);
  self.memory = instance.exports.mem;
  await go.run(instance);
})().catch(e => fault(String(e)));
