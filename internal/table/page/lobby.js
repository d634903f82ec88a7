// The lobby: the page of the link to share, on which people take free seats. The browser keeps the key of a seat, since
// its person may open the link again.
const goOn = key => { location.replace("#" + key); location.reload(); };
const keptSeat = share => "seat of " + share;
if (data.lobby) {
  const name = h("input", { id: "name", maxlength: 24, required: "", autocomplete: "nickname", value: memory?.getItem("name") ?? "" });
  const said = h("p", { role: "status" }), seats = h("div", {});
  // sit asks for a seat until an answer arrives. One that was lost leaves the seat taken for a while, and free again.
  const sit = async player => {
    if (!name.reportValidity()) return;
    let reply;
    memory?.setItem("name", name.value.trim());
    while ((reply = await server.sit({ player, name: name.value.trim() })) === null) {
      said.textContent = sentences.sending;
      await pause(1000);
    }
    if (reply.key) goOn(reply.key);
    else said.textContent = say("refused", { text: reply });
  };
  seats.addEventListener("click", e => {
    const chosen = e.target.closest("button");
    if (chosen !== null) sit(Number(chosen.dataset.seat));
  });
  const kept = memory?.getItem(keptSeat(key)), own = kept && typeof await server.seats(kept) === "object";
  document.querySelector("main").replaceChildren(h("section", { id: "lobby" },
    document.querySelector("#panel header"), h("p", {}, sentences.lobby_help),
    own ? button(sentences.back_to_seat, [], () => goOn(kept)) : null,
    h("label", {}, sentences.your_name, " ", name), said, seats));
  $("title").textContent = data.ruleset;
  document.title = `${sentences.lobby} \u00b7 ${data.ruleset}`;
  offerLanguages($("language"), sentences.language);
  for (;;) {
    const now = await server.seats(key);
    showFault(now === undefined ? sentences.unreached : typeof now === "string" ? now : "");
    if (typeof now === "object") renew(seats, h("div", {}, now.names.map((name, p) => h("div", { class: "place" },
      h("span", {}, h("b", {}, say("seat", { n: p + 1 })), " " + nameOf(name)),
      now.free[p] ? h("button", { type: "button", "data-seat": p, "aria-label": say("sit_at", { n: p + 1 }) }, sentences.sit) : h("span", {}, now.away[p] ? sentences.away : now.ready[p] ? sentences.ready_on : "")))));
    await pause(2000);
  }
}
// At a seat of a table of several people: the link, and the button to leave.
if (data.share) {
  memory?.setItem(keptSeat(data.share), key);
  const link = h("input", { readonly: "", value: location.href.split("#")[0] + "#" + data.share }), leave = button(sentences.leave, [], async () => {
    if (!confirm(sentences.leave_sure)) return;
    let text;
    while ((text = await server.leave()) === null) {
      showFault(sentences.sending);
      await pause(1000);
    }
    if (text) return showFault(say("refused", { text }));
    memory?.removeItem(keptSeat(data.share));
    goOn(data.share);
  });
  link.addEventListener("focus", () => link.select());
  $("share").append(h("label", {}, sentences.share, " ", link), leave);
  $("share").hidden = false;
}
