// What check-own.js has computed of one's own embeddings. It comes before it, and uses nothing of it. The mathematics is
// that of the package cosine_audit, in gauges.py, by the same names; the site's check compares the two.

// The parts of an .npy file: numbers, row after row, of so many columns.
function npy(numbers, columns) {
  const kind = numbers instanceof Float32Array ? "<f4" : "<f8";
  const shape = `(${numbers.length / columns}, ${columns})`;
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

  // What the header of an .npy file says, and where its numbers start.
  function readHeader(file, bytes) {
    const start = 10 + bytes[8] + 256 * bytes[9];
    const text = (from, to) => new TextDecoder().decode(bytes.subarray(from, to));
    const ours = text(1, 6) === "NUMPY" && bytes[6] === 1;
    expect(ours, file, "one array, as np.save writes it", "other bytes: an archive, a model, a pickle?");
    const found = (name, value) => text(10, start).match(`'${name}': *${value}`)?.[1];
    const fortran = found("fortran_order", "(\\w+)") === "True";
    return { kind: found("descr", "'(.*?)'"), fortran, shape: found("shape", "\\(([\\d, ]*)\\)"), start };
  }

  // The matrix in an .npy file, row after row. Nothing but numbers is read, so nothing is unpickled.
  function read({ file, buffer }) {
    const bytes = new Uint8Array(buffer);
    const { kind, fortran, shape, start } = readHeader(file, bytes);
    const Numbers = { "<f4": Float32Array, "<f8": Float64Array }[kind];
    expect(Numbers, file, "float32 or float64", `${kind ?? "several types"}: np.save it .astype('float32')`);
    const [rows, columns, ...more] = shape.split(",").filter((part) => part.trim()).map(Number);
    const fits = rows && columns > 1 && columns <= 256 && !more.length;
    expect(fits, file, "a matrix of 2 to 256 columns", `shape (${shape})`);
    const promised = rows * columns * Numbers.BYTES_PER_ELEMENT;
    const there = bytes.length - start;
    expect(promised === there, file, `${promised} bytes after the header`, there);
    let data = new Numbers(buffer.slice(start));
    if (fortran) data = data.map((_, i) => data[(i % columns) * rows + Math.floor(i / columns)]);
    refuse(file, data, columns);
    return { file, data, rows, columns };
  }

  // Refuse numbers that are none, or huge, and only zeros.
  function refuse(file, data, columns) {
    const wrong = data.findIndex((x) => !(Math.abs(x) < known.huge));
    const place = `${data[wrong]} in row ${Math.floor(wrong / columns)}, column ${wrong % columns}`;
    expect(wrong < 0, file, `numbers below ${known.huge}`, place);
    expect(data.some((x) => x), file, "a row other than zero", "only zeros");
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

  // Turn two rows in their plane until they are orthogonal; whether they were not.
  function turn(x, y) {
    const [xx, yy, xy] = [dot(x, x), dot(y, y), dot(x, y)];
    if (Math.abs(xy) <= 1e-15 * Math.sqrt(xx) * Math.sqrt(yy)) return false;
    const ratio = (yy - xx) / (2 * xy);
    const t = (ratio < 0 ? -1 : 1) / (Math.abs(ratio) + Math.hypot(1, ratio));
    const c = 1 / Math.hypot(1, t);
    const s = c * t;
    for (let i = 0; i < x.length; i++) {
      const old = x[i];
      x[i] = c * old - s * y[i];
      y[i] = s * old + c * y[i];
    }
    return true;
  }

  // The singular values of a list of rows, the largest first, and the right singular vectors, by Jacobi's rotations of
  // pairs of rows until all are orthogonal.
  function svd(matrix) {
    const rows = matrix.map((row) => row.slice()).sort((x, y) => dot(y, y) - dot(x, x));
    for (let sweep = 0, turns = 1; turns && sweep < 60; sweep++) {
      turns = 0;
      for (let p = 0; p < rows.length; p++)
        for (let q = p + 1; q < rows.length; q++) turns += turn(rows[p], rows[q]);
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

    // Read both files: shapes, imbalance and what may excuse it.
    look(files) {
      const [items, users] = files.map(read);
      model = { items, gauges: { given: null }, ...distinctRows(items) };
      expect(model.distinct.length >= 4, items.file, "at least 4 different directions", model.distinct.length);
      const seen = { step: model.step, shapes: [items, users].map((E) => E && [E.rows, E.columns]) };
      if (!users) return seen;
      expect(users.columns === items.columns, users.file, `${items.columns} columns, as ${items.file} has`, users.columns);
      const about = { users: moments(users), items: moments(items) };
      const [P, B] = [triangular(about.users), triangular(about.items)];
      const back = projection(P, B);
      Object.assign(model, { about, back, gauges: { given: null, balanced: scaled(back, -0.5), back: back.T } });
      for (const name of ["balanced", "back"])
        model.units[name] = model.distinct.map((row) => unit(turned(rowOf(items, row), model.gauges[name])));
      return { ...seen, imbalance: imbalance(P, B), excuse: excuse(items, users) };
    },

    // The nearest others of an item in each gauge, [row, cosine]; of equal cosines to ten digits the smaller row first.
    neighbors(row) {
      const { items, distinct, first, gauges, units } = model;
      const b = rowOf(items, row);
      const own = first.get(fingerprint(unit(b)));
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
      const { about, back, items } = model;
      const origin = ranking ? about.items.mean : undefined;
      const T = scaled(projection(about.users.spread, triangular(about.items, origin), back.s), share - 1);
      const E = new items.data.constructor(items.rows * T.length);
      for (let row = 0; row < items.rows; row++) E.set(turned(rowOf(items, row), T, origin), row * T.length);
      return npy(withSigns(E, T.length), T.length);
    },
  };

  // The rows to look through, one in step; those that are zero, or parallel to an earlier one, are left out.
  function distinctRows(items) {
    const step = Math.ceil(items.rows / MOST);
    const [first, distinct, given] = [new Map(), [], []];
    for (let row = 0; row < items.rows; row += step) {
      const U = unit(rowOf(items, row));
      const name = fingerprint(U);
      if (!U.some((x) => x) || first.has(name)) continue;
      first.set(name, row);
      distinct.push(row);
      given.push(U);
    }
    return { step, first, distinct, units: { given } };
  }

  // Numbers in r columns, each column with the sign by which its first entry of about the largest size is positive.
  function withSigns(E, r) {
    const [size, sign] = [Array(r).fill(0), Array(r).fill(0)];
    E.forEach((x, i) => (size[i % r] = Math.max(size[i % r], Math.abs(x))));
    E.forEach((x, i) => (sign[i % r] ||= Math.abs(x) >= (1 - 1e-6) * size[i % r] ? Math.sign(x) : 0));
    return E.map((x, i) => x * (sign[i % r] || 1));
  }

  // Why users and items may be out of balance although training came to an end.
  function excuse(items, users) {
    if (items.data.every((x) => x >= 0) && users.data.every((x) => x >= 0))
      return "no entry is below zero, where a penalty balances the lengths of columns alone";
    const directions = (E) => Array.from({ length: E.rows }, (_, row) => fingerprint(unit(rowOf(E, row))));
    const held = new Set(directions(items));
    const share = directions(users).filter((name) => held.has(name)).length / users.rows;
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
