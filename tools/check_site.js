// What check_site.py asks of a page in the browser. Faults are told in words.

const all = (selector) => [...document.querySelectorAll(selector)];
const short = (text) => text.trim().replace(/\s+/g, " ").slice(0, 90);
const RAW = /\$\$|\$[^\s$][^$]*\$|\\[a-z([]|```|:::|\{[a-z-]+(:[a-z]+)?\}|^\([\w-]+\)=|\]\(/i;

// Wait until formulas are typeset, and fonts and pictures are there or have failed.
function settled(done) {
  const pictures = all("img").map((image) => image.decode().catch(() => null));
  Promise.all([window.MathJax?.startup?.promise, document.fonts.ready, ...pictures])
    .catch(() => null)
    .then(() => setTimeout(done, 100));
}

function mathsFaults() {
  const raw = all(".math").filter((maths) => !maths.querySelector("mjx-container"));
  const unknown = all("mjx-assistive-mml").filter((maths) => /\\[a-z]/i.test(maths.textContent));
  return [
    ...all("mjx-merror").map((error) => "formula in error: " + short(error.dataset.mjxError ?? error.textContent)),
    ...raw.map((maths) => "formula not rendered: " + short(maths.textContent)),
    ...unknown.map((maths) => "formula with unknown TeX: " + short(maths.textContent)),
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
  ];
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

function facts(width) {
  const prose = all("article p").map((p) => p.innerText).join(" ");
  return {
    faults: [
      ...mathsFaults(),
      ...rawFaults(),
      ...hintFaults(),
      ...imageFaults(),
      ...playFaults(),
      ...widthFaults(width),
      ...contrastFaults("light"),
      ...contrastFaults("dark"),
    ],
    ids: all("[id], a[name]").map((e) => e.id || e.name),
    links: all("a[href], link[href]").map((e) => e.href),
    formulas: all("mjx-container").length,
    images: all("img").length,
    words: prose.toLowerCase().match(/(?<![\w-])[a-z]{6,12}(?![\w-])/g) ?? [],
  };
}
