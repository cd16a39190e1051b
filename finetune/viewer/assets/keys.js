// Keys for pages, and in a file the choice of what is shown. Without it links and forms still work.
"use strict";

const links = () => [...document.querySelectorAll("[data-key]")].filter(a => a.offsetParent !== null);

// The link that j, k and the arrows start from: the one with the focus, else the chosen one.
const here = all => all.includes(document.activeElement) ? document.activeElement
  : all.find(a => a.classList.contains("chosen"));

function move(by) {
  const all = links(), i = all.indexOf(here(all));
  const to = all[i < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(i + by, 0), all.length - 1)];
  if (to) { to.focus(); to.scrollIntoView({block: "nearest"}); }
}

// To a node's parent (out) or first child, which a tree draws above and below it.
function climb(out) {
  const all = links(), at = here(all);
  if (!at || !at.dataset.depth) return;
  const depth = +at.dataset.depth, i = all.indexOf(at);
  if (!out) { if (all[i + 1] && +all[i + 1].dataset.depth > depth) move(1); return; }
  for (let j = i - 1; j >= 0; j--)
    if (+all[j].dataset.depth < depth) { all[j].focus(); all[j].scrollIntoView({block: "nearest"}); return; }
}

// The first element of a selector that is on the page shown: in a file the others' stand there, too.
const seen = selector => [...document.querySelectorAll(selector)].find(a => a.offsetParent !== null);

const keys = {
  j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1),
  h: () => climb(true), ArrowLeft: () => climb(true), l: () => climb(false), ArrowRight: () => climb(false),
  u: () => up(seen("[data-up]")), n: () => seen("[data-next]")?.click(), p: () => seen("[data-previous]")?.click(),
  x: () => { const box = document.activeElement.closest("tr")?.querySelector("input[type=checkbox]"); if (box) box.click(); },
  "/": () => seen("input[type=search]")?.focus(),
};

document.addEventListener("keydown", e => {
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.target.matches("input[type=search], select")) { if (e.key === "Escape") e.target.blur(); return; }
  const key = keys[e.key];
  if (key) { e.preventDefault(); key(); }
});

// What is exchanged loses the focus: it goes back to the link with the same address.
let focused;
document.addEventListener("htmx:beforeSwap", () => { focused = document.activeElement?.getAttribute("href"); });
document.addEventListener("htmx:afterSettle", () => {
  if (focused && document.activeElement === document.body)
    document.querySelector(`[data-key][href="${CSS.escape(focused)}"]`)?.focus({preventScroll: true});
  choose(location.pathname);
});

// The chosen node of a tree whose trajectory was exchanged.
function choose(path) {
  for (const a of document.querySelectorAll(".tree a"))
    a.classList.toggle("chosen", a.getAttribute("href") === path);
}

// A page by its name: its path, or in a file what stands after #; without the order of its list.
const file = document.body.classList.contains("file");
const address = () => file ? location.hash : location.pathname + location.search;
const nameOf = address => address.split("?")[0].replace(/(.)#.*/, "$1");

// Where a row of a page was left: u, and the way here, lead back to it, to its page and order of the list, too.
addEventListener("click", e => {
  const a = e.target.closest?.("a[data-key], a[data-up]");
  if (a?.dataset.up === "") { e.preventDefault(); up(a); }
  else if (a) sessionStorage.setItem("left " + nameOf(address()), JSON.stringify([address(), a.getAttribute("href")]));
});
const left = name => JSON.parse(sessionStorage.getItem("left " + name)) || [];

function up(a) {
  if (!a) return;
  sessionStorage.setItem("back", "1");
  location.assign(left(nameOf(a.getAttribute("href")))[0] || a.getAttribute("href"));
}

function backToRow() {
  if (!sessionStorage.getItem("back")) return;
  sessionStorage.removeItem("back");
  const [page, row] = left(nameOf(address()));
  const a = page === address() && [...document.querySelectorAll("a[data-key]")]
    .find(a => a.getAttribute("href") === row && a.offsetParent !== null);
  if (a) { a.focus(); a.scrollIntoView({block: "center"}); }
}

// In a file every page is a section, and the address after # names one, or a node of one. Those of many
// questions are packed: compressed, as letters, in a block that says which it holds.
const section = name => document.querySelector(`section[data-page="${CSS.escape(name)}"]`);

async function unpack(name) {
  const question = name.replace("-/compare/", "").split("/").slice(0, 2).join("/");
  const block = document.querySelector(`script[data-holds~="${CSS.escape(question)}"]`);
  if (!block) return;
  const bytes = Uint8Array.from(atob(block.textContent), c => c.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  block.insertAdjacentHTML("afterend", await new Response(plain).text());
  block.remove();
}

async function turnTo() {
  const at = location.hash.slice(1);
  if (at && !section(at)) await unpack(at);
  const shown = section(at) || section(at.replace(/\/\d+$/, "")) || section("");
  const cards = new Map([...shown.querySelectorAll("[data-card]")].map(c => [c.dataset.card, c]));
  const tree = [...shown.querySelectorAll(".tree a")];
  if (tree.length) {
    const node = cards.has(at) ? at : tree.find(a => a.classList.contains("chosen"))?.hash.slice(1);
    for (const c of cards.values()) c.hidden = true;
    for (let c = cards.get(node); c; c = cards.get(c.dataset.parent)) c.hidden = false;
    for (const a of tree) a.classList.toggle("chosen", a.hash === "#" + node);
  }
  for (const s of document.querySelectorAll("section[data-page]")) s.hidden = s !== shown;
  document.title = shown.dataset.title;
  scrollTo(0, 0);
  backToRow();
}

// In a file the questions of a run are chosen here: rows of its list hold their texts, and the names of the
// filters that take them. The page shown lists those of all pages, as far as anybody wants to read.
function filterRows(form) {
  const page = form.closest("section"), list = page.querySelector("table[data-list]");
  if (!list) { location.hash = nameOf(location.hash); return; }
  const text = form.q.value.toLowerCase(), show = form.show.value;
  const rows = [...document.querySelectorAll(`table[data-list="${CSS.escape(list.dataset.list)}"] tr[data-words]`)];
  const taken = rows.filter(row => row.textContent.toLowerCase().includes(text) &&
    (!show || row.dataset.words.includes(`|${show}|`)));
  const body = list.tBodies[0], own = body.querySelectorAll("tr[data-words]");
  const some = text || show;
  page.querySelectorAll(".pager").forEach(p => p.hidden = some);
  body.querySelectorAll("tr[data-copy]").forEach(row => row.remove());
  own.forEach(row => row.hidden = some);
  page.querySelector("[data-found]").textContent = taken.length;
  if (some) for (const row of taken.slice(0, 500)) {
    const copy = row.cloneNode(true);
    copy.removeAttribute("data-words");
    copy.setAttribute("data-copy", "");
    copy.hidden = false;
    body.append(copy);
  }
}

for (const form of document.querySelectorAll("form[data-local]")) {
  form.addEventListener("submit", e => { e.preventDefault(); filterRows(form); });
  form.addEventListener("input", () => filterRows(form));
}

if (file) {
  document.documentElement.classList.add("scripted");
  let turning = turnTo(); // one page after the other: two may be in one block
  addEventListener("hashchange", () => turning = turning.then(turnTo));
} else backToRow();

// Beside its trajectory, the chosen node of a tree is in sight.
if (innerWidth > 960) document.querySelector(".tree a.chosen")?.scrollIntoView({block: "nearest"});
