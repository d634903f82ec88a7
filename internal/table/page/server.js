// All talk of the page with its server. A page that runs the table by itself has another file with
// the same functions.
const server = (() => {
  const key = location.hash.slice(1).split("/")[0];
  // Lost is the error where the server cannot be reached: a TypeError of a request, not one of the page.
  class Lost extends Error {}
  const arrive = promise => promise.catch(e => { throw e instanceof TypeError ? new Lost(e.message) : e; });
  const isLost = e => { if (!(e instanceof Lost)) throw e; return true; };
  const request = (path, options = {}, as = key) => arrive(fetch(path, { ...options, headers: { ...options.headers, Authorization: "Bearer " + as } }));
  const post = (path, body) => request(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  // refusal returns why the server refuses a request, in the language of the page where people meet it.
  const refusal = async response => response.status === 401 ? sentences.wrong_key : (await arrive(response.text())).trim();
  // silence is the time in ms after which a stream counts as broken: the server sends something
  // every 15 s, and a network may break without closing the stream.
  const silence = 40000;
  let last = "";

  // read reads the stream until it ends; received is called whenever something comes.
  async function read(query, signal, received, opened, message, drained) {
    const response = await request("events" + query, { headers: last === "" ? {} : { "Last-Event-ID": last }, signal });
    if (response.status === 404) return { gone: true };
    if (!response.ok) return { refused: await refusal(response) };
    opened();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { value, done } = await arrive(reader.read());
      if (done) return {};
      received();
      text += value;
      for (let end; (end = text.indexOf("\n\n")) >= 0; text = text.slice(end + 2)) {
        const fields = Object.fromEntries(text.slice(0, end).split("\n").filter(l => !l.startsWith(":")).map(l => [l.slice(0, l.indexOf(":")), l.slice(l.indexOf(":") + 2)]));
        if (fields.id) last = fields.id;
        if (fields.event) message(fields.event, JSON.parse(fields.data));
      }
      drained();
    }
  }
  return {
    // load returns a file of the page, once the server can be reached; failed is called for each failure.
    load: async (path, failed) => {
      for (;;) {
        try {
          return await arrive(fetch(path).then(r => r.json()));
        } catch (e) { isLost(e); }
        failed();
        await new Promise(resolve => setTimeout(resolve, 1000));
      }
    },
    // game returns the description of the game, null where there is none, undefined where the server cannot be
    // reached, a text that refuses it.
    game: async query => {
      try {
        const response = await request("game.json" + query);
        return response.status === 404 ? null : response.ok ? await arrive(response.json()) : await refusal(response);
      } catch (e) { isLost(e); }
    },
    // answer sends an answer and returns "" once the table has it, also if it comes too late, a text
    // that refuses it, or null if it did not arrive.
    answer: async body => {
      try {
        const response = await post("answer", body);
        return response.ok || response.status === 409 ? "" : await refusal(response);
      } catch (e) { return isLost(e) && null; }
    },
    // seats returns the players as the lobby shows them, to the page with the key; what else, as game does.
    seats: async as => {
      try {
        const response = await request("seats.json", {}, as);
        return response.ok ? await arrive(response.json()) : await refusal(response);
      } catch (e) { isLost(e); }
    },
    // sit takes a seat and returns { key }, a text that refuses it, or null if the request or its answer was lost.
    sit: async body => {
      try {
        const response = await post("sit", body), known = { 409: sentences.seat_taken, 422: sentences.name_refused }[response.status];
        return known ?? (response.ok ? await arrive(response.json()) : await refusal(response));
      } catch (e) { return isLost(e) && null; }
    },
    // leave frees the seat and returns "", also if it is no longer that of the key, a text that refuses it, or
    // null if the request was lost.
    leave: async () => {
      try {
        const response = await post("leave", {});
        return response.ok || response.status === 401 ? "" : await refusal(response);
      } catch (e) { return isLost(e) && null; }
    },
    // follow calls message for each message after the last one, and drained after all that came
    // together, until the stream ends. It returns { gone } or { refused: text } if there is none, and
    // { lost } where nothing came before it broke.
    follow: async (query, opened, message, drained) => {
      const broken = new AbortController(), before = last;
      let timer;
      const listen = () => {
        clearTimeout(timer);
        timer = setTimeout(() => broken.abort(new TypeError("the stream is silent")), silence);
      };
      listen();
      let end = {};
      try {
        end = await read(query, broken.signal, listen, opened, message, drained);
      } catch (e) { isLost(e); } finally { clearTimeout(timer); }
      return { lost: last === before, ...end };
    },
  };
})();
