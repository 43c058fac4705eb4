// One's own embeddings, looked at in the page: two files of NumPy's, of which nothing leaves the page. A page says
//   <div class="playground own" data-own><p>what to do where scripts do not run</p>
//   <script type="application/json"><!-- what cosine_audit knows --></script></div>
//   <script defer src="../_static/check-own.js"></script>
// and tools/own_embeddings.py puts the verdicts there that follow from the training and the imbalance alone. A window,
// not a second audit: everything else is "unknown here", and no answer is yes. The mathematics is that of the package
// cosine_audit, in gauges.py and evidence.py, by the same names; the site's check compares the two.

// What a worker runs: it reads files, and computes. It is made of this function's text, so that it uses nothing outside.
function engine() {
  const CELLS = 2 ** 23; // numbers in one gauge; of more items than that a part is looked through
  const held = {};
  let known, model;

  function expect(fine, file, what, got) {
    if (!fine) throw new Error(`${file}: expected ${what}, got ${got}`);
  }

  // Files

  // A matrix, row after row, from the bytes of an .npy file.
  function read(file, buffer) {
    const bytes = new Uint8Array(buffer), view = new DataView(buffer);
    const text = (from, to) => new TextDecoder().decode(bytes.subarray(from, to));
    const archive = "an archive, .npz or a saved model: np.save one of its arrays";
    expect(text(0, 2) !== "PK", file, "one array, as np.save writes it", archive);
    const signed = bytes[0] === 0x93 && text(1, 6) === "NUMPY" && bytes.length > 12;
    expect(signed, file, "an array, as np.save writes it", "other bytes, perhaps a pickle, which is never loaded");
    expect(bytes[6] >= 1 && bytes[6] <= 3, file, "version 1, 2 or 3 of NumPy's format", bytes[6]);
    const start = bytes[6] === 1 ? 10 + view.getUint16(8, true) : 12 + view.getUint32(8, true);
    const header = text(bytes[6] === 1 ? 10 : 12, Math.min(start, bytes.length));
    const found = (name, value) => header.match(`["']${name}["']: *${value}`)?.[1];
    const [kind, order, shape] = [found("descr", `["'](.*?)["']`), found("fortran_order", "(True|False)"), found("shape", "\\(([\\d, ]*)\\)")];
    expect(!kind?.includes("O") && !/["']descr["']: *\[.*O/.test(header), file, "numbers", "Python objects, which are never loaded");
    expect(order && shape !== undefined, file, "the header of a NumPy array", "other bytes");
    const Numbers = { "<f4": Float32Array, "<f8": Float64Array }[kind];
    expect(Numbers, file, "float32 or float64", `${kind ?? "several types"}: np.save it .astype('float32')`);
    const [rows, columns, ...more] = shape.split(",").filter((part) => part.trim()).map(Number);
    expect(rows > 0 && columns > 0 && !more.length, file, "a matrix with rows and columns", `shape (${shape})`);
    const [promised, there] = [rows * columns * Numbers.BYTES_PER_ELEMENT, bytes.length - start];
    expect(promised === there, file, `${promised} bytes after the header, for shape (${shape})`, there);
    expect(columns >= 2 && columns <= 256, file, "2 to 256 columns (the command takes any number)", columns);
    let data = start % Numbers.BYTES_PER_ELEMENT ? new Numbers(buffer.slice(start)) : new Numbers(buffer, start);
    if (order === "True") {
      const turned = new Numbers(data.length);
      for (let i = 0; i < rows; i++) for (let c = 0; c < columns; c++) turned[i * columns + c] = data[c * rows + i];
      data = turned;
    }
    return inspected(file, { data, rows, columns });
  }

  // The matrix, if it can be one of embeddings; divided by its largest entry where products would overflow or vanish.
  function inspected(file, E) {
    const { data, columns } = E;
    let [size, least] = [0, Infinity];
    for (let i = 0; i < data.length; i++) {
      const x = data[i];
      if (!Number.isFinite(x)) expect(false, file, "finite numbers", `${x} in row ${Math.floor(i / columns)}, column ${i % columns}`);
      if (Math.abs(x) > size) size = Math.abs(x);
      if (x < least) least = x;
    }
    expect(size > 0, file, "a row other than zero", "only zeros");
    const odd = wholeColumns(E), some = `column ${odd.slice(0, 5).join(", ")} of whole numbers beside others`;
    const rest = "leave out what is no dimension, or say --columns to the command";
    expect(!odd.length || odd.length === columns, file, "dimensions", `${some}; ${rest}`);
    E.whole = odd.length === columns;
    E.nonnegative = least >= 0;
    if (size <= 1 / known.huge || size >= known.huge) E.data = Float64Array.from(data, (x) => x / size);
    return E;
  }

  // Columns that hold several whole numbers, and nothing else; an index, a year or a count may be among the dimensions.
  function wholeColumns({ data, rows, columns }) {
    const first = Array(columns), several = Array(columns).fill(false);
    let whole = [...first.keys()];
    for (let i = 0; i < rows && whole.length; i++) {
      const row = data.subarray(i * columns, (i + 1) * columns);
      if (!row.some((x) => x)) continue;
      whole = whole.filter((c) => Number.isInteger(row[c]));
      for (const c of whole) several[c] ||= (first[c] ??= row[c]) !== row[c];
    }
    return whole.length === columns ? whole : whole.filter((c) => several[c]);
  }

  // Factors: R is a list of rows

  const zeros = (m, n) => Array.from({ length: m }, () => new Float64Array(n));
  const times = (A, B) => A.map((a) => against(a, B)); // A Bᵀ
  const transpose = (A) => [...A[0].keys()].map((c) => Float64Array.from(A, (row) => row[c]));
  const norm = (x) => Math.sqrt(dot(x, x));
  const largest = (values) => values.reduce((most, x) => Math.max(most, x), 0);

  function dot(x, y) {
    let sum = 0;
    for (let i = 0; i < x.length; i++) sum += x[i] * y[i];
    return sum;
  }

  // B a, for a list of rows B; loops, because this is where the time goes.
  function against(a, B) {
    const all = new Float64Array(B.length);
    for (let i = 0; i < B.length; i++) all[i] = dot(a, B[i]);
    return all;
  }

  // R becomes the triangular factor of R above X, by Householder's reflections; X, a list of columns, is used up.
  function absorb(R, X) {
    for (let j = 0; j < R.length; j++) {
      const v = X[j], square = dot(v, v);
      if (!square) continue;
      const end = Math.hypot(R[j][j], Math.sqrt(square)) * (R[j][j] > 0 ? -1 : 1), head = R[j][j] - end;
      for (let c = j + 1; c < R.length; c++) {
        const x = X[c], part = (2 * (head * R[j][c] + dot(v, x))) / (head * head + square);
        R[j][c] -= part * head;
        for (let i = 0; i < x.length; i++) x[i] -= part * v[i];
      }
      R[j][j] = end;
    }
    return R;
  }

  // count of the rows other than zero, their mean, and spread R: RᵀR = (E − 1 mean)ᵀ (E − 1 mean).
  function moments({ data, rows, columns }) {
    const R = zeros(columns + 1, columns + 1);
    for (let start = 0; start < rows; start += 256) {
      const X = zeros(columns + 1, Math.min(256, rows - start));
      for (let i = 0; i < X[0].length; i++)
        for (let c = 0; c < columns; c++) {
          X[c + 1][i] = data[(start + i) * columns + c];
          if (X[c + 1][i]) X[0][i] = 1;
        }
      absorb(R, X);
    }
    const mean = R[0].slice(1).map((x) => x / R[0][0]);
    return { count: Math.round(R[0][0] ** 2), mean, spread: R.slice(1).map((row) => row.slice(1)) };
  }

  // R with RᵀR = (E − 1 origin)ᵀ (E − 1 origin).
  function triangular({ count, mean, spread }, origin = mean.map(() => 0)) {
    const shift = [...mean].map((x, c) => Float64Array.of(Math.sqrt(count) * (x - origin[c])));
    return absorb(spread.map((row) => row.slice()), shift);
  }

  function imbalance(users, items) {
    const [first, second] = [users, items].map((R) => {
      const G = times(transpose(R), transpose(R)).flatMap((row) => [...row]);
      const size = norm(G);
      return G.map((x) => x / size);
    });
    const q = dot(first, second);
    return Math.min(1, norm(first.map((x, i) => x - q * second[i])));
  }

  // The singular values of a list of rows, the largest first, and the right singular vectors, by Jacobi's rotations of
  // pairs of rows until all are orthogonal.
  function svd(matrix) {
    const rows = matrix.map((row) => row.slice()).sort((x, y) => dot(y, y) - dot(x, x));
    for (let sweep = 0, turns = 1; turns && sweep < 60; sweep++) {
      turns = 0;
      for (let p = 0; p < rows.length; p++)
        for (let q = p + 1; q < rows.length; q++) {
          const [x, y] = [rows[p], rows[q]], [xx, yy, xy] = [dot(x, x), dot(y, y), dot(x, y)];
          if (Math.abs(xy) <= 1e-15 * Math.sqrt(xx) * Math.sqrt(yy)) continue;
          turns++;
          const ratio = (yy - xx) / (2 * xy), t = (ratio < 0 ? -1 : 1) / (Math.abs(ratio) + Math.hypot(1, ratio));
          const c = 1 / Math.hypot(1, t), s = c * t;
          for (let i = 0; i < x.length; i++) {
            const old = x[i];
            x[i] = c * old - s * y[i];
            y[i] = s * old + c * y[i];
          }
        }
    }
    const s = rows.map((row) => Math.sqrt(dot(row, row)));
    const order = [...s.keys()].sort((i, j) => s[j] - s[i]);
    return { s: order.map((i) => s[i]), unit: order.map((i) => rows[i].map((x) => x / (s[i] || 1))) };
  }

  // Gauges: item b becomes T (b − origin), T a list of rows

  // T with T Bᵀ = diag(s) Vᵀ, for the scores P Bᵀ = U diag(s) Vᵀ; what is below a millionth of the largest is left out.
  function projection(P, B, sizes) {
    const { s, unit } = svd(times(B, P)), size = (R) => R.map((row) => row.map(Math.abs));
    const terms = largest(times(size(P), size(B)).map(largest));
    const kept = s.filter((x) => x > Math.max(known.negligible * largest(sizes ?? s), known.rounding * terms));
    return { s: kept, T: times(unit.slice(0, kept.length), transpose(P)) };
  }

  const scaled = ({ s, T }, power) => T.map((row, i) => row.map((x) => x * (s[i] / s[0]) ** power));

  // How nearly all items lie in a common plane that misses the origin.
  function flatness({ count, mean, spread }) {
    const { s, unit } = svd(spread.map((row) => row.map((x) => x / Math.sqrt(count))));
    const floor = 1e-10 * Math.max(s[0], norm(mean)), rest = mean.slice();
    let steep = 0;
    s.forEach((size, i) => {
      if (size <= floor) return;
      const part = dot(unit[i], mean);
      steep += (part / size) ** 2;
      rest.forEach((_, c) => (rest[c] -= part * unit[i][c]));
    });
    return 1 / Math.sqrt(steep + (norm(rest) / floor) ** 2);
  }

  function centersItems(items, ranking) {
    const k = items.mean.length, constant = items.count >= 2 * k ? known.nearlyConstant : known.exactlyConstant;
    return ranking || (items.count > k && flatness(items) < constant);
  }

  // A gauge, and by how much it can lengthen an item, which spares most items the sums of rounding errors.
  const gaugeOf = (T, origin, ruler = []) => ({ T, origin, ruler, size: norm(T.map(norm)), most: norm(ruler.map(norm)) });

  // An item in a gauge; what is zero but for rounding is zero.
  function turned(b, { T, origin, ruler, size, most }) {
    const E = against(origin ? b.map((x, c) => x - origin[c]) : b, T), length = norm(E), far = largest(E.map(Math.abs));
    const reach = b.map((x, c) => Math.abs(x) + Math.abs(origin?.[c] ?? 0));
    const terms = () => largest(against(reach, T.map((row) => row.map(Math.abs))));
    const none = far <= known.rounding * norm(reach) * size && far <= known.rounding * terms();
    const still = length <= known.still * norm(b) * most && length <= known.still * norm(against(b, ruler));
    return none || still || !norm(b) ? E.fill(0) : E;
  }

  function unit(row) {
    const size = largest(row.map(Math.abs)) || 1, part = row.map((x) => x / size), length = norm(part) || 1;
    return part.map((x) => x / length);
  }

  const item = (row, { data, columns } = model.items) => new Float64Array(data.subarray(row * columns, (row + 1) * columns));

  // The same text for parallel rows: six digits of three projections.
  const views = [1, 2, 3].map((v) => Float64Array.from({ length: 256 }, (_, c) => Math.sin(1 + v * v * (c + 1) * 1.7)));

  function fingerprint(U) {
    return views.map((view) => Math.round(1e6 * dot(U, view)) + 0).join();
  }

  // The share of some users that are parallel to an item, either way.
  function shareParallel(users, items) {
    const most = Math.max(8, Math.min(500, 1e9 / items.data.length));
    const filled = Array.from({ length: users.rows }, (_, row) => row).filter((row) => item(row, users).some((x) => x));
    const step = Math.floor(filled.length / most) + 1;
    const some = filled.filter((_, i) => i % step === 0).map((row) => unit(item(row, users)));
    const nearest = some.map(() => 0);
    for (let row = 0; row < items.rows; row++) {
      const U = unit(item(row, items));
      some.forEach((one, i) => (nearest[i] = Math.max(nearest[i], Math.abs(dot(one, U)))));
    }
    return nearest.filter((x) => x > 1 - known.alike).length / some.length;
  }

  // Columns whose spread is below 5 % of their mean.
  function constantColumns({ count, mean, spread }) {
    const deviation = (c) => norm(spread.map((row) => row[c])) / Math.sqrt(count);
    return [...mean.keys()].filter((c) => deviation(c) < known.nearlyConstant * Math.abs(mean[c]));
  }

  // What the page may ask

  const jobs = {
    start(constants) {
      known = constants;
    },

    read({ role, file, buffer }) {
      held[role] = { ...read(file, buffer), file };
      return { rows: held[role].rows, columns: held[role].columns };
    },

    forget(roles) {
      for (const role of roles) delete held[role];
    },

    // Imbalance and what may excuse it, and all gauges; items that are zero or parallel to an earlier one are left out.
    compute() {
      const { items, users } = held, same = !users || users.columns === items.columns;
      expect(same, users?.file, `${items.columns} columns, as ${items.file} has`, users?.columns);
      const step = Math.ceil((items.rows * items.columns) / CELLS), distinct = [], first = new Map();
      model = { items, distinct, first, step, gauges: { given: null }, units: { given: [] } };
      for (let row = 0; row < items.rows; row += step) {
        const U = unit(item(row)), name = fingerprint(U);
        if (!U.some((x) => x) || first.has(name)) continue;
        first.set(name, row);
        distinct.push(row);
        model.units.given.push(U);
      }
      expect(distinct.length >= 4, items.file, "at least 4 different directions", distinct.length);
      if (!users) return { places: distinct.length, step };
      const about = { users: moments(users), items: moments(items) };
      const [P, B] = [triangular(about.users), triangular(about.items)], back = projection(P, B);
      Object.assign(model, { about, P, B, gauges: { given: null, balanced: gaugeOf(scaled(back, -0.5)), back: gaugeOf(back.T) } });
      for (const name of ["balanced", "back"])
        model.units[name] = distinct.map((row) => unit(turned(item(row), model.gauges[name])));
      const off = imbalance(P, B), constant = ["users", "items"].flatMap((side) => constantColumns(about[side]).map((c) => `${side}:${c}`));
      const parallel = off > known.tolerated ? shareParallel(users, items) : 0;
      const excuses = [
        [parallel > known.same, `${Math.round(100 * parallel)} % of the users' rows are parallel to items' rows: was one table given twice?`],
        [items.nonnegative && users.nonnegative, "no entry is below zero, where a penalty balances the lengths of columns alone"],
        [items.whole || users.whole, "all numbers of a file are whole, so these may be no embeddings"],
        [constant.length, `${constant.join(" and ")} is nearly constant, as where a bias is stored among the dimensions: leave such columns out`],
      ];
      return { places: distinct.length, step, imbalance: off, excuse: excuses.find(([is]) => is)?.[1] };
    },

    // The nearest others of an item in each gauge, [row, cosine]; of equal cosines to ten digits the smaller row first.
    neighbors({ row }) {
      const { distinct, first, gauges, units } = model, b = item(row), own = first.get(fingerprint(unit(b)));
      const n = Math.max(2, Math.min(10, Math.floor((distinct.length - 1) / 2)));
      return Object.fromEntries(Object.entries(gauges).map(([name, gauge]) => {
        const U = unit(gauge ? turned(b, gauge) : b), best = [];
        if (!U.some((x) => x)) return [name, []];
        distinct.forEach((other, i) => {
          if (other === row || other === own) return;
          const cosine = Math.round(1e10 * dot(U, units[name][i])) / 1e10;
          if (best.length === n && cosine <= best[n - 1][1]) return;
          const place = best.findIndex(([, least]) => cosine > least);
          best.splice(place < 0 ? best.length : place, 0, [other, cosine]);
          if (best.length > n) best.pop();
        });
        return [name, best.map(([other, cosine]) => [other, Math.max(-1, Math.min(1, cosine))])];
      }));
    },

    // Safe items of a share as an .npy file; see cosine_audit.safe_items.
    safe({ share, ranking }) {
      const { about, P, B } = model, { rows, data } = model.items;
      const origin = centersItems(about.items, ranking) ? about.items.mean : null;
      const found = projection(about.users.spread, triangular(about.items, origin ?? undefined), projection(P, B).s);
      const gauge = gaugeOf(scaled(found, share - 1), origin, P), r = found.s.length;
      const Numbers = data.constructor, E = new Numbers(rows * r), size = new Float64Array(r), sign = new Float64Array(r).fill(0);
      for (let row = 0; row < rows; row++) E.set(turned(item(row), gauge), row * r);
      E.forEach((x, i) => (size[i % r] = Math.max(size[i % r], Math.abs(x))));
      E.forEach((x, i) => (sign[i % r] ||= Math.abs(x) >= (1 - 1e-6) * size[i % r] ? Math.sign(x) : 0));
      E.forEach((x, i) => (E[i] = x * (sign[i % r] || 1)));
      const kind = Numbers === Float32Array ? "<f4" : "<f8";
      const header = `{'descr': '${kind}', 'fortran_order': False, 'shape': (${rows}, ${r}), }`.padEnd(117) + "\n";
      return [Uint8Array.from([0x93, 78, 85, 77, 80, 89, 1, 0, 118, 0]), header, E];
    },
  };

  onmessage = ({ data: { job, given } }) => {
    try {
      postMessage({ done: jobs[job](given) });
    } catch (problem) {
      postMessage({ problem: problem.message });
    }
  };
}

// The page

function add(parent, tag, attributes = {}, text = "") {
  const element = parent.appendChild(document.createElement(tag));
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(text);
  return element;
}

const percent = (share) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
const many = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, "\u202f");
const quoted = (name) => (/^[\w.-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`);
const sentence = (text) => text[0].toUpperCase() + text.slice(1) + ".";
const GAUGES = { given: "As given", balanced: "Balanced", back: "Projected back" };

// What may be said of a model from what is known of its training, and what was seen of its files.
function answer({ theory, alone, unbalanced }, { imbalance, excuse }, { tolerated }) {
  if (theory || imbalance === undefined) return alone;
  const off = percent(imbalance), here = "Unknown here: run cosine-audit.";
  if (!unbalanced) return { headline: here, reason: `the imbalance does not decide this: ${alone.reason}` };
  if (imbalance <= tolerated + 1e-6) {
    const more = "balance in the large directions is not enough, as cosines depend on weak ones, too";
    return { headline: here, reason: `users and items are only ${off} out of balance, but ${more}` };
  }
  if (excuse) return { headline: here, reason: `users and items are ${off} out of balance, but ${excuse}` };
  return { ...unbalanced, reason: unbalanced.reason.replace("{}", off), more: "Where balancing would change little, it may add that you can keep these cosines." };
}

function checkOwn(figure) {
  const { libraries, objectives, constants, example } = JSON.parse(figure.querySelector("script").textContent);
  const worker = new Worker(URL.createObjectURL(new Blob([`(${engine})()`], { type: "text/javascript" })));
  const waiting = [];
  worker.onmessage = ({ data: { done, problem } }) => {
    const [resolve, reject] = waiting.shift(); // it answers in the order of the questions
    if (problem === undefined) resolve(done);
    else reject(new Error(problem));
  };
  const ask = (job, given) =>
    new Promise((...both) => {
      waiting.push(both);
      worker.postMessage({ job, given }, given.buffer ? [given.buffer] : []);
    });
  ask("start", constants);

  figure.querySelector("p").className = "printed";
  const live = add(figure, "div", { class: "live" });
  add(live, "p", {}, "Drop items.npy and users.npy here, or choose them. Nothing leaves this page.");
  add(live, "button", { type: "button" }, "Try it on nine viewers and five films").addEventListener("click", tryExample);
  const inputs = {};
  for (const [role, label, accept] of [
    ["items", "Items, .npy", ".npy"], ["users", "Users, .npy", ".npy"], ["names", "Items’ names, a line each: .txt, .csv (optional)", ".txt,.csv"],
  ]) {
    const row = add(live, "label");
    add(row, "span", {}, label);
    inputs[role] = add(row, "input", { type: "file", accept });
    inputs[role].addEventListener("click", () => (inputs[role].value = "")); // so that a file may be chosen again
    inputs[role].addEventListener("change", () => inputs[role].files.length && take([[role, inputs[role].files[0]]]));
  }
  const row = add(live, "label");
  add(row, "span", {}, "Trained by");
  const select = add(row, "select");
  add(select, "option", { value: "" }, "choose …");
  const options = [["a library or a kind of model", libraries, "trained-by"], ["or what training minimized", objectives, "objective"]];
  const choices = options.flatMap(([group, held, option]) => {
    const listed = add(select, "optgroup", { label: group });
    return Object.entries(held).map(([name, { objective = name, ranking, help }]) => {
      add(listed, "option", { value: `${option} ${name}` }, help ?? name);
      return [`${option} ${name}`, { objective, ranking, words: `--${option} ${quoted(name).replaceAll("'", '"')}` }];
    });
  });
  const said = () => Object.fromEntries(choices)[select.value];
  select.addEventListener("change", () => seen && judge());
  const status = add(live, "p", { role: "status" });

  const results = add(live, "div", { hidden: "" });
  const verdict = add(results, "div", { "aria-live": "polite" });
  const lookup = add(results, "label");
  add(lookup, "span", {}, "Neighbors of the item: its name, or its row, from 0");
  const picked = add(lookup, "input", { type: "text", autocomplete: "off", list: "own-names" });
  const known = add(results, "datalist", { id: "own-names" });
  picked.addEventListener("input", showNeighbors);
  const summary = add(results, "p", { "aria-live": "polite" });
  const columns = add(results, "div", { class: "columns" });
  const safe = add(results, "p");

  const files = {};
  let names, seen = null, turn = 0, trying = false, last = Promise.resolve();
  const name = (item) => names?.[item] ?? `row ${item}`;

  // Read files, each with what it is, then look at them. One's own do not mix with those of the example.
  async function read(some, example) {
    const old = example || trying ? Object.keys(inputs) : some.map(([role]) => role);
    trying = example;
    await ask("forget", old);
    for (const role of old) delete files[role];
    for (const [role, file] of some) {
      if (file.size > 1e9) throw new Error(`${file.name}: expected at most 1 GB, got more; the command takes it`);
      const buffer = await file.arrayBuffer().catch(() => Promise.reject(new Error(`${file.name}: could not be read`)));
      const names = role === "names" && linesOf(buffer);
      files[role] = { name: file.name, ...(names ? { names } : await ask("read", { role, file: file.name, buffer })) };
    }
  }

  function clear() {
    seen = null;
    results.hidden = true;
  }

  // One after the other, whatever is chosen meanwhile; nothing is shown of what another call has replaced.
  function take(some, example = false) {
    turn++;
    clear();
    status.textContent = "Reading …";
    last = last.then(() => (clear(), read(some, example))).then(look).catch((problem) => {
      clear();
      status.textContent = `${problem.message}.`;
    });
  }

  const linesOf = (buffer) => new TextDecoder().decode(buffer).replace(/\r?\n$/, "").split(/\r?\n/).map((line) => line.replace(/^"(.*)"$/, "$1"));

  async function look() {
    const { items, users, names: named } = files;
    names = named?.names;
    if (!items) return (status.textContent = `${told()} Items are missing.`);
    if (names && names.length !== items.rows)
      throw new Error(`${named.name}: expected ${items.rows} lines, a name for each item, got ${names.length}`);
    status.textContent = "Computing …";
    seen = await ask("compute", {});
    const part = seen.step > 1 ? ` Neighbors are looked for among one item in ${seen.step}.` : "";
    status.textContent = `${told()}${users ? "" : " Users are missing: with them there are three lists, and safe items."}${part}`;
    known.replaceChildren();
    for (const one of names?.slice(0, 5000) ?? []) add(known, "option", { value: one });
    picked.value = trying ? example.pick : names?.[0] ?? "0";
    results.hidden = false;
    judge();
    showNeighbors();
    offerSafeItems();
  }

  const told = () =>
    ["items", "users"].filter((role) => files[role]).map((role) => {
      const { rows, columns, name: file } = files[role];
      return sentence(`${role}: ${many(rows)} × ${columns} from ${file}`);
    }).join(" ");

  function judge() {
    verdict.replaceChildren();
    const head = add(verdict, "p"), line = add(verdict, "p"), { users } = files;
    if (users) {
      line.append("Imbalance of PᵀP and BᵀB: ");
      add(line, "data", { value: seen.imbalance }, percent(seen.imbalance));
      line.append(". ");
    }
    if (!said()) return head.append("Say how the model was trained, and an answer stands here.");
    const { headline, reason, restsOn, more = "" } = answer(objectives[said().objective], seen, constants);
    add(head, "strong", {}, headline);
    line.append(`${sentence(reason)} ${restsOn ? `This rests on ${restsOn}. ` : ""}`);
    const command = add(verdict, "p", {}, "The command looks at more than this page does: ");
    add(command, "code", {}, `cosine-audit ${quoted(files.items.name)} ${quoted(users?.name ?? "users.npy")} ${said().words}`);
    command.append(`. ${more}`);
  }

  function itemOf(text) {
    const named = names?.indexOf(text) ?? -1;
    const number = /^\d+$/.test(text) ? Number(text) : -1;
    return named >= 0 ? named : number < files.items.rows ? number : -1;
  }

  async function showNeighbors() {
    if (!seen) return;
    const text = picked.value.trim(), item = itemOf(text), mine = turn;
    columns.replaceChildren();
    if (item < 0) return (summary.textContent = `There is no item “${text}”: rows are 0 to ${files.items.rows - 1}.`);
    const lists = await ask("neighbors", { row: item });
    if (mine !== turn || text !== picked.value.trim()) return;
    columns.replaceChildren();
    const given = lists.given.map(([row]) => row);
    const first = Object.entries(lists).map(([gauge, list]) => `${GAUGES[gauge].toLowerCase()} ${list.length ? name(list[0][0]) : "none"}`);
    summary.textContent = `Nearest to ${name(item)}: ${first.join(", ")}.`;
    for (const [gauge, list] of Object.entries(lists)) {
      const column = add(columns, "div", { "data-gauge": gauge });
      add(column, "strong", {}, GAUGES[gauge]);
      const others = list.filter(([row]) => !given.includes(row)).length;
      const compared = others ? `${others} of ${list.length} differ, in bold` : "the same items";
      add(column, "p", {}, !list.length ? "this item’s numbers are all zero here" : gauge === "given" ? "nearest first, with cosines" : compared);
      const lines = add(column, "ol");
      for (const [row, cosine] of list) {
        const line = add(lines, "li", given.includes(row) ? {} : { class: "other" }, `${name(row)} `);
        add(line, "data", { value: cosine, "data-row": row }, cosine.toFixed(2).replace("-", "−"));
      }
    }
  }

  function offerSafeItems() {
    safe.replaceChildren();
    if (!files.users) return;
    safe.append("Safe items, whose cosines depend on the scores alone: ");
    for (const [share, words] of [[0.5, "share ½, the even split"], [1, "share 1, projected back"]]) {
      const usual = share === constants.share ? " (the command’s default)" : "";
      const button = add(safe, "button", { type: "button" }, `Save ${words}${usual}`);
      button.addEventListener("click", () => save(share));
      safe.append(" ");
    }
    add(safe, "span", { role: "status" });
  }

  async function save(share) {
    const told = safe.querySelector("[role=status]"), file = `safe-items-${share}.npy`, mine = turn;
    told.textContent = "Computing …";
    try {
      const parts = await ask("safe", { share, ranking: said()?.ranking ?? false });
      if (mine !== turn) return;
      told.replaceChildren();
      const href = URL.createObjectURL(new Blob(parts));
      add(told, "a", { href, download: file }, file).click();
      told.append(said()?.ranking ? " is saved; the mean item was subtracted, as a ranking loss does not see it." : " is saved.");
    } catch (problem) {
      told.textContent = `${problem.message}.`;
    }
  }

  function tryExample() {
    select.value = `trained-by ${example.library}`;
    for (const input of Object.values(inputs)) input.value = "";
    const some = ["items", "users"].map((role) => [role, new File(npy(example[role]), `${role}.npy`)]);
    take([...some, ["names", new File([example.names.join("\n")], "films.txt")]], true);
  }

  // What a file is, by its name.
  function roleOf({ name: file }) {
    if (/\.(txt|csv)$/i.test(file)) return "names";
    const roles = ["items", "users"].filter((role) => RegExp(constants[`${role}Name`], "i").test(file.replace(/\.\w+$/, "")));
    if (roles.length === 1) return roles[0];
    throw new Error(`${file}: expected a name that says items or users, got ${roles.length ? "both" : "neither"}; choose the file above instead`);
  }

  figure.addEventListener("dragover", (event) => (event.preventDefault(), figure.classList.add("over")));
  figure.addEventListener("dragleave", () => figure.classList.remove("over"));
  figure.addEventListener("drop", (event) => {
    event.preventDefault();
    figure.classList.remove("over");
    try {
      const some = [...event.dataTransfer.files].map((file) => [roleOf(file), file]);
      const twice = some.find(([role], i) => some.findIndex(([other]) => other === role) < i);
      if (twice) throw new Error(`${twice[1].name}: expected one file of ${twice[0]}, got two`);
      take(some);
    } catch (problem) {
      status.textContent = `${problem.message}.`;
    }
  });
}

// The parts of an .npy file of float64.
function npy(rows) {
  const header = `{'descr': '<f8', 'fortran_order': False, 'shape': (${rows.length}, ${rows[0].length}), }`.padEnd(117) + "\n";
  return [Uint8Array.from([0x93, 78, 85, 77, 80, 89, 1, 0, 118, 0]), header, Float64Array.from(rows.flat())];
}

document.querySelectorAll("[data-own]").forEach(checkOwn);
