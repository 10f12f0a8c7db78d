// A search in the list, and one operator at a time next to it. Without scripts all of them are shown.
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
let listPosition = 0; // scroll position of the list, on a phone

function targetOf(entry) {
  return decodeURIComponent(entry.firstElementChild.hash.slice(1));
}

// The full name of a package matches its entries only, not those of packages whose names start with it.
function matches(entry, word) {
  const { name, search } = entry.dataset;
  return packages.has(word)
    ? entry.dataset.package === word || name.toLowerCase().includes(word)
    : search.includes(word);
}

// Exact names rank first, then names that start with the query, then names that contain it.
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
  // Remove the others from the page: hiding them would cost as much as showing them.
  list.replaceChildren(...found);
  count.textContent = `${found.length} of ${entries.length}`;
  suggest(found.length > 0 ? "" : typed.join(""));
  list.parentElement.scrollTop = 0;
}

// Without results, suggest similar names; each links to a search for it.
function suggest(typed) {
  const names = typed === "" ? [] : closeNames(typed, entries.map((entry) => entry.dataset.name));
  const links = names.map((name) => {
    const link = document.createElement("a");
    link.href = `?q=${encodeURIComponent(name)}`;
    link.textContent = name;
    return link;
  });
  close.hidden = typed === "";
  close.replaceChildren("No results.");
  links.forEach((link, at) => close.append(at === 0 ? " Close names: " : ", ", link));
}

function mark(article, on) {
  article.hidden = !on;
  const entry = links.get(article.id);
  entry.classList.toggle("chosen", on);
  on ? entry.firstElementChild.setAttribute("aria-current", "true")
     : entry.firstElementChild.removeAttribute("aria-current");
}

// The article of the address, else the best match of the query.
function chosen() {
  const named = articles.get(decodeURIComponent(location.hash.slice(1)));
  const best = list.firstElementChild;
  if (named !== undefined || phone.matches || box.value.trim() === "" || best === null) {
    return named ?? null;
  }
  return articles.get(targetOf(best));
}

function show() {
  const next = chosen();
  if (shown !== null) {
    mark(shown, false);
  } else if (phone.matches) {
    listPosition = scrollY;
  }
  if (next !== null) {
    mark(next, true);
  }
  shown = next;
  document.getElementById("welcome").hidden = shown !== null;
  document.body.classList.toggle("open", shown !== null);
  main.scrollTop = 0;
  if (phone.matches) {
    scrollTo(0, shown === null ? listPosition : 0);
  }
}

// The arrow keys move from the search box through the list and back.
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

// A link may contain a query: index.html?q=softmax
box.value = new URLSearchParams(location.search).get("q") ?? "";
box.addEventListener("input", () => {
  search();
  if (phone.matches && shown !== null) {
    listPosition = 0;
    location.hash = ""; // back to the list of results
  } else if (!phone.matches) {
    if (location.hash !== "") {
      history.replaceState(null, "", "#"); // the query decides what is shown
    }
    show();
  }
});
document.addEventListener("keydown", pressed);
window.addEventListener("hashchange", () => {
  show();
  if (location.hash.length > 1) {
    // Screen readers read the text, and the arrow keys scroll it.
    shown?.querySelector("h2").focus({ preventScroll: true });
  }
});
search();
show();
if (!phone.matches) {
  box.focus();
}
