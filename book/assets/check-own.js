// One's own embeddings, looked at in the page: two files of NumPy's, of which nothing leaves the page. A page says
//   <div class="playground own" data-own><p>what to do where scripts do not run</p>
//   <script type="application/json"><!-- what cosine_audit knows --></script></div>
//   <script defer src="../_static/check-own.js"></script>
// and tools/own_embeddings.py puts the verdicts there that follow from the training and the imbalance alone. A window,
// not a second audit: everything else is "unknown here", and no answer is yes. The mathematics is that of the package
// cosine_audit, in gauges.py, by the same names; the site's check compares the two.

// The parts of an .npy file: numbers, row after row, of so many columns.
function npy(numbers, columns) {
  const kind = numbers instanceof Float32Array ? "<f4" : "<f8", shape = `(${numbers.length / columns}, ${columns})`;
  const header = `{'descr': '${kind}', 'fortran_order': False, 'shape': ${shape}, }`.padEnd(117) + "\n";
  return [Uint8Array.from([0x93, 78, 85, 77, 80, 89, 1, 0, 118, 0]), header, numbers];
}

// What a worker runs: it reads files, and computes. It is made of this function's text, so that it uses nothing outside
// but npy.
function engine() {
  const MOST = 5000; // items in a list's choice; of more than that a part is looked through
  let known, model;

  function expect(fine, file, what, got) {
    if (!fine) throw new Error(`${file}: expected ${what}, got ${got}`);
  }

  // The matrix in an .npy file, row after row. Nothing but numbers is read, so nothing is unpickled.
  function read({ file, buffer }) {
    const bytes = new Uint8Array(buffer), start = 10 + bytes[8] + 256 * bytes[9];
    const text = (from, to) => new TextDecoder().decode(bytes.subarray(from, to));
    const ours = text(1, 6) === "NUMPY" && bytes[6] === 1;
    expect(ours, file, "one array, as np.save writes it", "other bytes: an archive, a model, a pickle?");
    const found = (name, value) => text(10, start).match(`'${name}': *${value}`)?.[1];
    const kind = found("descr", "'(.*?)'"), Numbers = { "<f4": Float32Array, "<f8": Float64Array }[kind];
    expect(Numbers, file, "float32 or float64", `${kind ?? "several types"}: np.save it .astype('float32')`);
    const shape = found("shape", "\\(([\\d, ]*)\\)");
    const [rows, columns, ...more] = shape.split(",").filter((part) => part.trim()).map(Number);
    expect(rows && columns > 1 && columns <= 256 && !more.length, file, "a matrix of 2 to 256 columns", `shape (${shape})`);
    const promised = rows * columns * Numbers.BYTES_PER_ELEMENT, there = bytes.length - start;
    expect(promised === there, file, `${promised} bytes after the header`, there);
    let data = new Numbers(buffer.slice(start));
    if (found("fortran_order", "(\\w+)") === "True")
      data = data.map((_, i) => data[(i % columns) * rows + Math.floor(i / columns)]);
    const wrong = data.findIndex((x) => !(Math.abs(x) < known.huge));
    const place = `${data[wrong]} in row ${Math.floor(wrong / columns)}, column ${wrong % columns}`;
    expect(wrong < 0, file, `numbers below ${known.huge}`, place);
    expect(data.some((x) => x), file, "a row other than zero", "only zeros");
    return { file, data, rows, columns };
  }

  // Factors: R is a list of rows

  const zeros = (m, n) => Array.from({ length: m }, () => new Float64Array(n));
  const times = (A, B) => A.map((a) => against(a, B)); // A Bᵀ
  const transpose = (A) => [...A[0].keys()].map((c) => Float64Array.from(A, (row) => row[c]));
  const norm = (x) => Math.sqrt(dot(x, x));

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
    const { s, unit } = svd(times(B, P));
    const kept = s.filter((x) => x > known.negligible * (sizes ?? s)[0]);
    return { s: kept, T: times(unit.slice(0, kept.length), transpose(P)) };
  }

  const scaled = ({ s, T }, power) => T.map((row, i) => row.map((x) => x * (s[i] / s[0]) ** power));

  // An item in a gauge; what is zero but for rounding is zero.
  function turned(b, T, origin) {
    const E = against(origin ? b.map((x, c) => x - origin[c]) : b, T);
    return norm(E) > known.rounding * norm(b) * norm(T.map(norm)) ? E : E.fill(0);
  }

  function unit(row) {
    const length = norm(row) || 1;
    return row.map((x) => x / length);
  }

  const rowOf = ({ data, columns }, row) => Float64Array.from(data.subarray(row * columns, (row + 1) * columns));

  // The same text for parallel rows: six digits of three projections.
  const views = [1, 2, 3].map((v) => Float64Array.from({ length: 256 }, (_, c) => Math.sin(1 + v * v * (c + 1) * 1.7)));
  const fingerprint = (U) => views.map((view) => Math.round(1e6 * dot(U, view)) + 0).join();

  // What the page may ask

  const jobs = {
    start(constants) {
      known = constants;
    },

    // Read both files: shapes, imbalance and what may excuse it. Items that are zero, or parallel to an earlier one, are
    // left out of the lists.
    look(files) {
      const [items, users] = files.map(read), first = new Map();
      const step = Math.ceil(items.rows / MOST), distinct = [];
      model = { items, distinct, first, gauges: { given: null }, units: { given: [] } };
      for (let row = 0; row < items.rows; row += step) {
        const U = unit(rowOf(items, row)), name = fingerprint(U);
        if (!U.some((x) => x) || first.has(name)) continue;
        first.set(name, row);
        distinct.push(row);
        model.units.given.push(U);
      }
      expect(distinct.length >= 4, items.file, "at least 4 different directions", distinct.length);
      const seen = { step, shapes: [items, users].map((E) => E && [E.rows, E.columns]) };
      if (!users) return seen;
      expect(users.columns === items.columns, users.file, `${items.columns} columns, as ${items.file} has`, users.columns);
      const about = { users: moments(users), items: moments(items) };
      const [P, B] = [triangular(about.users), triangular(about.items)], back = projection(P, B);
      Object.assign(model, { about, back, gauges: { given: null, balanced: scaled(back, -0.5), back: back.T } });
      for (const name of ["balanced", "back"])
        model.units[name] = distinct.map((row) => unit(turned(rowOf(items, row), model.gauges[name])));
      return { ...seen, imbalance: imbalance(P, B), excuse: excuse(items, users) };
    },

    // The nearest others of an item in each gauge, [row, cosine]; of equal cosines to ten digits the smaller row first.
    neighbors(row) {
      const { items, distinct, first, gauges, units } = model, b = rowOf(items, row), own = first.get(fingerprint(unit(b)));
      const n = Math.max(2, Math.min(10, Math.floor((distinct.length - 1) / 2)));
      const nearest = ([name, gauge]) => {
        const U = unit(gauge ? turned(b, gauge) : b);
        if (!U.some((x) => x)) return [name, []];
        const all = distinct.map((other, i) => [other, Math.round(1e10 * dot(U, units[name][i])) / 1e10]);
        const others = all.filter(([other]) => other !== row && other !== own);
        return [name, others.sort(([i, x], [j, y]) => y - x || i - j).slice(0, n)];
      };
      return Object.fromEntries(Object.entries(gauges).map(nearest));
    },

    // Safe items of a share as an .npy file; see cosine_audit.safe_items.
    safe({ share, ranking }) {
      const { about, back, items } = model, origin = ranking ? about.items.mean : undefined;
      const T = scaled(projection(about.users.spread, triangular(about.items, origin), back.s), share - 1), r = T.length;
      const E = new items.data.constructor(items.rows * r), sign = Array(r).fill(0), size = Array(r).fill(0);
      for (let row = 0; row < items.rows; row++) E.set(turned(rowOf(items, row), T, origin), row * r);
      E.forEach((x, i) => (size[i % r] = Math.max(size[i % r], Math.abs(x))));
      E.forEach((x, i) => (sign[i % r] ||= Math.abs(x) >= (1 - 1e-6) * size[i % r] ? Math.sign(x) : 0));
      return npy(E.map((x, i) => x * (sign[i % r] || 1)), r);
    },
  };

  // Why users and items may be out of balance although training came to an end.
  function excuse(items, users) {
    if (items.data.every((x) => x >= 0) && users.data.every((x) => x >= 0))
      return "no entry is below zero, where a penalty balances the lengths of columns alone";
    const directions = ({ rows }, E) => Array.from({ length: rows }, (_, row) => fingerprint(unit(rowOf(E, row))));
    const held = new Set(directions(items, items)), twice = directions(users, users).filter((name) => held.has(name));
    const share = twice.length / users.rows;
    return share > known.same && `${Math.round(100 * share)} % of the users' rows are items' rows: was one table given twice?`;
  }

  onmessage = ({ data: { job, given }, ports: [port] }) => {
    try {
      port.postMessage({ done: jobs[job](given) });
    } catch (problem) {
      port.postMessage({ problem: problem.message });
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
const HERE = "Unknown here: run cosine-audit.";

// What may be said of a model from what is known of its training, and what was seen of its files.
function answer({ theory, alone, unbalanced }, { imbalance, excuse }, { tolerated }) {
  if (theory || imbalance === undefined) return alone;
  const off = percent(imbalance);
  if (!unbalanced) return { headline: HERE, reason: `the imbalance does not decide this: ${alone.reason}` };
  if (imbalance <= tolerated + 1e-6) {
    const more = "balance in the large directions is not enough, as cosines depend on weak ones, too";
    return { headline: HERE, reason: `users and items are only ${off} out of balance, but ${more}` };
  }
  if (excuse) return { headline: HERE, reason: `users and items are ${off} out of balance, but ${excuse}` };
  return { ...unbalanced, reason: unbalanced.reason.replace("{}", off), more: "Where balancing would change little, it may add that you can keep these cosines." };
}

// A function that asks a worker of its own for a job, and promises the answer.
function startWorker() {
  const worker = new Worker(URL.createObjectURL(new Blob([`${npy}(${engine})()`], { type: "text/javascript" })));
  return (job, given) =>
    new Promise((resolve, reject) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data: { done, problem } }) => (problem === undefined ? resolve(done) : reject(new Error(problem)));
      worker.postMessage({ job, given }, [port2, ...(job === "look" ? given.map(({ buffer }) => buffer) : [])]);
    });
}

