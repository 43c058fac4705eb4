// What check_site.py asks of a page in the browser. Faults are told in words.

const all = (selector) => [...document.querySelectorAll(selector)];
const short = (text) => text.trim().replace(/\s+/g, " ").slice(0, 90);
const tell = (fault, parts) => parts.map((e) => `${fault}: ${short(e.data ?? (e.textContent || e.outerHTML))}`);
const sideways = (e) => /auto|scroll/.test(getComputedStyle(e).overflowX);
const RAW = /\$\$|\$[^\s$][^$]*\$|\\[a-z([]|```|:::|\{[a-z-]+(:[a-z]+)?\}|^\([\w-]+\)=|\]\(/i;

// The text that a reader sees outside code and formulas, folded text included.
function texts() {
  const walker = document.createTreeWalker(document, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) found.push(walker.currentNode);
  return found.filter((text) => !text.parentElement.closest("pre, code, script, style, mjx-container, .math"));
}

function faults() {
  return [
    ...tell("formula in error", all("mjx-merror")),
    ...tell("formula not rendered", all(".math").filter((e) => !e.querySelector("mjx-container"))),
    ...tell("formula with unknown TeX", all("mjx-assistive-mml").filter((e) => /\\[a-z]/i.test(e.textContent))),
    ...tell("formula that is a tab stop", all("mjx-container[tabindex='0'], span.math[tabindex='0']")),
    ...tell("raw TeX or MyST", texts().filter((text) => RAW.test(text.data))),
    ...tell("connection to another machine", all("link[rel~=preconnect], link[rel~=dns-prefetch]").filter((e) => !e.href.startsWith(location.origin))),
    ...tell("image without alt text", all("img").filter((e) => !e.alt.trim())),
    ...tell("image not loaded", all("img").filter((e) => !e.naturalWidth)),
    ...tell("figure that does not open large", all(".cell_output img").filter((e) => !e.closest("a"))),
    ...tell("figure without its sliders", all("[data-play]").filter((e) => !e.querySelector("input[type=range]"))),
    ...tell("list of chapters before the page, for those who press Tab", all(".bd-sidebar-primary ~ .bd-main")),
  ];
}

// What a reader on a phone has to scroll sideways for, or cannot see at all.
function phoneFaults() {
  const article = all("article *").filter((e) => !e.closest("mjx-assistive-mml, .visually-hidden") && e.clientWidth > 1);
  const right = (e) => e.getBoundingClientRect().left + e.scrollWidth;
  const scrolls = (e) => e && (sideways(e) || scrolls(e.parentElement));
  const cuts = (e) => /hidden|clip/.test(getComputedStyle(e).overflowX) && e.scrollWidth > e.clientWidth + 1;
  const scrolled = all("div.math mjx-container, span.math").filter((e) => sideways(e) && e.scrollWidth > e.clientWidth + 4);
  const page = document.documentElement;
  const culprit = article.findLast((e) => right(e) > innerWidth + 1 && !scrolls(e)) ?? page;
  const cells = all("table.stack tbody td").filter((e) => e.checkVisibility()); // not folded
  const named = cells.filter((e) => !e.closest(".equations")); // an equation needs no heading
  return [
    ...tell(`page of ${page.scrollWidth} px on a phone`, page.scrollWidth > screen.width ? [culprit] : []),
    ...tell("cut off on a phone", article.filter(cuts)),
    ...tell("formula that scrolls without a shadow", scrolled.filter((e) => getComputedStyle(e).backgroundImage === "none")),
    ...tell("cell of a stacked table off the screen", cells.filter((e) => e.getBoundingClientRect().right > screen.width)),
    ...tell("cell of a stacked table without its column's name", named.filter((e) => !e.querySelector(".label")?.checkVisibility())),
  ];
}

// What a reader at a desk has to scroll sideways for, folded code apart.
function deskFaults() {
  const boxes = all("article .cell, article .cell *, article .highlight, article .highlight *");
  const wide = boxes.filter((e) => e.scrollWidth > e.clientWidth + 1 && sideways(e) && e.checkVisibility());
  return tell("scrolls sideways at a desk", wide.filter((e) => !e.closest("mjx-container, .math")));
}

// On the answer on one page: a part that is neither on its sheet nor folded, or that a link to it does not unfold.
async function foldFaults() {
  const folds = all("html[data-page^=what-to-do] section > details:has(> .not-printed, > .second-sheet)");
  const shut = [];
  for (const fold of folds.filter((e) => !e.open)) {
    location.hash = fold.parentElement.id;
    await new Promise((go) => setTimeout(go, 50));
    if (!fold.open) shut.push(fold);
  }
  const open = all("html[data-page^=what-to-do] section section > :is(.not-printed, .second-sheet)");
  return [...tell("not printed, and not folded", open), ...tell("fold that a link to it does not open", shut)];
}

// Figures whose colors are turned, so that the text's names for them no longer hold. Half a turn of the hues, or ten
// degrees more, follows the inversion and keeps the names (book.css).
function hueFaults() {
  const kept = (e) => e.matches("[data-ink], canvas") && /^invert\([\d.]+\) hue-rotate\(1[89]0deg\) (brightness|saturate)\([\d.]+\)$/.test(getComputedStyle(e).filter);
  const pictures = all("article img, article canvas").filter((e) => !kept(e));
  const turned = pictures.filter((e) => /invert|hue/.test(getComputedStyle(e).filter));
  return tell("figure with other colors in dark mode", turned);
}

// What a reader sees of a slider's figure: its drawings or lists, and its text beside the sliders' own.
function looks(slider) {
  const figure = slider.closest("[data-play]") ?? document.body;
  const pictures = [...figure.querySelectorAll("svg, canvas, ol")];
  const texts = [...figure.querySelectorAll("p, figcaption")];
  return [pictures.map((e) => e.toDataURL?.() ?? e.outerHTML).join(), texts.map((e) => e.textContent).join()];
}

// Whether the outline of the focused slider can be seen: it has one, and nothing around it cuts it off.
function ringSeen(slider) {
  const look = getComputedStyle(slider);
  const reach = parseFloat(look.outlineWidth) + Math.max(0, parseFloat(look.outlineOffset) || 0);
  const box = slider.getBoundingClientRect();
  const inside = (e) => {
    const frame = e.getBoundingClientRect();
    return getComputedStyle(e).overflowX === "visible" || (frame.left <= box.left - reach && frame.right >= box.right + reach);
  };
  let [e, whole] = [slider.parentElement, look.outlineStyle !== "none" && reach > 0];
  for (; e && e !== document.body; e = e.parentElement) whole &&= inside(e);
  return whole;
}

// Where the picture is that one paints, in the middle of the screen: left, top, side; and how many pairs are painted.
function canvasToPaint() {
  const canvas = document.querySelector("canvas[tabindex]");
  canvas.scrollIntoView({ block: "center", behavior: "instant" });
  const { left, top, width } = canvas.getBoundingClientRect();
  return [left, top, width];
}

function paintedPairs() {
  return Number(document.querySelector("canvas[tabindex]").closest("[data-play]").textContent.match(/(\d+) of \d+ pairs/)[1]);
}

// What a page has, for those who look where links lead and what can be searched for, and which kinds of parts.
function facts() {
  const kinds = ["h1", "html:not([lang=en])", "#search-results", "figure", ".cell_input", ".proof", ".exercise", ".claim"];
  kinds.push("table.dataframe", "table.stack", "[data-play]", ".bibliography, .citation");
  const prose = all("article p").map((e) => e.innerText).join(" ");
  return {
    ids: all("[id], a[name]").map((e) => e.id || e.name),
    links: all("a[href], link[href]").filter((e) => !e.closest("[hidden]")).map((e) => e.href),
    words: prose.toLowerCase().match(/(?<![\w-])[a-z]{6,12}(?![\w-])/g) ?? [],
    kinds: kinds.filter((kind) => document.querySelector(kind)),
  };
}
