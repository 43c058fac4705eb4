// The picture that one paints with cosines, for a div with data-play="picture" (see playground.js, which comes before):
//   items       n embeddings of n numbers each, a lower triangular matrix
//   users       embeddings of n numbers each
//   start       the pairs that are painted first, as links carry them: n (n − 1)/2 bits in base64

// The rows of x for which L x = rows, if L is lower triangular.
function forward(L, rows) {
  const x = [];
  for (const [i, row] of rows.entries())
    x.push(row.map((value, j) => (value - x.reduce((sum, known, m) => sum + L[i][m] * known[j], 0)) / L[i][i]));
  return x;
}

// The lower triangular L for which L Lᵀ = T.
function cholesky(T) {
  const L = T.map((row) => row.map(() => 0));
  T.forEach((row, i) => {
    for (let j = 0; j <= i; j++) {
      const rest = row[j] - dot(L[i].slice(0, j), L[j].slice(0, j));
      L[i][j] = i === j ? Math.sqrt(rest) : rest / L[j][j];
    }
  });
  return L;
}

// The eigenvalues of a symmetric matrix, by Jacobi's rotations.
function eigenvalues(matrix) {
  const S = matrix.map((row) => [...row]);
  for (let sweep = 0; sweep < 12; sweep++)
    for (let p = 0; p < S.length; p++)
      for (let q = p + 1; q < S.length; q++) {
        const angle = 0.5 * Math.atan2(2 * S[p][q], S[q][q] - S[p][p]);
        const [c, s] = [Math.cos(angle), Math.sin(angle)];
        for (const row of S) [row[p], row[q]] = [c * row[p] - s * row[q], s * row[p] + c * row[q]];
        [S[p], S[q]] = [S[p].map((x, m) => c * x - s * S[q][m]), S[q].map((x, m) => s * S[p][m] + c * x)];
      }
  return S.map((row, i) => row[i]).sort((a, b) => a - b);
}

const times = (rows, others) => rows.map((row) => others.map((other) => dot(row, other))); // rows othersᵀ
const transpose = (rows) => rows[0].map((_, i) => rows.map((row) => row[i]));

// The pairs that a link says are painted, as a symmetric table of 0 and 1; and the link that says so.
function painted(text, pairs, n) {
  const bits = [...atob(text)].flatMap((letter) => [...letter.charCodeAt(0).toString(2).padStart(8, "0")]);
  const wish = Array.from({ length: n }, () => Array(n).fill(0));
  pairs.forEach(([i, j], place) => (wish[i][j] = wish[j][i] = Number(bits[place] ?? 0)));
  return wish;
}

function link(wish, pairs) {
  const bytes = pairs.map(([i, j]) => wish[i][j]).join("").match(/.{1,8}/g);
  return btoa(bytes.map((byte) => String.fromCharCode(parseInt(byte.padEnd(8, "0"), 2))).join(""));
}

// What an M does that gives each pair its cosine: contrast times the most that all painted pairs can have together.
function changed(items, users, wish, contrast) {
  const most = Math.min(0.9, 0.98 / Math.max(-eigenvalues(wish)[0], 0.01));
  const T = wish.map((row, i) => row.map((value, j) => (i === j ? 1 : most * contrast * value)));
  const L = cholesky(T).map((row, i) => row.map((value) => value * Math.hypot(...items[i])));
  const N = forward(items, L); // items N = L, whose rows have the items' lengths and the cosines T
  const moved = times(items, transpose(N));
  const before = times(users, items);
  const after = times(transpose(forward(N, transpose(users))), moved);
  const change = Math.max(...after.flatMap((row, u) => row.map((score, i) => Math.abs(score - before[u][i]))));
  const stretches = eigenvalues(times(transpose(N), transpose(N)));
  const unit = moved.map((row) => row.map((value) => value / Math.hypot(...row)));
  return { most, cosines: times(unit, unit), change, price: Math.sqrt(stretches.at(-1) / stretches[0]) };
}

