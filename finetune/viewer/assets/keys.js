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
  u: () => seen("[data-up]")?.click(), n: () => seen("[data-next]")?.click(), p: () => seen("[data-previous]")?.click(),
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

// In a file every page is a section, and the address after # names one, or a node of one.
function turnTo() {
  const at = location.hash.slice(1), sections = [...document.querySelectorAll("section[data-page]")];
  let shown = sections.find(s => s.dataset.page === at);
  if (!shown) {
    shown = sections.find(s => s.dataset.page === at.replace(/\/\d+$/, "")) || sections[0];
    const cards = new Map([...shown.querySelectorAll("[data-card]")].map(c => [c.dataset.card, c]));
    if (cards.has(at)) {
      for (const c of cards.values()) c.hidden = true;
      for (let c = cards.get(at); c; c = cards.get(c.dataset.parent)) c.hidden = false;
      for (const a of shown.querySelectorAll(".tree a"))
        a.classList.toggle("chosen", a.getAttribute("href") === "#" + at);
    }
  }
  for (const s of sections) s.hidden = s !== shown;
  document.title = shown.dataset.title;
}

// In a file a run's questions are chosen here: rows hold their texts, and the names of the filters that take them.
function filterRows(form) {
  const text = form.q.value.toLowerCase(), show = form.show.value;
  for (const row of form.parentElement.querySelectorAll("tr[data-words]"))
    row.hidden = !row.textContent.toLowerCase().includes(text) || show && !row.dataset.words.includes(`|${show}|`);
}

for (const form of document.querySelectorAll("form[data-local]")) {
  form.addEventListener("submit", e => { e.preventDefault(); filterRows(form); });
  form.addEventListener("input", () => filterRows(form));
}

if (document.querySelector("section[data-page]")) {
  addEventListener("hashchange", () => { turnTo(); scrollTo(0, 0); });
  turnTo();
}

// Beside its trajectory, the chosen node of a tree is in sight.
if (innerWidth > 960) document.querySelector(".tree a.chosen")?.scrollIntoView({block: "nearest"});
