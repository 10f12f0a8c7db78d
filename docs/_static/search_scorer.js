// Ranks the page of an operator that has the name first, then guides, before members of classes and
// internals: a search for "learning rate" should find the pages that explain it before the
// attributes of that name.
"use strict";

var Scorer = {
  score: ([docname, title, anchor, descr, score, filename, kind]) => {
    const text = (new URLSearchParams(window.location.search).get("q") ?? "").trim();
    const query = text.toLowerCase();
    const name = title.toLowerCase();
    if (/^reference\/(api\/opforge\.plugin_api\.kernels|abi)$/.test(docname)) {
      return score - 150; // for authors of native operators
    }
    if (kind !== "object" && kind !== "index" && query === name) {
      return score + 100 + (title === text);
    }
    if (query === name || name.endsWith(`.${query}`)) {
      return score + 40;
    }
    if (kind === "object" || kind === "index") {
      return score - 120; // entries of the index score up to 100
    }
    if (docname === "index" || docname.endsWith("/index")) {
      return score - 20; // lists of pages
    }
    const guide = /^(tutorials|howto|guides|examples|explanation)\//.test(docname);
    const operator = /^reference\/operators\//.test(docname);
    return score + (guide ? 10 : operator ? 5 : 0);
  },

  // The values of Sphinx.
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
