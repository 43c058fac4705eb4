// On every page: those who press Tab meet the page before the list of chapters, figures open large, and on a phone the
// cells of a stacked table say which column they are of.

document.documentElement.dataset.page = location.pathname.split("/").at(-1).replace(".html", ""); // for print.css

const chapters = document.querySelector(".bd-sidebar-primary");
if (chapters) document.querySelector(".bd-main").after(chapters);

// A figure is a link to its picture. Tapped, clicked, or opened by Enter, it shows the picture as large as the window
// allows, never so small that its text cannot be read; Esc, the button, or a tap beside it closes it again.
function enlarge(event) {
  event.preventDefault();
  const image = event.currentTarget.querySelector("img");
  const viewer = document.createElement("dialog");
  viewer.className = "viewer";
  viewer.setAttribute("aria-label", image.alt);
  viewer.innerHTML = '<button type="button" aria-label="Close the figure">×</button><div></div>';
  const picture = viewer.lastChild.appendChild(image.cloneNode());
  picture.removeAttribute("style");
  picture.style.setProperty("--shape", image.naturalWidth / image.naturalHeight);
  viewer.addEventListener("click", ({ target }) => target === picture || viewer.close());
  viewer.addEventListener("close", () => viewer.remove());
  document.body.append(viewer);
  viewer.showModal();
}

for (const image of document.querySelectorAll(".bd-article figure img, .bd-article .cell_output img")) {
  let link = image.closest("a");
  if (link && !link.matches(".image-reference")) continue; // it leads somewhere else
  if (!link) {
    link = document.createElement("a");
    image.replaceWith(link);
    link.append(image);
  }
  Object.assign(link, { href: image.src, title: "Show the figure large", className: "enlarge" });
  link.setAttribute("aria-haspopup", "dialog");
  link.addEventListener("click", enlarge);
}

// Tables of the class "stack": each cell gets its column's heading, which book.css shows on narrow screens only.
for (const table of document.querySelectorAll("table.stack, .stack table")) {
  table.classList.add("stack");
  const headings = [...table.querySelectorAll("thead th")];
  for (const row of table.querySelectorAll("tbody tr"))
    [...row.cells].forEach((cell, i) => {
      const label = document.createElement("span");
      label.className = "label";
      label.append(...[...(headings[i]?.childNodes ?? [])].map((node) => node.cloneNode(true)));
      cell.prepend(label);
    });
}
