// Figures to play with, without a kernel and without a network. A page says
//   <div class="playground" data-play="error-bar">what to read where scripts do not run</div>
//   <script defer src="../_static/playground.js"></script>
// and the player of that name replaces what is inside the div. Data for it, if any, is JSON inside the div, in a
//   <script type="application/json">…</script>

// Append an element to a parent, an SVG one if the parent is, and return it.
function add(parent, tag, attributes = {}, text = "") {
  const namespace = tag === "svg" ? "http://www.w3.org/2000/svg" : parent.namespaceURI;
  const element = document.createElementNS(namespace, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text;
  return parent.appendChild(element);
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

// Chapter 8: the cosines that a pair can be given by transformations of condition number at most c.
function errorBar(figure) {
  const range = (s, c) => [-1, 1].map((side) => Math.tanh(Math.atanh(s) + side * Math.log(c)));
  const [x, y] = [(s) => 235 + 165 * s, (s) => 185 - 165 * s];
  const path = (points) => "M" + points.map(([s, t]) => `${x(s).toFixed(1)},${y(t).toFixed(1)}`).join("L");
  const grid = Array.from({ length: 201 }, (_, i) => Math.tanh((i - 100) / 25));

  const cosine = slider(figure, {
    label: "cosine that was measured", min: -0.99, max: 0.99, step: 0.01, start: 0.8, tell: (s) => s.toFixed(2),
  }, () => show());
  const cond = slider(figure, {
    label: "latent scales known to a factor of", min: 0, max: 5, step: 0.05, start: 1,
    read: (z) => 2 ** z, tell: (c) => c.toFixed(c < 10 ? 2 : 1),
  }, () => show());

  const name = "Attainable cosines against the measured cosine: a lens around the diagonal";
  const svg = add(figure, "svg", { viewBox: "0 0 420 400", role: "img", "aria-label": name });
  const band = add(svg, "path", { class: "band" });
  add(svg, "path", { class: "axis", d: path([[-1, 1], [-1, -1], [1, -1]]) });
  add(svg, "path", { class: "axis", d: path([[-1, -1], [1, 1]]), "stroke-dasharray": 4 });
  for (const s of [-1, -0.5, 0, 0.5, 1]) {
    add(svg, "text", { x: x(s), y: 370, "text-anchor": "middle" }, String(s));
    add(svg, "text", { x: 62, y: y(s) + 5, "text-anchor": "end" }, String(s));
  }
  add(svg, "text", { x: 235, y: 393, "text-anchor": "middle" }, "measured cosine");
  add(svg, "text", { x: -185, y: 16, "text-anchor": "middle", transform: "rotate(-90)" }, "attainable cosines");
  const bar = add(svg, "path", { class: "bar" });
  const dot = add(svg, "circle", { class: "dot", r: 5 });
  const verdict = add(figure, "p", { "aria-live": "polite" });

  function show() {
    const [s, c, [low, high]] = [cosine.value, cond.value, range(cosine.value, cond.value)];
    const upper = grid.map((t) => [t, range(t, c)[1]]);
    const lower = grid.map((t) => [t, range(t, c)[0]]).reverse();
    band.setAttribute("d", path([[-1, -1], ...upper, [1, 1], ...lower]) + "Z");
    bar.setAttribute("d", path([[s, low], [s, high]]));
    dot.setAttribute("cx", x(s));
    dot.setAttribute("cy", y(s));
    verdict.textContent = `A cosine of ${s.toFixed(2)} stands for anything from ${low.toFixed(2)} to ${high.toFixed(2)}.`;
  }
  show();
}

// Chapter 6: items weighted by σ^α. The data hold, for every α, the cosines of some items in 127ths, one byte each.
function spectralWeights(figure, { frames, items, borders, predictions }) {
  const alphas = frames.map((frame) => frame.alpha);
  const [first, last, step] = [alphas[0], alphas.at(-1), Number((alphas[1] - alphas[0]).toFixed(3))];
  const [x, y] = [(a) => 45 + (360 * (a - first)) / (last - first), (score) => 160 - 150 * score];
  const alpha = slider(figure, {
    label: "exponent α of the item weights", min: first, max: last, step, start: 0,
    tell: (a) => a.toFixed(1),
  }, () => show());

  const side = 6;
  const picture = add(figure, "canvas", { width: items * side, height: items * side, role: "img" });
  add(figure, "p", {}, "Red: cosine 1. Faint: 0. Blue: −1. Lines divide the clusters.");
  const name = "Recovery of the clusters against α: AUC solid, purity dashed, with a dot at the α chosen";
  const svg = add(figure, "svg", { viewBox: "0 0 420 205", role: "img", "aria-label": name });
  add(svg, "path", { class: "axis", d: `M${x(first)},${y(1)}V${y(0)}H${x(last)}` });
  for (const score of [0, 0.5, 1]) add(svg, "text", { x: 38, y: y(score) + 5, "text-anchor": "end" }, String(score));
  for (const a of alphas.filter(Number.isInteger))
    add(svg, "text", { x: x(a), y: 178, "text-anchor": "middle" }, String(a));
  add(svg, "text", { x: 225, y: 200, "text-anchor": "middle" }, "α   (solid: AUC, dashed: purity)");
  const dots = ["auc", "purity"].map((score, i) => {
    const points = frames.map((frame) => `${x(frame.alpha).toFixed(1)},${y(frame[score]).toFixed(1)}`);
    add(svg, "path", { d: "M" + points.join("L"), "stroke-dasharray": 5 * i });
    return [score, add(svg, "circle", { class: "dot", r: 5 })];
  });
  const verdict = add(figure, "p", { "aria-live": "polite" });
  const unchanged = add(figure, "p");

  function show() {
    const frame = frames[Math.round((alpha.value - first) / step)];
    drawCosines(picture, frame.cosines, items, side, borders);
    picture.setAttribute("aria-label", `Cosines of ${items} items at α = ${alpha.value.toFixed(1)}`);
    for (const [score, dot] of dots) {
      dot.setAttribute("cx", x(frame.alpha));
      dot.setAttribute("cy", y(frame[score]));
    }
    const scores = `AUC ${frame.auc.toFixed(2)}, purity ${frame.purity.toFixed(2)}`;
    verdict.textContent = `α = ${alpha.value.toFixed(1)} recovers the clusters with ${scores}.`;
    const largest = frame.difference ? frame.difference.toExponential(0) : "0";
    const many = predictions.toLocaleString("en");
    unchanged.textContent = `Predictions stay: the largest of ${many} changes is ${largest}, a rounding error.`;
  }
  show();
}

// Draw a square matrix of signed bytes, in base64, with lines between the clusters.
function drawCosines(canvas, base64, items, side, borders) {
  const bytes = Int8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const pen = canvas.getContext("2d");
  bytes.forEach((byte, i) => {
    pen.fillStyle = diverging(byte / 127);
    pen.fillRect((i % items) * side, Math.floor(i / items) * side, side, side);
  });
  pen.fillStyle = "#666";
  for (const border of borders) {
    pen.fillRect(border * side, 0, 1, canvas.height);
    pen.fillRect(0, border * side, canvas.width, 1);
  }
}

// The color of a number from −1, blue, to 1, red: the scale of the book's figures.
function diverging(value) {
  const scale = "053061 2166ac 4393c3 92c5de d1e5f0 f7f7f7 fddbc7 f4a582 d6604d b2182b 67001f".split(" ");
  const at = 5 * (1 + value);
  const left = Math.min(Math.floor(at), 9);
  const [from, to] = [left, left + 1].map((i) => scale[i].match(/../g).map((hex) => parseInt(hex, 16)));
  return `rgb(${from.map((v, i) => Math.round(v + (at - left) * (to[i] - v)))})`;
}

const players = { "error-bar": errorBar, "spectral-weights": spectralWeights };

for (const figure of document.querySelectorAll("[data-play]")) {
  const data = JSON.parse(figure.querySelector("script[type='application/json']")?.textContent ?? "null");
  figure.replaceChildren();
  players[figure.dataset.play](figure, data);
}
