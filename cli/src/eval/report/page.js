"use strict";
// Sorts and filters the cases. All of them are in the page; without this script all of them are shown.
const table = document.getElementById("cases");
const body = table.tBodies[0];
const show = document.getElementById("show");
const find = document.getElementById("find");
const count = document.getElementById("count");

function filter() {
  const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const row of body.rows) {
    const text = row.textContent.toLowerCase();
    const fits = (show.value === "all" || row.classList.contains(show.value)) && words.every((word) => text.includes(word));
    row.hidden = !fits;
    shown += fits ? 1 : 0;
  }
  count.textContent = `${shown} of ${body.rows.length}`;
}

function sort(heading) {
  const column = heading.cellIndex;
  const ascending = heading.getAttribute("aria-sort") !== "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  const value = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
  const rows = [...body.rows];
  rows.sort((a, b) => value(a).localeCompare(value(b), "en", { numeric: true }) * (ascending ? 1 : -1));
  body.append(...rows);
}

for (const heading of table.tHead.rows[0].cells) {
  const button = heading.querySelector("button");
  button.addEventListener("click", () => sort(heading));
}
show.addEventListener("change", filter);
find.addEventListener("input", filter);
document.getElementById("filter").hidden = false;
show.value = body.querySelector("tr.wrong") ? "wrong" : "all";
filter();
