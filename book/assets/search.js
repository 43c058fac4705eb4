// The search, on its page: sections by the words of their page's title, their heading and their text, rare words first.
// A page counts by its best section. Chapters come before evidence, evidence before lists, other languages last, and
// twelve pages are enough. tools/search_sections.py makes SECTIONS. Snippets are sentences, with formulas as text.

const NOT_ASKED = // words of questions that do not say what is asked
  "a about am an and any are as at be but by can could did do does for from get give good had has have how i if in into " +
  "is it its me my no not of on or our please s should so some such t than that the their them then there these they " +
  "this to too use used using vs versus was we what when where which who why will with work would you your";

const MEANT = { // what people type, and what the book calls it, too
  "ann database db milvus pinecone": "vector store",
  "bert gpt llm sbert": "encoder text",
  "inner": "dot",
  "movie": "film",
  "meaningless": "arbitrary",
  "isotropy": "anisotropy",
  "regularization regularizer regularize": "penalty",
  "doc2vec item2vec node2vec": "word2vec",
  "human judgement": "people judgment",
  "magnitude norm": "length",
  "confidence uncertainty": "error",
  "distributed federated sharded": "machine",
};

const WEIGHTS = { title: 3, heading: 3, text: 3, page: 1 }; // page: of the text of all its sections
const KINDS = { evidence: 0.7, claims: 0.5, data: 0.5, exercises: 0.4, homework: 0.5, references: 0.3, replies: 0.7, teach: 0.5 };
const CHINESE = /[\u3005-\u30ff\u3400-\u9fff]+/g; // and Japanese
const MOST = 12;

const { pages: PAGES, sections, words: WORDS } = SECTIONS;
const stemmer = new Stemmer();

// The words of a text as search_sections.py stores them: stems of letters without their marks, and of Chinese and
// Japanese two characters each.
function readWords(text) {
  const apart = text.toLowerCase().replaceAll("đ", "d").normalize("NFD");
  const plain = apart.replace(/[\u0300-\u036f]/g, "").normalize("NFC");
  const words = plain.replace(CHINESE, " ").match(/[\p{Letter}\p{Number}]+/gu) ?? [];
  const pairs = (line) => Array.from({ length: Math.max(1, line.length - 1) }, (_, i) => line.slice(i, i + 2));
  return [...words.map((word) => stemmer.stemWord(word)), ...(text.match(CHINESE) ?? []).flatMap(pairs)];
}

const synonyms = Object.entries(MEANT).map(([typed, meant]) => [readWords(typed), readWords(meant)]);
const notAsked = new Set(readWords(NOT_ASKED));
const named = sections.map(([, , heading, keywords]) => new Set(readWords(`${heading} ${keywords}`)));
const subjects = new Set(named.flatMap((words) => [...words]));
const firsts = PAGES.map((_, page) => sections.findIndex(([its]) => its === page)); // what a title begins
const titles = firsts.map((first) => new Set(readWords(sections[first][2])));
const lengths = sections.map(() => 0);
for (const found of Object.values(WORDS)) {
  for (let i = 0; i < found.length; i += 2) lengths[found[i]] += found[i + 1];
}
const usual = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;

// A word as the book has it: as it is typed, in American spelling, or else one that is a letter off.
function known(word) {
  const has = (one) => WORDS[one] || subjects.has(one) || synonyms.some(([typed]) => typed.includes(one));
  if (has(word) || word.length < 5) return word;
  const american = stemmer.stemWord(word.replace(/is$/, "ize").replace("our", "or")); // normalis(e)
  if (has(american)) return american;
  return [...Object.keys(WORDS), ...subjects].find((one) => one.length > 4 && letterOff(one, word)) ?? word;
}

// Whether two words differ by one letter that is missing, added or changed, or by two that have changed places.
function letterOff(a, b) {
  if (a.length > b.length) return letterOff(b, a);
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  if (a.length < b.length) return a.slice(i) === b.slice(i + 1);
  const swapped = a[i] === b[i + 1] && a[i + 1] === b[i] && a.slice(i + 2) === b.slice(i + 2);
  return swapped || a.slice(i + 1) === b.slice(i + 1);
}

// A word with those that mean the same, how often each section has one of them, and how much it weighs: little if most
// pages have it, and less if no heading has it than if it is a subject of the book.
function lookUp(word) {
  const names = [word, ...synonyms.filter(([typed]) => typed.includes(word)).flatMap(([, meant]) => meant)];
  const counts = new Map();
  for (const found of names.map((name) => WORDS[name] ?? [])) {
    for (let i = 0; i < found.length; i += 2) counts.set(found[i], (counts.get(found[i]) ?? 0) + found[i + 1]);
  }
  const subject = names.some((name) => subjects.has(name));
  const pages = new Set([...counts.keys()].map((section) => sections[section][0])).size;
  const rare = Math.log(1 + (PAGES.length - pages + 0.5) / (pages + 0.5));
  return { names, counts, weight: (pages || subject) && rare * (subject ? 1 : 0.5) };
}

// How much of a word there is in a section, from 0 to 1: a second mention counts less than the first.
function frequency({ counts }, section) {
  const count = counts.get(section) ?? 0;
  return count / (count + 0.6 + 0.6 * (lengths[section] / usual));
}