function checkOwn(figure) {
  const { libraries, objectives, constants, example } = JSON.parse(figure.querySelector("script").textContent);
  const ask = startWorker();
  ask("start", constants);
  let chosen = {}, names, seen = null, turn = 0, trying = false;

  figure.querySelector("p").className = "printed";
  const live = add(figure, "div", { class: "live" });
  add(live, "p", {}, "Choose your files, or drop each on its field. Nothing leaves this page.");
  add(live, "button", { type: "button" }, "Try it on nine viewers and five films").addEventListener("click", tryExample);
  const inputs = {};
  for (const [role, label, accept] of [
    ["items", "Items, .npy", ".npy"], ["users", "Users, .npy", ".npy"], ["names", "Items’ names, a line each: .txt, .csv (optional)", ".txt,.csv"],
  ]) {
    const row = add(live, "label");
    add(row, "span", {}, label);
    inputs[role] = add(row, "input", { type: "file", accept });
    inputs[role].addEventListener("click", () => (inputs[role].value = "")); // so that a file may be chosen again
    inputs[role].addEventListener("change", () => inputs[role].files.length && take({ [role]: inputs[role].files[0] }));
  }
  const row = add(live, "label");
  add(row, "span", {}, "Trained by");
  const select = add(row, "select");
  add(select, "option", { value: "" }, "choose …");
  for (const [label, held, option] of [
    ["a library or a kind of model", libraries, "trained-by"], ["or what training minimized", objectives, "objective"],
  ]) {
    const group = add(select, "optgroup", { label });
    for (const [name, { help = name }] of Object.entries(held)) add(group, "option", { value: `${option} ${name}` }, help);
  }
  const said = () => select.value.match(/ (.*)/)?.[1];
  const ranking = () => (libraries[said()] ?? objectives[said()])?.ranking ?? false;
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
  const why = add(results, "p");

  const name = (item) => names?.[item] ?? `row ${item}`;

  // Look at files beside those that were chosen before. One's own do not mix with those of the example, and nothing is
  // shown of what a later choice has replaced.
  async function take(some, isExample = false) {
    const mine = ++turn;
    chosen = { ...(isExample || trying ? {} : chosen), ...some };
    trying = isExample;
    seen = null;
    results.hidden = true;
    status.textContent = "Computing …";
    const found = await look().catch((problem) => ({ problem }));
    if (mine !== turn) return;
    if (found.problem) return (status.textContent = `${found.problem.message}.`);
    names = found.names;
    status.textContent = found.told;
    if (!found.seen) return;
    seen = found.seen;
    known.replaceChildren();
    for (const one of names?.slice(0, 5000) ?? []) add(known, "option", { value: one });
    picked.value = trying ? example.pick : names?.[0] ?? "0";
    results.hidden = false;
    judge();
    showNeighbors();
    offerSafeItems();
    verdict.scrollIntoView({ block: "nearest" });
  }

  async function bytes(file) {
    if (file.size > 1e9) throw new Error(`${file.name}: expected at most 1 GB, got more; the command takes it`);
    return file.arrayBuffer().catch(() => Promise.reject(new Error(`${file.name}: could not be read`)));
  }

  // What is seen in the files that are chosen, and what is told of them.
  async function look() {
    const { items, users, names: list } = chosen;
    if (!items) return { told: "Items are missing." };
    const files = [items, users].filter(Boolean);
    const seen = await ask("look", await Promise.all(files.map(async (file) => ({ file: file.name, buffer: await bytes(file) }))));
    const names = list && linesOf(await bytes(list)), [rows] = seen.shapes[0];
    if (names && names.length !== rows)
      throw new Error(`${list.name}: expected ${rows} lines, a name for each item, got ${names.length}`);
    const told = trying ? ["The front page’s nine viewers and five films, with its slider at d = 2."] : [];
    files.forEach((file, i) => told.push(`${i ? "Users" : "Items"}: ${seen.shapes[i].map(many).join(" × ")} from ${file.name}.`));
    if (!users) told.push("Users are missing: with them there are three lists, and safe items.");
    if (seen.step > 1) told.push(`The lists look through one item in ${seen.step}; imbalance and safe items are of all.`);
    return { seen, names, told: told.join(" ") };
  }

  const linesOf = (buffer) => new TextDecoder().decode(buffer).replace(/\r?\n$/, "").split(/\r?\n/).map((line) => line.replace(/^"(.*)"$/, "$1"));

  // The answer and what to do, above the lists; below them why, and the command.
  function judge() {
    const { items, users } = chosen, objective = libraries[said()]?.objective ?? said();
    verdict.replaceChildren();
    why.replaceChildren();
    const head = add(verdict, "p");
    if (users) {
      why.append("Imbalance of PᵀP and BᵀB: ");
      add(why, "data", { value: seen.imbalance }, percent(seen.imbalance));
      why.append(". ");
    }
    if (!objective) return head.append("Say how the model was trained, and an answer stands here.");
    const { headline, reason, restsOn, more = "" } = answer(objectives[objective], seen, constants);
    add(head, "strong", {}, headline);
    const first = headline.startsWith("No") ? "Use" : "Until you know, use";
    if (users) head.append(` ${first} the safe items below. They are determined by the scores; that does not make them better.`);
    why.append(`${sentence(reason)} ${restsOn ? `This rests on ${restsOn}. ` : ""}The command looks at more than this page does: `);
    const option = select.value.replace(/ (.*)/, (_, name) => ` ${quoted(name).replaceAll("'", '"')}`);
    add(why, "code", {}, `cosine-audit ${quoted(items.name)} ${quoted(users?.name ?? "users.npy")} --${option}`);
    why.append(`. ${more}`);
  }

  function itemOf(text) {
    const named = names?.indexOf(text) ?? -1, rows = seen.shapes[0][0];
    const number = /^\d+$/.test(text) ? Number(text) : -1;
    return named >= 0 ? named : number < rows ? number : -1;
  }

  async function showNeighbors() {
    if (!seen) return;
    const text = picked.value.trim(), item = itemOf(text), mine = turn;
    columns.replaceChildren();
    if (item < 0) return (summary.textContent = `There is no item “${text}”: rows are 0 to ${seen.shapes[0][0] - 1}.`);
    const lists = await ask("neighbors", item);
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
        const line = add(lines, "li", given.includes(row) ? {} : { class: "other" }, "");
        add(line, "span", {}, `${name(row)} `);
        add(line, "data", { value: cosine, "data-row": row }, cosine.toFixed(2).replace("-", "−"));
      }
    }
  }

  function offerSafeItems() {
    safe.replaceChildren();
    if (!chosen.users) return;
    safe.append("Safe items, whose cosines depend on the scores alone: ");
    for (const [share, words] of [[0.5, "share ½, the even split"], [1, "share 1, projected back"]]) {
      const usual = share === constants.share ? " (the command’s default)" : "";
      const button = add(safe, "button", { type: "button" }, `Save ${words}${usual}`);
      button.addEventListener("click", () => save(share));
    }
    add(safe, "span", { role: "status" });
  }

  async function save(share) {
    const told = safe.querySelector("[role=status]"), file = `safe-items-${share}.npy`, mine = turn;
    const centered = ranking() ? "; the mean item was subtracted, as a ranking loss does not see it" : "";
    told.textContent = "Computing …";
    const parts = await ask("safe", { share, ranking: ranking() });
    if (mine !== turn) return;
    told.replaceChildren();
    const href = URL.createObjectURL(new Blob(parts));
    add(told, "a", { href, download: file }, file).click();
    told.append(` is saved${centered}.`);
  }

  function tryExample() {
    select.value = `trained-by ${example.library}`;
    for (const input of Object.values(inputs)) input.value = "";
    const file = (role) => new File(npy(Float64Array.from(example[role].flat()), example[role][0].length), `${role}.npy`);
    take({ items: file("items"), users: file("users"), names: new File([example.names.join("\n")], "films.txt") }, true);
  }

  // A field takes a file that is dropped on it, as browsers have it; dropped beside it, a file is not opened.
  for (const moment of ["dragover", "drop"])
    figure.addEventListener(moment, (event) => event.target.type === "file" || event.preventDefault());
}

document.querySelectorAll("[data-own]").forEach(checkOwn);