// Paint pairs of items: an M gives them the cosines that are painted, and changes no score.
function picture(figure, { items, users, start }) {
  const n = items.length;
  const pairs = items.flatMap((_, i) => items.slice(0, i).map((_, j) => [i, j]));
  let wish, asked, at = [1, 0], pointed = false;

  const read = (text) => (wish = painted(text, pairs, n));
  const linked = () => location.hash.match(/^#picture=([\w+/=]+)$/)?.[1];
  try {
    read(linked() ?? start);
  } catch {
    read(start); // a link that was cut off
  }

  const contrast = slider(figure, {
    label: "contrast, of the largest that these pairs can have together", min: 0.05, max: 1, step: 0.05, start: 1,
    tell: (share) => `${Math.round(100 * share)} %`,
  }, () => show());
  const columns = add(figure, "div", { class: "columns" });
  const [left, right] = ["Paint here: the cosines you ask for", "The items’ cosines, after M"].map((title) => {
    const column = add(columns, "div");
    add(column, "p", {}, title);
    return add(column, "canvas", { role: "img", "aria-label": title });
  });
  const [least, , largest] = colorKey(figure, ["", "0", ""]);
  add(largest.parentElement, "span", {}, "(gray: an item with itself)");
  const name = "Pairs of items to paint: arrow keys move, the space bar paints";
  for (const [key, value] of Object.entries({ tabindex: 0, role: "application", "aria-label": name })) left.setAttribute(key, value);
  const place = add(figure, "p", { class: "visually-hidden", "aria-live": "polite" });
  const verdict = add(figure, "p", { "aria-live": "polite" });
  const buttons = add(figure, "p");
  const button = (label, act) => add(buttons, "button", { type: "button" }, label).addEventListener("click", act);
  button("Clear", () => (read(""), keep()));
  button("The face again", () => (read(start), keep()));
  add(figure, "p", {}, "The address of this page carries your picture.");

  function keep() {
    history.replaceState(null, "", `#picture=${link(wish, pairs)}`);
    show();
  }

  function paint([i, j], value) {
    at = [i, j];
    if (i !== j) wish[i][j] = wish[j][i] = value;
    keep();
  }

  const cell = (event) => {
    const { top, left: from, width } = left.getBoundingClientRect();
    const place = (x) => Math.max(0, Math.min(n - 1, Math.floor((x / width) * n)));
    return [place(event.clientY - top), place(event.clientX - from)];
  };
  let brush = null;
  left.addEventListener("pointerdown", (event) => {
    const [i, j] = cell(event);
    brush = 1 - wish[i][j];
    left.setPointerCapture(event.pointerId);
    paint([i, j], brush);
  });
  left.addEventListener("pointermove", (event) => {
    [at, pointed] = [cell(event), true];
    if (brush === null) ask();
    else paint(at, brush);
  });
  left.addEventListener("pointerleave", () => ((pointed = false), ask()));
  for (const focus of ["focus", "blur"]) left.addEventListener(focus, () => ask());
  for (const end of ["pointerup", "pointercancel"]) left.addEventListener(end, () => (brush = null));
  const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  left.addEventListener("keydown", (event) => {
    if (STEPS[event.key]) at = at.map((x, axis) => Math.max(0, Math.min(n - 1, x + STEPS[event.key][axis])));
    else if (event.key === " ") paint(at, 1 - wish[at[0]][at[1]]);
    else return;
    event.preventDefault();
    ask();
    place.textContent = `Row ${at[0] + 1}, column ${at[1] + 1}: ${wish[at[0]][at[1]] ? "painted" : "not painted"}.`;
  });

  // What is asked for; a frame shows where keys or the pointer would paint.
  function ask() {
    drawSquares(left, asked, pointed || document.activeElement === left ? at : null);
  }

  function show() {
    const { most, cosines, change, price } = changed(items, users, wish, contrast.value);
    asked = wish.map((row) => row.map((value) => value * contrast.value));
    [least.textContent, largest.textContent] = [`cosine −${most.toFixed(2)}`, most.toFixed(2)];
    ask();
    drawSquares(right, cosines.map((row, i) => row.map((value, j) => (i === j ? 0 : value / most))));
    const many = pairs.filter(([i, j]) => wish[i][j]).length;
    const [from, to] = [-1, 1].map((side) => Math.tanh(Math.atanh(0.5) + side * Math.log(price)).toFixed(2).replace("-", "−"));
    verdict.textContent = `${many} of ${pairs.length} pairs are painted and have the cosine ${(most * contrast.value).toFixed(2)}, ` +
      `the others 0. Of ${users.length * n} scores none has changed by more than ${change.toExponential(0).replace("-", "−")}. ` +
      `The price of this M is a condition number of ${price.toPrecision(2)}: a map of this price can take a cosine of 0.5 anywhere from ${from} to ${to}.`;
  }
  show();
  new ResizeObserver(show).observe(left.parentElement);
  addEventListener("hashchange", () => linked() && (read(linked()), show()));
}

// Draw a square matrix of numbers from −1 to 1, as wide as there is room, with a frame around one cell.
function drawSquares(canvas, rows, at) {
  const dots = window.devicePixelRatio;
  const side = Math.max(1, Math.floor((Math.min(canvas.parentElement.clientWidth, 340) * dots) / rows.length));
  canvas.width = canvas.height = side * rows.length;
  canvas.style.width = `${canvas.width / dots}px`;
  const pen = canvas.getContext("2d");
  rows.forEach((row, i) =>
    row.forEach((value, j) => {
      pen.fillStyle = i === j ? "#ccc" : diverging(Math.max(-1, Math.min(1, value)));
      pen.fillRect(j * side, i * side, side - 1, side - 1);
    }),
  );
  if (at) {
    for (const [strokeStyle, width] of [["#fff", 4], ["#111", 2]]) {
      Object.assign(pen, { strokeStyle, lineWidth: width * dots });
      pen.strokeRect(at[1] * side, at[0] * side, side - 1, side - 1);
    }
  }
}

play({ picture });
