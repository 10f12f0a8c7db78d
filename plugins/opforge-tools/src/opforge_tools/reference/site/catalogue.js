// Search in the list, and one operator at a time beside it. Without scripts all of them are shown.
"use strict";

const box = document.getElementById("search");
const list = document.getElementById("entries");
const count = document.getElementById("count");
const close = document.getElementById("close");
const entries = [...list.children];
const articles = new Map([...document.querySelectorAll("main > article")].map((a) => [a.id, a]));
const packages = new Set(entries.map((entry) => entry.dataset.package));
const links = new Map(entries.map((entry) => [targetOf(entry), entry]));
const main = document.querySelector("main");
const phone = matchMedia("(max-width: 45rem)");
let shown = null; // the article
let place = 0; // where the list was, on a phone

function targetOf(entry) {
  return decodeURIComponent(entry.firstElementChild.hash.slice(1));
}

// The name of a package finds what it has, and not each package that begins with it.
function matches(entry, word) {
  const { name, search } = entry.dataset;
  return packages.has(word)
    ? entry.dataset.package === word || name.toLowerCase().includes(word)
    : search.includes(word);
}

// The name itself goes first, then names that begin with what was typed, then names that have it.
function rank(entry, typed) {
  const name = entry.dataset.name.toLowerCase();
  const text = typed.toLowerCase();
  if (name === text) {
    return entry.dataset.name === typed ? 0 : 1;
  }
  return name.startsWith(text) ? 2 : name.includes(text) ? 3 : 4;
}

function search() {
  const typed = box.value.split(/\s+/).filter(Boolean);
  const words = typed.map((word) => word.toLowerCase());
  const found = entries.filter((entry) => words.every((word) => matches(entry, word)));
  if (typed.length > 0) {
    const ranks = new Map(found.map((entry) => [entry, rank(entry, typed[0])]));
    found.sort((a, b) => ranks.get(a) - ranks.get(b));
  }
  // The others leave the page: hidden ones would cost as much as shown ones.
  list.replaceChildren(...found);
  count.textContent = `${found.length} of ${entries.length}`;
  suggest(found.length > 0 ? "" : typed.join(""));
  list.parentElement.scrollTop = 0;
}

// Where nothing is found, names that are like what was typed; each link searches for it.
function suggest(typed) {
  const names = typed === "" ? [] : closeNames(typed, entries.map((entry) => entry.dataset.name));
  const links = names.map((name) => {
    const link = document.createElement("a");
    link.href = `?q=${encodeURIComponent(name)}`;
    link.textContent = name;
    return link;
  });
  close.hidden = typed === "";
  close.replaceChildren("Nothing was found.");
  links.forEach((link, at) => close.append(at === 0 ? " Close names: " : ", ", link));
}

function mark(article, on) {
  article.hidden = !on;
  const entry = links.get(article.id);
  entry.classList.toggle("chosen", on);
  on ? entry.firstElementChild.setAttribute("aria-current", "true")
     : entry.firstElementChild.removeAttribute("aria-current");
}

function show() {
  const next = articles.get(decodeURIComponent(location.hash.slice(1))) ?? null;
  if (shown !== null) {
    mark(shown, false);
  } else if (phone.matches) {
    place = scrollY;
  }
  if (next !== null) {
    mark(next, true);
  }
  shown = next;
  document.getElementById("welcome").hidden = shown !== null;
  document.body.classList.toggle("open", shown !== null);
  main.scrollTop = 0;
  if (phone.matches) {
    scrollTo(0, shown === null ? place : 0);
  }
}

// Up and down go through the list, from the box and back to it.
function step(event) {
  const rows = [...list.children].map((entry) => entry.firstElementChild);
  const at = rows.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1);
  if (at < rows.length) {
    (at < 0 ? box : rows[at]).focus();
  }
  event.preventDefault();
}

function pressed(event) {
  const inList = document.activeElement === box || list.contains(document.activeElement);
  if (event.key === "/" && document.activeElement !== box) {
    box.select();
    event.preventDefault();
  } else if (inList && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    step(event);
  } else if (event.key === "Enter" && event.target === box && list.children.length > 0) {
    location.hash = list.firstElementChild.firstElementChild.hash;
  }
}

// A link may carry a search: index.html?q=softmax
box.value = new URLSearchParams(location.search).get("q") ?? "";
box.addEventListener("input", () => {
  search();
  if (phone.matches && shown !== null) {
    place = 0;
    location.hash = ""; // to the list, which is what changes
  }
});
document.addEventListener("keydown", pressed);
window.addEventListener("hashchange", () => {
  show();
  // Its text is read out, and the arrows scroll it.
  shown?.querySelector("h2").focus({ preventScroll: true });
});
search();
show();
if (!phone.matches) {
  box.focus();
}
