// What check_site.py asks of a page in the browser. Faults are told in words.

const all = (selector) => [...document.querySelectorAll(selector)];
const short = (text) => text.trim().replace(/\s+/g, " ").slice(0, 90);
const RAW = /\$\$|\$[^\s$][^$]*\$|\\[a-z([]|```|:::|\{[a-z-]+(:[a-z]+)?\}|^\([\w-]+\)=|\]\(/i;

function mathsFaults() {
  const raw = all(".math").filter((maths) => !maths.querySelector("mjx-container"));
  const unknown = all("mjx-assistive-mml").filter((maths) => /\\[a-z]/i.test(maths.textContent));
  const stops = all("mjx-container[tabindex='0'], span.math[tabindex='0']");
  return [
    ...all("mjx-merror").map((error) => "formula in error: " + short(error.dataset.mjxError ?? error.textContent)),
    ...raw.map((maths) => "formula not rendered: " + short(maths.textContent)),
    ...unknown.map((maths) => "formula with unknown TeX: " + short(maths.textContent)),
    ...stops.map((maths) => "formula that is a tab stop: " + short(maths.textContent)),
  ];
}

// TeX or MyST that a reader would see: text outside code and formulas that looks like it, folded text included.
function rawFaults() {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts = [document.title];
  while (walker.nextNode()) {
    const inside = walker.currentNode.parentElement.closest("pre, code, script, style, mjx-container, .math");
    if (!inside) texts.push(walker.currentNode.data);
  }
  return texts.filter((text) => RAW.test(text)).map((text) => "raw TeX or MyST: " + short(text));
}

// Names that lead to the first of several places.
function idFaults() {
  const ids = all("[id]").map((e) => e.id);
  const twice = new Set(ids.filter((id, i) => ids.indexOf(id) < i));
  return [...twice].map((id) => "id that several places have: " + id);
}

// Machines the page only shakes hands with, which is no request yet.
function hintFaults() {
  const hints = all("link[rel~=preconnect], link[rel~=dns-prefetch]");
  const away = hints.filter((link) => !link.href.startsWith(location.origin));
  return away.map((link) => "connection to another machine: " + short(link.href));
}

function imageFaults() {
  const name = (image) => short(image.getAttribute("src") ?? "");
  return [
    ...all("img").filter((image) => !image.alt.trim()).map((image) => "image without alt text: " + name(image)),
    ...all("img").filter((image) => !image.naturalWidth).map((image) => "image not loaded: " + name(image)),
    ...all(".cell_output img").filter((image) => !image.closest("a")).map((image) => "figure that does not open large: " + name(image)),
  ];
}

// Figures whose colors are turned in dark mode, so that the text's names for them no longer hold.
function hueFaults() {
  document.documentElement.dataset.theme = "dark";
  const turned = all("article img, article canvas").filter((e) => /invert|hue/.test(getComputedStyle(e).filter));
  document.documentElement.dataset.theme = "light";
  return turned.map((figure) => "figure with other colors in dark mode: " + short(figure.outerHTML));
}

// Cells of stacked tables that are off the screen, or do not say which column they are of.
function stackFaults(width) {
  const cells = all("table.stack tbody td");
  const off = cells.find((cell) => cell.getBoundingClientRect().right > width);
  const bare = cells.find((cell) => !cell.querySelector(".label")?.checkVisibility());
  return [
    ...(off ? [`cell of a stacked table off the screen at ${width} px: ` + short(off.textContent)] : []),
    ...(bare ? ["cell of a stacked table without its column's name: " + short(bare.textContent)] : []),
  ];
}

// Code and printed lines, folded ones apart, that a reader has to scroll sideways in a window of the usual width.
function scrollFaults(width) {
  const boxes = all("article .cell, article .cell *, article .highlight, article .highlight *");
  const wide = boxes.filter((e) => e.scrollWidth > e.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(e).overflowX));
  const seen = wide.filter((e) => e.checkVisibility() && !e.closest("mjx-container, .math"));
  return seen.map((e) => `scrolls sideways at ${width} px: ` + short(e.textContent));
}

// What makes the page scroll sideways, and what is cut off with no way to scroll to it.
function widthFaults(width) {
  const scrolls = (e) => e && (/auto|scroll/.test(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
  const cuts = (e) => /hidden|clip/.test(getComputedStyle(e).overflowX) && e.scrollWidth > e.clientWidth + 1;
  const spills = (e) => e.getBoundingClientRect().left + e.scrollWidth > width + 1 && !scrolls(e);
  const parts = all("article *").filter((e) => !e.closest("mjx-assistive-mml, .visually-hidden") && e.clientWidth > 1);
  const wide = parts.findLast(spills);
  const cut = parts.find(cuts);
  const page = document.documentElement.scrollWidth;
  const culprit = short((wide ?? document.body).outerHTML);
  return [
    ...(page > width ? [`scrolls sideways at ${width} px, to ${page}: ` + culprit] : []),
    ...(cut ? [`cut off at ${width} px: ` + short(cut.outerHTML)] : []),
  ];
}

// The first text of the page whose contrast with what lies behind it is under 4.5 : 1 (WCAG AA).
function contrastFaults(theme) {
  document.documentElement.dataset.theme = theme;
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const mixed = (colors) => {
    for (const color of colors) {
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
    }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const linear = (v) => (v <= 10 ? v / 3294.6 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b) + 0.05;
  const behind = (e) => (e ? [...behind(e.parentElement), getComputedStyle(e).backgroundColor] : ["white"]);
  const contrast = (e) => {
    const [paper, ink] = [behind(e), [...behind(e), getComputedStyle(e).color]].map(mixed).map(luminance);
    return Math.max(paper, ink) / Math.min(paper, ink);
  };
  const isText = (e) => [...e.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  const visible = (e) => e.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const texts = all("article *").filter((e) => isText(e) && !e.closest("mjx-container"));
  const pale = texts.find((e) => visible(e) && contrast(e) < 4.5);
  return pale ? [`hard to read in ${theme} mode, contrast ${contrast(pale).toFixed(1)}: ` + short(pale.outerHTML)] : [];
}

// Figures to play with whose script has not come.
function playFaults() {
  const still = all("[data-play]").filter((figure) => !figure.querySelector("input[type=range]"));
  return still.map((figure) => "figure without its sliders: " + short(figure.outerHTML));
}

// What a reader sees of a slider's figure: its drawings, and its text beside the sliders' own.
function looks(slider) {
  const figure = slider.closest("[data-play]") ?? document.body;
  const pictures = [...figure.querySelectorAll("svg, canvas")];
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

// The picture that stands open: its text, and its width.
function opened() {
  const picture = document.querySelector("dialog.viewer[open] img");
  return picture && [picture.alt, picture.getBoundingClientRect().width];
}

function facts(width) {
  const prose = all("article p").map((p) => p.innerText).join(" ");
  return {
    faults: [
      ...mathsFaults(),
      ...rawFaults(),
      ...idFaults(),
      ...hintFaults(),
      ...imageFaults(),
      ...hueFaults(),
      ...stackFaults(width),
      ...playFaults(),
      ...widthFaults(width),
      ...contrastFaults("light"),
      ...contrastFaults("dark"),
    ],
    ids: all("[id], a[name]").map((e) => e.id || e.name),
    links: all("a[href], link[href]").filter((e) => !e.closest("[hidden]")).map((e) => e.href),
    formulas: all("mjx-container").length,
    images: all("img").length,
    words: prose.toLowerCase().match(/(?<![\w-])[a-z]{6,12}(?![\w-])/g) ?? [],
  };
}
