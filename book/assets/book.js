// On every page: those who press Tab meet the page before the list of chapters, figures open large, and a link to a
// theorem shows it.

document.documentElement.dataset.page = location.pathname.split("/").at(-1).replace(".html", ""); // for print.css

const chapters = document.querySelector(".bd-sidebar-primary");
if (chapters) document.querySelector(".bd-main").after(chapters);

// What is said of figures, in the page's language.
const VIEWER = { ja: ["図を拡大表示", "図を閉じる"], "zh-Hans": ["放大查看图片", "关闭图片"], vi: ["Phóng to hình", "Đóng hình"] };
const [OPEN, CLOSE] = VIEWER[document.documentElement.lang] ?? ["Show the figure large", "Close the figure"];

// The list of chapters shows the part in which one is; on a page of no part the first one.
const parts = [...document.querySelectorAll("nav.bd-links p.caption")];
const here = parts.findIndex((caption) => caption.nextElementSibling.querySelector(".current"));
for (const [i, caption] of parts.entries()) {
  const part = Object.assign(document.createElement("details"), { open: i === Math.max(here, 0) });
  const chapters = caption.nextElementSibling;
  caption.before(part);
  part.append(document.createElement("summary"), chapters);
  part.firstChild.append(caption);
}

// A figure is a link to its picture. Tapped, clicked, or opened by Enter, it shows the picture as large as the window
// allows, never so small that its text cannot be read; Esc, the button, or a tap beside it closes it again.
function enlarge(event) {
  event.preventDefault();
  const image = event.currentTarget.querySelector("img");
  const viewer = document.createElement("dialog");
  viewer.className = "viewer";
  viewer.setAttribute("aria-label", image.alt);
  viewer.innerHTML = `<button type="button" aria-label="${CLOSE}">×</button><div></div>`;
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
  Object.assign(link, { href: image.src, title: OPEN, className: "enlarge" });
  link.setAttribute("aria-haspopup", "dialog");
  link.addEventListener("click", enlarge);
}

// On the answer on one page, what its printed sheet leaves out, or has on a second one, is folded under its heading; a
// link to it unfolds it, and so does the printer.
const FOLDED = ":is(.not-printed, .second-sheet)";
for (const rest of document.querySelectorAll(`html[data-page^=what-to-do] section section > ${FOLDED}`)) {
  const fold = document.createElement("details");
  const heading = rest.parentElement.querySelector("h2, h3");
  heading.replaceWith(fold);
  fold.append(document.createElement("summary"), rest);
  fold.firstChild.append(heading);
}

function unfold() {
  const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const section = place?.closest(`details > ${FOLDED}`) ?? place?.closest("section");
  const fold = section?.closest("details") ?? section?.querySelector(`:scope > details:has(> ${FOLDED})`);
  if (!fold || fold.open) return;
  fold.open = true;
  place.scrollIntoView();
}
addEventListener("hashchange", unfold);
addEventListener("beforeprint", () => document.querySelectorAll("details:has(> .second-sheet)").forEach((fold) => (fold.open = true)));
unfold();

// In code a long name breaks after a slash or an underscore, not inside a word; what is short does not, but in tables.
for (const code of document.querySelectorAll(".bd-content :not(pre) > code")) {
  code.classList.toggle("short", code.textContent.length < 15 && !code.closest("td"));
  for (const name of code.querySelectorAll(".pre"))
    if (name.textContent.length > 14) name.innerHTML = name.innerHTML.replace(/(?<=\w\w)[/_](?=[a-z]{2})/gi, "$&<wbr>");
}

// Comments and docstrings that have a line to themselves are marked with it, so that print.css can leave it out.
for (const said of document.querySelectorAll("html[data-page^=what-to-do] pre :is(.c1, .sd)")) {
  let [first, line] = [said, document.createRange()];
  while (/^ *$/.test(first.previousSibling?.textContent ?? "no")) first = first.previousSibling;
  const [before, after] = [first.previousSibling, said.nextSibling];
  if ((before && !/\n *$/.test(before.textContent)) || !after?.data?.startsWith("\n")) continue;
  before?.data ? line.setStart(before, before.data.lastIndexOf("\n") + 1) : line.setStartBefore(first);
  line.setEnd(after, 1);
  line.surroundContents(Object.assign(document.createElement("span"), { className: "comment" }));
}

