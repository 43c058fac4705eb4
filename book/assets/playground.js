// Figures to play with, without a kernel and without a network. A page says
//   <div class="playground" data-play="error-bar">what to read where scripts do not run</div>
//   <script defer src="../_static/playground.js"></script>
// and the player of that name replaces what is inside the div. Data for it, if any, is JSON inside the div, in a
//   <script type="application/json">…</script>
// The player "picture" is in paint.js, those of answers in answers.js; both come after this file.
//
// error-bar takes no data. rescaling, of a model with two latent dimensions, takes
//   names, items  of the items: names, and embeddings of two numbers each
//   user        the embedding of a user
//   pick        the place of the item whose cosines are shown
//   whose       optional: the user's name, such as "viewer 5"
//   label       optional: what the slider says
//   words       optional: SAID in the page's language
// split, of films in two latent dimensions, takes
//   names, directions  of the films: names, and their two entries of V each
//   products    for each of the two directions, what f times h is
//   start       for each of the two directions, the first f
//   pick        the place of the film whose cosines are shown
// spectral-weights takes
//   items       number of items in the picture
//   borders     for each cluster but the first, the place of its first item
//   frames      one for each α, in equal steps:
//     alpha       the exponent
//     cosines     items × items signed bytes in base64, 127 for a cosine of 1
//     auc         the clusters' recovery, 0 to 1; drawn as a curve, as are the next two where they are given
//     above       share of all pairs of items whose cosine is above 0.8, 0 to 1
//     purity      0 to 1
//     difference  the largest change of a prediction
//   predictions number of predictions compared
//   marks       optional: [{alpha, name, auc, above, purity}, …], weightings that have names, each at the α it is
//               nearest to; a thin line with the name in the method's color, and a ring at each score that is given

