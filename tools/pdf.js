// What pdf.py asks of the pages of the built book, which it joins to one. In the whole book a place is called by its
// address, /book/counting.html#the-price, and a link inside the book leads there.

// The parts and their pages, as the sidebar lists them. Evidence, which it lists below its chapter, is an appendix.
function contents() {
  const line = (part, link) => ({ part, name: link.textContent.trim(), path: link.pathname });
  const chapters = [], evidence = [];
  let part = "";
  for (const entry of document.querySelectorAll("nav.bd-links :is(p.caption, li > a)"))
    if (!entry.matches("a")) part = entry.textContent.trim();
    else if (entry.pathname.includes("/evidence/")) evidence.push(line("Evidence", entry));
    else chapters.push(line(part, entry));
  return [...chapters, ...evidence];
}

// What is the same on every page: style sheets, who wrote the book, and which version it is.
function frame() {
  const text = (selector) => document.querySelector(selector)?.textContent.trim().replace(/^By /, "") ?? "";
  const sheets = [...document.querySelectorAll("link[rel=stylesheet]")].map((sheet) => sheet.href);
  return { sheets, author: text(".component-author"), version: text(".extra_footer") };
}

// The open chapter, all but its code unfolded, its sections, and the rules by which its formulas are drawn.
function chapter(paths) {
  const main = document.querySelector("main");
  const all = (selector) => [...main.querySelectorAll(selector)];
  all(".toggle-hidden").forEach((folded) => folded.classList.remove("toggle-hidden"));
  all("details:not(.hide)").forEach((details) => (details.open = true));
  all("script, mjx-assistive-mml, .headerlink, .bd-sidebar-secondary, .onlyprint").forEach((extra) => extra.remove());
  all("canvas").forEach((canvas) => canvas.replaceWith(Object.assign(new Image(), { src: canvas.toDataURL() })));
  all("img").forEach((picture) => (picture.src = picture.src));
  all("[id]").forEach((place) => (place.id = `${location.pathname}#${place.id}`));
  all("a.enlarge").forEach((link) => link.removeAttribute("href"));
  for (const link of all("a[href]"))
    if (link.origin !== location.origin) link.href = link.href;
    else if (paths.includes(link.pathname)) link.href = `#${link.pathname}${link.hash}`;
    else link.removeAttribute("href");
  const rules = [...(document.querySelector("#MJX-CHTML-styles")?.sheet.cssRules ?? [])];
  return {
    html: main.outerHTML,
    page: document.documentElement.dataset.page,
    rules: rules.map((rule) => rule.cssText),
    sections: all("section > h2").map((heading) => [heading.textContent.trim(), heading.parentElement.id]),
  };
}

// In the whole book, have links to places that are not printed lead to their chapters.
function leadToChapters() {
  for (const link of document.querySelectorAll('.chapter a[href^="#"]')) {
    const [path, place] = link.hash.slice(1).split("#");
    if (place && !document.getElementById(decodeURIComponent(`${path}#${place}`))?.checkVisibility()) link.hash = path;
  }
}

// Leave only the contents, and write into them the page on which each chapter begins.
function numberContents(numbers) {
  document.querySelectorAll(".chapter").forEach((chapter) => chapter.remove());
  document.querySelectorAll(".number").forEach((place, i) => (place.textContent = numbers[i]));
}