// A link to a page in another language is written in that language, here and in the list of chapters.
const LANGUAGES = { ja: "ja", zh: "zh-Hans", vi: "vi" };
const LANGUAGE = /-(ja|zh|vi)(?:\.html)?$/;
for (const link of document.querySelectorAll("a.internal[href]")) {
  const language = LANGUAGES[link.pathname.match(LANGUAGE)?.[1]];
  if (language && language !== document.documentElement.lang) link.lang = link.hreflang = language;
}

// The ledger can be narrowed down to the rows that have all words typed.
const claims = document.querySelectorAll(".claim");
if (claims.length) {
  const filter = document.createElement("p");
  filter.className = "filter";
  filter.innerHTML = '<label>Rows with <input type="search" placeholder="λ, neighbors, MovieLens …"></label> <span role="status"></span>';
  document.querySelector(".outcomes").before(filter);
  filter.addEventListener("input", ({ target }) => {
    const words = target.value.toLowerCase().split(/\s+/);
    for (const row of claims) row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
    const left = [...claims].filter((row) => !row.hidden);
    const ids = left.map((row) => `#${row.querySelector("span[id]").id}`);
    for (const link of document.querySelectorAll(".outcomes a")) link.hidden = !ids.includes(link.getAttribute("href"));
    filter.lastChild.textContent = `${left.length} of ${claims.length}`;
  });
}

// Formulas in sight are typeset first, then the others, for those who search, print, or listen to the page.
const typesetAll = () => MathJax.startup.document.lazyTypesetAll();
addEventListener("load", () => window.MathJax?.startup?.promise.then(() => setTimeout(typesetAll, 2000)));

// A formula that scrolls is marked, as book.css draws where it goes on: whenever one is typeset or unfolded, the page grows.
function markWide() {
  const formulas = [...document.querySelectorAll("div.math mjx-container, span.math")];
  const scrolls = (e) => e.scrollWidth > e.clientWidth + 4 && getComputedStyle(e).overflowX === "auto";
  const wide = formulas.map(scrolls); // all are measured before one is marked, so the page is laid out once
  formulas.forEach((formula, i) => formula.classList.toggle("wide", wide[i]));
}

const article = document.querySelector("article");
if (article) new ResizeObserver(markWide).observe(article);

// Pointed at, or reached by Tab, a link to a theorem, an equation, a figure or a claim shows it, from any page of the book.
const SHOWN = "div.proof.admonition, div.math, figure, div.claim";
const pages = {};
const preview = document.createElement("div");
Object.assign(preview, { className: "preview bd-article", id: "preview", role: "tooltip", hidden: true });
document.body.append(preview);
let waiting;

function fetchPage(path) {
  if (path === location.pathname) return document;
  const parse = (text) => new DOMParser().parseFromString(text, "text/html");
  return (pages[path] ??= fetch(path).then((answer) => answer.text()).then(parse));
}

async function showPreview(link) {
  const { pathname, hash } = new URL(link.href);
  const page = await fetchPage(pathname);
  const place = page.getElementById(decodeURIComponent(hash.slice(1)))?.closest(SHOWN);
  if (!place || !link.matches(":hover, :focus-visible")) return;
  const copy = place.cloneNode(true);
  for (const part of [copy, ...copy.querySelectorAll("[id]")]) part.removeAttribute("id");
  preview.replaceChildren(copy);
  preview.hidden = false;
  if (page !== document) await window.MathJax?.typesetPromise?.([preview]).then(typesetAll);
  const { top, bottom, left } = link.getBoundingClientRect();
  const { width, height } = preview.getBoundingClientRect();
  preview.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
  preview.style.top = `${bottom + height + 8 < innerHeight ? bottom + 8 : Math.max(8, top - height - 8)}px`;
  link.setAttribute("aria-describedby", "preview");
}

function hidePreview() {
  clearTimeout(waiting);
  preview.hidden = true;
  document.querySelector("[aria-describedby=preview]")?.removeAttribute("aria-describedby");
}

if (location.protocol !== "file:") {
  for (const link of document.querySelectorAll('.bd-article a.internal[href*="#"]')) {
    const later = () => (waiting = setTimeout(showPreview, 200, link));
    link.addEventListener("mouseenter", later);
    link.addEventListener("focus", later);
    link.addEventListener("mouseleave", hidePreview);
    link.addEventListener("blur", hidePreview);
  }
  document.addEventListener("keydown", ({ key }) => key === "Escape" && hidePreview());
  document.addEventListener("scroll", hidePreview, { passive: true });
}