// Append an element to a parent, an SVG one if the parent is, and return it.
function add(parent, tag, attributes = {}, text = "") {
  const namespace = tag === "svg" ? "http://www.w3.org/2000/svg" : parent.namespaceURI;
  const element = document.createElementNS(namespace, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text;
  return parent.appendChild(element);
}

const path = (points) => "M" + points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join("L");

// Heights of labels, moved apart where two are nearer than the gap, in their order and about where they were.
function spread(heights, gap = 15) {
  const order = heights.map((_, i) => i).sort((i, j) => heights[i] - heights[j]);
  const moved = [...heights];
  for (let round = 0; round < 50; round++)
    order.slice(1).forEach((i, place) => {
      const above = order[place];
      const push = Math.max(0, gap - (moved[i] - moved[above])) / 2;
      moved[i] += push;
      moved[above] -= push;
    });
  return moved;
}

// A number with two decimals, written as the page's language does.
function decimal(number) {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return number.toLocaleString(document.documentElement.lang, digits).replace("-", "−").replace(/^−(0[.,]00)$/, "$1");
}

// A labeled slider. `read` turns its position into a value, `tell` a value into text, `moved` is called at every move.
function slider(figure, { label, min, max, step, start, read = (x) => x, tell = String }, moved) {
  const row = add(figure, "label");
  add(row, "span", {}, label);
  const input = add(row, "input", { type: "range", min, max, step, value: start });
  const output = add(row, "output");
  const knob = { value: read(Number(start)) };
  const update = () => {
    knob.value = read(Number(input.value));
    output.textContent = tell(knob.value);
    input.setAttribute("aria-valuetext", tell(knob.value));
  };
  input.addEventListener("input", () => (update(), moved()));
  update();
  return knob;
}

// The cosines that a pair can be given by transformations of condition number at most c.
function errorBar(figure) {
  const range = (s, c) => [-1, 1].map((side) => Math.tanh(Math.atanh(s) + side * Math.log(c)));
  const [x, y] = [(s) => 205 + 150 * s, (s) => 165 - 150 * s];
  const line = (points) => path(points.map(([s, t]) => [x(s), y(t)]));
  const grid = Array.from({ length: 201 }, (_, i) => Math.tanh((i - 100) / 25));
  const lens = (c) => {
    const upper = grid.map((s) => [s, range(s, c)[1]]);
    const lower = grid.map((s) => [s, range(s, c)[0]]).reverse();
    return line([[-1, -1], ...upper, [1, 1], ...lower]) + "Z";
  };

  const cosine = slider(figure, {
    label: "cosine that was measured", min: -0.99, max: 0.99, step: 0.01, start: 0.8, tell: (s) => s.toFixed(2),
  }, () => show());
  const cond = slider(figure, {
    label: "c: no two scales' errors differ by more than this factor", min: 0, max: 5, step: 0.05, start: 1,
    read: (z) => 2 ** z, tell: (c) => c.toFixed(c < 10 ? 2 : 1),
  }, () => show());

  const name = "Attainable cosines against the measured cosine: a lens around the diagonal";
  const svg = add(figure, "svg", { viewBox: "0 0 360 362", role: "img", "aria-label": name });
  const band = add(svg, "path", { class: "band" });
  for (const c of [1.5, 3, 10]) {
    add(svg, "path", { class: "thin", d: lens(c) });
    add(svg, "text", { class: "small", x: x(0), y: y(range(0, c)[1]) + 13, "text-anchor": "middle" }, `c = ${c}`);
  }
  add(svg, "path", { class: "axis", d: line([[-1, 1], [-1, -1], [1, -1]]) });
  add(svg, "path", { class: "axis", d: line([[-1, -1], [1, 1]]), "stroke-dasharray": 4 });
  for (const s of [-1, -0.5, 0, 0.5, 1]) {
    add(svg, "text", { x: x(s), y: 333, "text-anchor": "middle" }, String(s).replace("-", "−"));
    add(svg, "text", { x: 48, y: y(s) + 5, "text-anchor": "end" }, String(s).replace("-", "−"));
  }
  add(svg, "text", { x: x(0), y: 355, "text-anchor": "middle" }, "measured cosine");
  add(svg, "text", { x: -165, y: 14, "text-anchor": "middle", transform: "rotate(-90)" }, "attainable cosines");
  const bar = add(svg, "path", { class: "bar" });
  const dot = add(svg, "circle", { class: "dot", r: 5 });
  const verdict = add(figure, "p", { "aria-live": "polite" });
  add(figure, "p", {}, "Bar: what the measured cosine may stand for. Shaded: the same for every cosine; thin lines: at three values of c.");

  function show() {
    const [s, c, [low, high]] = [cosine.value, cond.value, range(cosine.value, cond.value)];
    band.setAttribute("d", lens(c));
    bar.setAttribute("d", line([[s, low], [s, high]]));
    dot.setAttribute("cx", x(s));
    dot.setAttribute("cy", y(s));
    const [at, from, to] = [s, low, high].map((value) => value.toFixed(2).replace("-", "−"));
    verdict.textContent = `A cosine of ${at} stands for anything from ${from} to ${to}.`;
  }
  show();
}

const HUES = ["--first", "--second", "--third", "--fourth", "--fifth"]; // of the films
const BESIDE = [-6, 14, 4, -4, 14]; // how far below its arrow's end the name of each begins
const dot = (x, y) => x.reduce((sum, value, i) => sum + value * y[i], 0);
const cosine = (x, y) => dot(x, y) / Math.hypot(...x) / Math.hypot(...y);

// The place of the row that is nearest to the one at the place pick.
function nearestTo(rows, pick) {
  const cosines = rows.map((row, i) => (i === pick ? -Infinity : cosine(row, rows[pick])));
  return cosines.indexOf(Math.max(...cosines));
}

// Rows as arrows from a point of an svg to their ends, each in its hue, with its name at a height.
function drawArrows(svg, start, ends, names, heights, pick) {
  ends.forEach(([x, y], i) => {
    const style = `stroke: var(${HUES[i]}); stroke-width: ${i === pick ? 4 : 2}`;
    add(svg, "path", { d: path([start, [x, y]]), style });
    add(svg, "circle", { cx: x, cy: y, r: 4, style: `fill: var(${HUES[i]})` });
    add(svg, "text", { class: "name", x: x + 7, y: heights[i], style: `fill: var(${HUES[i]})` }, names[i]);
  });
}

// A row for each cosine in an svg: name, a bar from the line of zero at x = zero (to its left if negative), and the number.
function cosineBars(svg, names, cosines, { best, zero, unit, number }) {
  names.forEach((name, i) => {
    const [at, weight] = [60 + 44 * i, i === best ? "bold" : "normal"];
    add(svg, "text", { x: 65, y: at, "text-anchor": "end", "font-weight": weight }, name);
    const bar = path([[zero, at - 5], [zero + unit * cosines[i], at - 5]]);
    add(svg, "path", { d: bar, style: `stroke: var(${HUES[i]}); stroke-width: 12` });
    add(svg, "text", { x: number, y: at, "text-anchor": "end", "font-weight": weight }, decimal(cosines[i]));
  });
  const foot = 60 + 44 * (names.length - 1) + 14;
  add(svg, "path", { class: "axis", d: path([[zero, 38], [zero, foot]]) });
  for (const value of [-1, 0, 1])
    add(svg, "text", { class: "small", x: zero + unit * value, y: foot + 14, "text-anchor": "middle" }, String(value).replace("-", "−"));
}

// What rescaling says. A page in another language gives the same keys in its data, as words.
const SAID = {
  whose: "the user",
  label: "D = diag(d, 1): the first dimension of users times d, that of items divided by d",
  still: "The items at d = {d}",
  nearest: "d = {d}: nearest to {pick} is {best}",
  arrows: "The items as arrows",
  list: "Cosines and scores of the items",
  cosine: "cosine with {pick}",
  score: "score for",
  verdict: "Nearest to {pick}: {best}. The scores for {whose} stay as they were.",
};

// Items as arrows, divided by D = diag(d, 1); cosines with one of them, and a user's scores, multiplied by D.
function rescaling(figure, { names, items, user, pick, words = {}, ...others }) {
  const said = { ...SAID, ...others, ...words };
  const say = (key, values = {}) =>
    said[key].replace(/\{(\w+)\}/g, (_, name) => ({ pick: names[pick], whose: said.whose, ...values })[name]);
  const scaled = (d) => items.map(([x, y]) => [x / d, y]);

  function draw(svg, rows) {
    const [x, y] = [(v) => 24 + 205 * v, (w) => 180 - 205 * w];
    svg.replaceChildren();
    add(svg, "path", { class: "axis", d: path([[x(0), y(0.75)], [x(0), y(-0.4)]]) + path([[x(-0.1), y(0)], [x(1.25), y(0)]]) });
    const ends = rows.map(([v, w]) => [x(v), y(w)]);
    drawArrows(svg, [x(0), y(0)], ends, names, ends.map(([, height], i) => height + BESIDE[i]), pick);
  }

  const strip = add(figure, "div", { class: "strip" });
  for (const d of [0.5, 1, 2]) {
    const [part, rows] = [add(strip, "div"), scaled(d)];
    draw(add(part, "svg", { viewBox: "0 0 330 270", role: "img", "aria-label": say("still", { d }) }), rows);
    add(part, "p", {}, say("nearest", { d, best: names[nearestTo(rows, pick)] }));
  }
  const live = add(figure, "div", { class: "live" });
  const scale = slider(live, {
    label: said.label, min: -1, max: 1.6, step: 0.05, start: 0, read: (z) => 2 ** z, tell: (d) => `d = ${decimal(d)}`,
  }, () => show());
  const columns = add(live, "div", { class: "columns" });
  const picture = add(columns, "svg", { viewBox: "0 0 330 270", role: "img", "aria-label": said.arrows });
  const list = add(columns, "svg", { viewBox: "0 0 330 270", role: "img", "aria-label": said.list });
  const verdict = add(live, "p", { "aria-live": "polite" });

  function show() {
    const [rows, person] = [scaled(scale.value), [user[0] * scale.value, user[1]]];
    const best = nearestTo(rows, pick);
    draw(picture, rows);
    list.replaceChildren();
    add(list, "text", { x: 75, y: 16 }, say("cosine"));
    add(list, "text", { x: 325, y: 16, "text-anchor": "end" }, said.score);
    add(list, "text", { x: 325, y: 33, "text-anchor": "end" }, said.whose);
    const cosines = rows.map((row) => cosine(row, rows[pick]));
    cosineBars(list, names, cosines, { best, zero: 137, unit: 62, number: 250 });
    rows.forEach((row, i) => add(list, "text", { x: 325, y: 60 + 44 * i, "text-anchor": "end" }, decimal(dot(person, row))));
    verdict.textContent = say("verdict", { best: names[best] });
  }
  show();
}

// Films as arrows V diag(f) in two latent dimensions: a slider for each f, a valley f·h = product for each of the two,
// and the cosines with one film.
function split(figure, { names, directions, products, start, pick }) {
  const dashes = ["none", "6 4"];
  const reach = 2 ** 1.5;
  const [right, top] = [1.05 * reach * Math.max(...start), 1.05 * reach * Math.max(...products.map((p, i) => p / start[i]))];
  const [x, y] = [(f) => 24 + (290 * f) / right, (h) => 240 - (215 * h) / top]; // every dot is in view

  const columns = add(figure, "div", { class: "columns" });
  const desk = add(columns, "div");
  const knobs = [0, 1].map((i) =>
    slider(desk, {
      label: `direction ${i + 1}: the films' weight f, the viewers' weight h`, min: -1.5, max: 1.5, step: 0.05, start: 0,
      read: (z) => start[i] * 2 ** z, tell: (f) => `f = ${f.toFixed(2)}, h = ${(products[i] / f).toFixed(2)}`,
    }, () => show()));
  const verdict = add(desk, "p", { "aria-live": "polite" });
  const [valley, picture, list] = ["Two valleys: f against h", "The films as arrows", "Cosines of the films"].map((name) =>
    add(columns, "svg", { viewBox: "0 0 330 270", role: "img", "aria-label": name }));

  function drawValleys(f) {
    valley.replaceChildren();
    add(valley, "path", { class: "axis", d: path([[x(0), y(top)], [x(0), y(0)], [x(right), y(0)]]) });
    add(valley, "text", { x: x(right), y: 260, "text-anchor": "end" }, "weight of the films, f");
    add(valley, "text", { x: -y(0), y: 16, transform: "rotate(-90)" }, "weight of the viewers, h");
    products.forEach((product, i) => {
      const line = { class: "thin", "stroke-dasharray": dashes[i] };
      const grid = Array.from({ length: 80 }, (_, j) => product / top + ((right - product / top) * j) / 79);
      add(valley, "path", { ...line, d: path(grid.map((v) => [x(v), y(product / v)])) });
      add(valley, "path", { ...line, d: path([[165, 35 + 22 * i], [195, 35 + 22 * i]]) });
      add(valley, "circle", { class: i ? "ring" : "dot", cx: 210, cy: 35 + 22 * i, r: 6 - i });
      add(valley, "text", { x: 225, y: 40 + 22 * i }, `direction ${i + 1}`);
      add(valley, "circle", { class: i ? "ring" : "dot", cx: x(f[i]), cy: y(product / f[i]), r: 6 - i });
    });
  }

  function drawFilms(rows) {
    const size = Math.max(...rows.flat().map(Math.abs));
    const [across, up] = [(v) => 40 + (150 * v) / size, (w) => 140 - (110 * w) / size];
    picture.replaceChildren();
    add(picture, "path", { class: "axis", d: path([[across(0), 10], [across(0), 265]]) + path([[20, up(0)], [320, up(0)]]) });
    const ends = rows.map(([v, w]) => [across(v), up(w)]);
    drawArrows(picture, [across(0), up(0)], ends, names, spread(ends.map(([, height], i) => height + BESIDE[i])), pick);
  }

  function show() {
    const f = knobs.map((knob) => knob.value);
    const rows = directions.map(([v, w]) => [v * f[0], w * f[1]]);
    const cosines = rows.map((row) => cosine(row, rows[pick]));
    const best = nearestTo(rows, pick);
    drawValleys(f);
    drawFilms(rows);
    list.replaceChildren();
    add(list, "text", { x: 75, y: 16 }, `cosine with ${names[pick]}`);
    cosineBars(list, names, cosines, { best, zero: 160, unit: 80, number: 300 });
    const most = cosines[best].toFixed(3).replace("-", "−");
    verdict.textContent = `Nearest to ${names[pick]}: ${names[best]}, cosine ${most}. All scores and the loss stay as they were.`;
  }
  show();
}

const SCORES = {
  auc: ["AUC", (score) => score.toFixed(2)],
  above: ["cosines above 0.8", (score) => `${Math.round(100 * score)} %`],
  purity: ["purity", (score) => score.toFixed(2)],
};

// The colors of methods, which book.css has from helpers/plots.py.
const METHODS = {
  "D = √g": "--none", "D = I": "--half", "D = 1/√g": "--all", "D = 1/√σ": "--even", "projected back": "--back",
  "Eq. 2": "--eq-2", "weight decay": "--decay", "raw columns": "--columns",
};

// Items weighted by σ^α: their cosines, and beside them what the cosines recover and how many of them are large.
function spectralWeights(figure, { frames, items, borders, predictions, marks = [] }) {
  const alphas = frames.map((frame) => frame.alpha);
  const [first, last, step] = [alphas[0], alphas.at(-1), Number((alphas[1] - alphas[0]).toFixed(3))];
  const [x, y] = [(a) => 40 + (310 * (a - first)) / (last - first), (score) => 265 - 250 * score];
  const tell = (a) => a.toFixed(1).replace("-", "−");
  const alpha = slider(figure, {
    label: "exponent α of the item weights", min: first, max: last, step, start: 0, tell,
  }, () => show());

  const columns = add(figure, "div", { class: "columns" });
  const left = add(columns, "div");
  const picture = add(left, "canvas", { role: "img" });
  colorKey(left, ["cosine −1", "0", "1"]);
  const right = add(columns, "div");
  const svg = add(right, "svg", { viewBox: "0 0 360 310", role: "img" });
  add(svg, "path", { class: "axis", d: path([[x(first), y(1)], [x(first), y(0)], [x(last), y(0)]]) });
  for (const score of [0, 0.5, 1]) add(svg, "text", { x: 34, y: y(score) + 5, "text-anchor": "end" }, String(score));
  for (const a of alphas.filter(Number.isInteger))
    add(svg, "text", { x: x(a), y: 283, "text-anchor": "middle" }, String(a).replace("-", "−"));
  add(svg, "text", { x: x((first + last) / 2), y: 305, "text-anchor": "middle" }, "exponent α");
  for (const mark of marks) {
    add(svg, "path", { class: "thin", d: path([[x(mark.alpha), y(1)], [x(mark.alpha), y(0)]]) });
  }
  const now = add(svg, "path", { class: "axis" });
  const curves = Object.keys(SCORES).filter((score) => score in frames[0]).map((score, i) => {
    const points = frames.map((frame) => [x(frame.alpha), y(frame[score])]);
    const look = { class: `curve ${score}`, "stroke-dasharray": ["none", "8 4", "2 3"][i] };
    add(svg, "path", { ...look, d: path(points) });
    for (const mark of marks.filter((mark) => score in mark))
      add(svg, "circle", { class: `ring ${score}`, cx: x(mark.alpha), cy: y(mark[score]), r: 5 });
    const line = add(right, "p", { class: "key" });
    const sample = add(line, "svg", { viewBox: "0 0 40 10", "aria-hidden": true });
    add(sample, "path", { ...look, d: "M0,5H40" });
    const dot = add(svg, "circle", { class: `dot ${score}`, r: 5 });
    return [score, dot, add(line, "span")];
  });
  for (const [i, mark] of marks.entries()) {
    const side = mark.above > 0.5 ? 13 : -3; // beside its line, away from the curve that rises there
    const [across, up] = [x(mark.alpha) + side, y(i % 2 ? 0.24 : 0.5)]; // no name beside another
    const style = `fill: var(${METHODS[mark.name]}, currentcolor)`;
    const place = { class: "small name", style, transform: `translate(${across} ${up}) rotate(-90)` };
    add(svg, "text", place, mark.name);
  }
  const verdict = add(figure, "p", { class: "visually-hidden", "aria-live": "polite" });
  const unchanged = add(figure, "p");

  function show() {
    const frame = frames[Math.round((alpha.value - first) / step)];
    drawCosines(picture, frame.cosines, items, borders);
    picture.setAttribute("aria-label", `Cosines of ${items} items at α = ${tell(alpha.value)}`);
    now.setAttribute("d", path([[x(frame.alpha), y(1)], [x(frame.alpha), y(0)]]));
    const scores = curves.map(([score, dot, line]) => {
      dot.setAttribute("cx", x(frame.alpha));
      dot.setAttribute("cy", y(frame[score]));
      const [name, text] = SCORES[score];
      return (line.textContent = `${name}: ${text(frame[score])}`);
    });
    svg.setAttribute("aria-label", `Scores against α, at α = ${tell(alpha.value)}: ${scores.join(", ")}`);
    verdict.textContent = `α = ${tell(alpha.value)}; ${scores.join("; ")}.`;
    const largest = frame.difference ? frame.difference.toExponential(0).replace("-", "−") : "0";
    const many = predictions.toLocaleString("en").replaceAll(",", "\u202f");
    unchanged.textContent = `Lines divide the clusters. Predictions stay: the largest of ${many} changes is ${largest}, a rounding error.`;
  }
  show();
  new ResizeObserver(show).observe(left);
}

// Draw a square matrix of signed bytes, in base64, with lines between the clusters, sharp on every screen: a cell is a
// whole number of the screen's own dots wide.
function drawCosines(canvas, base64, items, borders) {
  const bytes = Int8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const dots = window.devicePixelRatio;
  const side = Math.max(1, Math.floor((Math.min(canvas.parentElement.clientWidth, 420) * dots) / items));
  canvas.width = canvas.height = side * items;
  canvas.style.width = `${canvas.width / dots}px`;
  const pen = canvas.getContext("2d");
  bytes.forEach((byte, i) => {
    pen.fillStyle = diverging(byte / 127);
    pen.fillRect((i % items) * side, Math.floor(i / items) * side, side, side);
  });
  pen.fillStyle = "#666";
  for (const border of borders) {
    pen.fillRect(border * side, 0, Math.ceil(dots), canvas.height);
    pen.fillRect(0, border * side, canvas.width, Math.ceil(dots));
  }
}

// The color of a number from −1, blue, to 1, red: the scale of the book's figures.
const SCALE = "053061 2166ac 4393c3 92c5de d1e5f0 f7f7f7 fddbc7 f4a582 d6604d b2182b 67001f".split(" ");

// The scale with three labels: at its left end, its middle and its right end. Returns the labels.
function colorKey(parent, labels) {
  const key = add(parent, "p", { class: "key" });
  const [low, high] = [SCALE.slice(0, 6), SCALE.slice(5)].map((half) => half.map((hex) => `#${hex}`));
  return labels.map((label, i) => {
    if (i) add(key, "span", { style: `background: linear-gradient(to right, ${i === 1 ? low : high})` });
    return add(key, "span", {}, label);
  });
}

function diverging(value) {
  const at = 5 * (1 + value);
  const left = Math.min(Math.floor(at), 9);
  const [from, to] = [left, left + 1].map((i) => SCALE[i].match(/../g).map((hex) => parseInt(hex, 16)));
  return `rgb(${from.map((v, i) => Math.round(v + (at - left) * (to[i] - v)))})`;
}

// Put each player into the figures that are of its name.
function play(players) {
  for (const [name, player] of Object.entries(players))
    for (const figure of document.querySelectorAll(`[data-play="${name}"]`)) {
      const data = JSON.parse(figure.querySelector("script[type='application/json']")?.textContent ?? "null");
      figure.replaceChildren();
      player(figure, data);
    }
}

play({ "error-bar": errorBar, rescaling, split, "spectral-weights": spectralWeights });

// Beside "Skip to main content", seen when it has the focus: a way to the sliders that passes the page by.
const WAYS = { ja: "スライダーへスキップ", "zh-Hans": "跳到滑块", vi: "Chuyển đến thanh trượt" };
const [first] = document.querySelectorAll("[data-play]");
const skip = document.querySelector(".skip-link");
if (first && skip) {
  first.id ||= "sliders";
  const way = skip.cloneNode();
  way.removeAttribute("id");
  add(way, "a", { href: `#${first.id}` }, WAYS[document.documentElement.lang] ?? "Skip to the sliders");
  skip.after(way);
}
