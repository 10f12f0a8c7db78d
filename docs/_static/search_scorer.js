// Ranks guides before members of classes: a search for "learning rate" should find the pages that
// explain it before the attributes of that name. An exact name still comes first.
"use strict";

var Scorer = {
  score: ([docname, title, anchor, descr, score, filename, kind]) => {
    const query = (new URLSearchParams(window.location.search).get("q") ?? "").trim().toLowerCase();
    const name = title.toLowerCase();
    if (query === name || name.endsWith(`.${query}`)) {
      return score + 40;
    }
    if (kind === "object" || kind === "index") {
      return score - 120; // entries of the index score up to 100
    }
    return score + (/^(tutorials|howto|guides|examples|explanation)\//.test(docname) ? 10 : 0);
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
