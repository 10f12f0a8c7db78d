// Search in the list, and one operator at a time beside it. Without scripts all of them are shown.
"use strict";

const box = document.getElementById("search");
const entries = [...document.querySelectorAll("#entries > li")];
const articles = [...document.querySelectorAll("main > article")];
const welcome = document.getElementById("welcome");

function search() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  let found = 0;
  for (const entry of entries) {
    entry.hidden = !words.every((word) => entry.dataset.search.includes(word));
    found += entry.hidden ? 0 : 1;
  }
  document.getElementById("count").textContent = `${found} of ${entries.length}`;
}

function show() {
  const wanted = decodeURIComponent(location.hash.slice(1));
  let shown = null;
  for (const article of articles) {
    article.hidden = article.id !== wanted;
    shown = article.hidden ? shown : article;
  }
  welcome.hidden = shown !== null;
  for (const entry of entries) {
    const target = decodeURIComponent(entry.firstElementChild.hash.slice(1));
    entry.classList.toggle("chosen", shown !== null && target === wanted);
  }
  document.querySelector("main").scrollTop = 0;
}

// A link may carry a search: index.html?q=softmax
box.value = new URLSearchParams(location.search).get("q") ?? "";
box.addEventListener("input", search);
box.addEventListener("keydown", (event) => {
  const first = entries.find((entry) => !entry.hidden);
  if (event.key === "Enter" && first !== undefined) {
    location.hash = first.firstElementChild.hash;
  }
});
window.addEventListener("hashchange", show);
search();
show();
