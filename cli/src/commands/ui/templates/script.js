"use strict";
// The URL is #TOKEN/VIEW?FILTERS: what follows the # is sent to nobody but by the requests below, in a header.
const main = document.getElementById("view");
const told = document.getElementById("told");
const LOOK_EVERY = 1000;
let shown = "", known = "", busy = false;

function place() {
  const hash = location.hash.slice(1), end = hash.indexOf("/");
  return end < 0 ? { token: hash, path: "/now" } : { token: hash.slice(0, end), path: hash.slice(end) };
}

async function ask(path, options = {}) {
  const headers = { ...options.headers, Authorization: `Bearer ${place().token}` };
  const answer = await fetch(path, { ...options, headers, cache: "no-store", credentials: "omit" });
  return { status: answer.status, text: await answer.text() };
}

// The links of the page have no token in them: it is put in here.
function withToken(root) {
  for (const link of root.querySelectorAll('a[href^="#/"]')) link.setAttribute("href", `#${place().token}${link.getAttribute("href").slice(1)}`);
}

function show(html, keepsPlace) {
  const focused = document.activeElement?.closest?.("main a")?.getAttribute("href");
  // What was parsed like this runs no script, and the policy of the page lets none run.
  main.replaceChildren(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
  withToken(main);
  if (!keepsPlace) { scrollTo(0, 0); main.focus({ preventScroll: true }); return; }
  if (focused) [...main.querySelectorAll("a")].find((link) => link.getAttribute("href") === focused)?.focus({ preventScroll: true });
}

async function load(keepsPlace = false) {
  const { path } = place();
  if (!keepsPlace && path.startsWith("/agents")) told.textContent = "trying the hooks of the agents …";
  try {
    const answer = await ask(`/view${path}`);
    if (path !== place().path) return;
    if (answer.status === 401 || answer.status === 403 || answer.status === 404) {
      main.replaceChildren(Object.assign(document.createElement("p"), { className: "lead wrong", textContent: answer.text || "there is no such view" }));
    } else {
      show(answer.text, keepsPlace);
    }
    shown = path;
    told.textContent = "";
  } catch {
    told.textContent = "hookgate ui does not answer: it has ended";
  }
  for (const link of document.querySelectorAll("nav a")) {
    const here = path.slice(1).split(/[/?]/)[0].replace(/^(decision|question)$/, "$1s");
    const isHere = link.getAttribute("href").split("/")[1] === here;
    if (isHere) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
  }
}

// Whether somebody writes or chooses something, which a new view would take away.
const isWriting = () => ["INPUT", "SELECT", "TEXTAREA"].includes(document.activeElement?.tagName) || main.querySelector("details[open]");

async function look() {
  if (document.hidden || busy) return;
  busy = true;
  try {
    const answer = await ask("/live");
    if (answer.status !== 200) return;
    const { seq, waiting, questions } = JSON.parse(answer.text);
    const waits = document.getElementById("waiting");
    waits.textContent = waiting ? ` (${waiting})` : "";
    document.title = waiting ? `(${waiting}) hookgate` : "hookgate";
    const { path } = place();
    const now = path.startsWith("/question") ? questions : String(seq);
    const isLive = /^\/(decisions|questions?|now)\b/.test(path);
    if (isLive && shown === path && known !== "" && now !== known) {
      if (isWriting()) { told.textContent = "there is something new"; return; }
      await load(true);
    } else if (told.textContent.startsWith("hookgate ui")) {
      told.textContent = "";
    }
    known = now;
  } catch {
    told.textContent = "hookgate ui does not answer: it has ended";
  } finally {
    busy = false;
  }
}

function go() { known = ""; load(); }

main.addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  const fields = new FormData(form);
  if (form.dataset.view) {
    const given = new URLSearchParams([...fields].filter(([, value]) => value !== ""));
    const hash = `#${place().token}/${form.dataset.view}?${given}`;
    if (hash === location.hash) go(); else location.hash = hash;
    return;
  }
  const says = event.submitter?.value ?? "";
  const answer = { says, note: fields.get("note"), seen: form.dataset.seen };
  if (says === "approve_changed") answer.edit = fields.get("edit");
  for (const button of form.querySelectorAll("button")) button.disabled = true;
  try {
    const said = await ask(`/answer/${encodeURIComponent(form.dataset.answer)}`, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(answer),
    });
    show(said.text, false);
  } catch {
    told.textContent = "hookgate ui does not answer: the question was not answered";
  }
});

document.getElementById("skip").addEventListener("click", (event) => { event.preventDefault(); main.focus(); });
addEventListener("hashchange", go);
withToken(document.querySelector("header"));
go();
setInterval(look, LOOK_EVERY);
