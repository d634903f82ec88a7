// The program in the worker answers the requests of the page, as a server would. ask takes the
// arguments of fetch and returns the same.
const ask = (() => {
  const worker = new Worker("worker.js"), waiting = new Map(), encoder = new TextEncoder();
  let last = 0;
  worker.onmessage = ({ data: m }) => {
    if (m.fault !== undefined) throw new Error(m.fault);
    waiting.get(m.number)(m.status, m.text);
  };
  return (path, { body = "", headers = {} } = {}) => new Promise(resolve => {
    const number = ++last;
    let parts = null, beat;
    waiting.set(number, (status, text) => {
      if (text === null) {
        waiting.delete(number);
        clearInterval(beat);
        if (parts !== null) parts.close();
        return;
      }
      if (parts === null && status !== 204) {
        resolve(new Response(new ReadableStream({ start(controller) { parts = controller; } }), { status }));
        // A stream without messages is not broken.
        if (path === "events") beat = setInterval(() => parts.enqueue(encoder.encode(": beat\n\n")), 15000);
      } else if (parts === null) resolve(new Response(null, { status }));
      if (parts !== null) parts.enqueue(encoder.encode(text));
    });
    worker.postMessage({ number, path, key: (headers.Authorization ?? "").replace("Bearer ", ""), body, last: Number(headers["Last-Event-ID"] ?? 0) });
  });
})();
// againAt adds to the text of a viewer the table at which its reader may try again.
const againAt = (html, settings) => html.replace("<html ", () => `<html data-again="${new URL("table.html#" + settings, location.href).href.replace(/&/g, "&amp;").replace(/"/g, "%22")}" `);
const addressOf = html => URL.createObjectURL(new Blob([html], { type: "text/html" }));
