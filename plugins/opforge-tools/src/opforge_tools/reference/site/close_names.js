// Names that are most like what was typed, the closest first: for a search that finds nothing.
"use strict";

function closeNames(typed, names, count = 3) {
  const text = typed.toLowerCase();
  const most = Math.max(1, Math.floor(text.length / 3)); // mistakes
  const found = [];
  for (const name of new Set(names)) {
    const whole = name.toLowerCase();
    const last = whole.slice(whole.lastIndexOf(".") + 1); // contrib.box_nms is box_nms too
    const mistakes = Math.min(distance(text, whole, most), distance(text, last, most));
    if (mistakes <= most) {
      found.push([mistakes, name]);
    }
  }
  found.sort((a, b) => a[0] - b[0] || (a[1] < b[1] ? -1 : 1));
  return found.slice(0, count).map(([, name]) => name);
}

// Letters that are missing, too many, others, or swapped with the next.
function distance(a, b, most) {
  if (Math.abs(a.length - b.length) > most) {
    return Infinity;
  }
  let before = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const other = last[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, other);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        row[j] = Math.min(row[j], before[j - 2] + 1);
      }
    }
    [before, last] = [last, row];
  }
  return last[b.length];
}