const kind = (page) => (LANGUAGE.test(page) ? 0.1 : (KINDS[page.match(/^book\/([a-z]+)/)?.[1]] ?? 1));

// Of each page that has what is typed its best section, and how well it answers.
function findSections(typed) {
  const asked = [...new Set(readWords(typed))].filter((word) => !notAsked.has(word)).map(known).map(lookUp);
  const total = asked.reduce((sum, { weight }) => sum + weight, 0);
  const share = (part) => asked.reduce((sum, word) => sum + word.weight * part(word), 0) / total;
  const covered = (has) => share((word) => Number(word.names.some((name) => has.has(name))));
  const names = named.map(covered);
  const texts = sections.map((_, section) => share((word) => frequency(word, section)));
  const worth = (section) => // of two headings the shorter
    WEIGHTS.heading * names[section] + WEIGHTS.text * texts[section] - sections[section][2].length / 5000;
  return PAGES.flatMap((page, number) => {
    const own = [...sections.keys()].filter((section) => sections[section][0] === number);
    const best = own.filter((section) => names[section] + texts[section] > 0).sort((a, b) => worth(b) - worth(a))[0];
    if (best === undefined) return [];
    const whole = own.reduce((sum, section) => sum + texts[section], 0);
    const score = worth(best) + WEIGHTS.title * covered(titles[number]) + (WEIGHTS.page * whole) / (1 + whole);
    return [{ page, section: best, first: best === firsts[number], score: kind(page) * score }];
  });
}

function escapeText(text) {
  return Object.assign(document.createElement("i"), { textContent: text }).innerHTML;
}

// As Sphinx shows it: page, title, place, description, score, file.
function asResult({ page, section, first, score }) {
  const [number, place, heading] = sections[section];
  const title = escapeText(sections[firsts[number]][2]);
  return first ? [page, title, "", null, score, page] : [page, `${title} › ${escapeText(heading)}`, `#${place}`, null, score, page];
}

Search.setIndex({}); // Sphinx's own is not fetched, tools/templates/search.html
Search._performSearch = (typed) => findSections(typed).sort((a, b) => a.score - b.score).slice(-MOST).map(asResult);

const SIGNS = { cdot: "·", dots: "…", ge: "≥", le: "≤", ne: "≠", neq: "≠", infty: "∞", in: "∈", notin: "∉", nabla: "∇" };
Object.assign(SIGNS, { pm: "±", mp: "∓", sqrt: "√", sum: "Σ", prod: "∏", times: "×", to: "→", mapsto: "↦", approx: "≈" });
Object.assign(SIGNS, { propto: "∝", perp: "⊥", sim: "∼", circ: "∘", odot: "⊙", ell: "ℓ", partial: "∂", leftarrow: "←" });
Object.assign(SIGNS, { lVert: "‖", rVert: "‖", lvert: "|", rvert: "|", langle: "⟨", rangle: "⟩", top: "ᵀ", succ: "≻" });
const GREEK = "alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ kappa κ lambda λ mu μ nu ν xi ξ pi π " +
  "rho ρ sigma σ tau τ phi φ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Lambda Λ Pi Π Sigma Σ Phi Φ Omega Ω";
for (const [, name, letter] of GREEK.matchAll(/(\w+) (.)/gu)) SIGNS[name] = letter;
const FUNCTIONS = /^(arctan|cos|cot|det|dim|exp|ln|log|max|min|sin|tan|tanh)$/;
const LOW = { 0: "₀", 1: "₁", 2: "₂", 3: "₃", 4: "₄", 5: "₅", 6: "₆", 7: "₇", 8: "₈", 9: "₉" };

function readFormula(_, tex) {
  const plain = tex
    .replace(/\\[dt]?frac\s*(?:\{([^{}]*)\}|(\w))\s*(?:\{([^{}]*)\}|(\w))/g, (_, a, b, c, d) => `${a ?? b}/${c ?? d}`)
    .replace(/\\\|/g, "‖")
    .replace(/\\([A-Za-z]+)/g, (_, name) => SIGNS[name] ?? (FUNCTIONS.test(name) ? `${name} ` : ""))
    .replace(/_\{?(\d)\}?/g, (_, digit) => LOW[digit])
    .replace(/\^\{?2\}?/g, "²");
  return plain.replace(/\\[,;!\\ ]/g, " ").replace(/[\\{}^_&]/g, "").replace(/\s+/g, " ").trim();
}

Search.htmlToText = (html, anchor) => {
  const page = new DOMParser().parseFromString(html, "text/html");
  const place = (anchor && page.querySelector(`article ${anchor}`)) || page.querySelector("article");
  const parts = [...(place?.querySelectorAll("p, li, td") ?? [])];
  const inner = (part) => !part.querySelector("p, li, td") && !part.closest(".cell_input, .cell_output, summary");
  const said = parts.filter((part) => inner(part) && part.querySelector("em")?.textContent !== part.textContent); // minutes
  const text = said.map((part) => part.textContent.trim()).join(" ").replace(/\\[([]([^]*?)\\[)\]]/g, readFormula);
  return text.replace(/\s+/g, " ");
};
