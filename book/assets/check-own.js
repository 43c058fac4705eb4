// One's own embeddings, looked at in the page: two files of NumPy's, of which nothing leaves the page. A page says
//   <div class="playground own" data-own><p>what to do where scripts do not run</p>
//   <script type="application/json"><!-- what cosine_audit knows --></script></div>
//   <script defer src="../_static/own-engine.js"></script>
//   <script defer src="../_static/check-own.js"></script>
// and tools/own_embeddings.py puts the verdicts there that follow from the training and the imbalance alone. A window,
// not a second audit: everything else is "unknown here", and no answer is yes. own-engine.js computes.

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
const MORE = "Where balancing would change little, it may add that you can keep these cosines.";
const CHOSEN = { items: "Items, .npy", users: "Users, .npy", names: "Items’ names, a line each: .txt, .csv (optional)" };
const SHARES = { 0.5: "share ½, the even split", 1: "share 1, projected back" };
const FILMS = "The front page’s nine viewers and five films, with its slider at d = 2. ";
const NAMED = 5000; // items that the box for one suggests

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
  return { ...unbalanced, reason: unbalanced.reason.replace("{}", off), more: MORE };
}

// A function that asks a worker of its own for a job, and promises the answer. The worker is made of the engine's text,
// as a page that was opened from a disk may not start one from a file.
function startWorker() {
  const worker = new Worker(URL.createObjectURL(new Blob([`${npy}(${engine})()`], { type: "text/javascript" })));
  return (job, given) =>
    new Promise((resolve, reject) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data: { done, problem } }) => (problem === undefined ? resolve(done) : reject(new Error(problem)));
      worker.postMessage({ job, given }, [port2, ...(job === "look" ? given.map(({ buffer }) => buffer) : [])]);
    });
}

// Reading files

async function bytes(file) {
  if (file.size > 1e9) throw new Error(`${file.name}: expected at most 1 GB, got more; the command takes it`);
  return file.arrayBuffer().catch(() => Promise.reject(new Error(`${file.name}: could not be read`)));
}

function linesOf(buffer) {
  const lines = new TextDecoder().decode(buffer).replace(/\r?\n$/, "").split(/\r?\n/);
  return lines.map((line) => line.replace(/^"(.*)"$/, "$1"));
}

// What is seen in the files that are chosen, the items' names, and what is told of them.
async function inspect({ items, users, names: list }, ask) {
  if (!items) return { told: "Items are missing." };
  const files = [items, users].filter(Boolean);
  const given = files.map(async (file) => ({ file: file.name, buffer: await bytes(file) }));
  const seen = await ask("look", await Promise.all(given));
  const names = list && linesOf(await bytes(list));
  const [rows] = seen.shapes[0];
  if (names && names.length !== rows)
    throw new Error(`${list.name}: expected ${rows} lines, a name for each item, got ${names.length}`);
  const shape = (file, i) => `${i ? "Users" : "Items"}: ${seen.shapes[i].map(many).join(" × ")} from ${file.name}.`;
  const told = files.map(shape);
  if (!users) told.push("Users are missing: with them there are three lists, and safe items.");
  if (seen.step > 1) told.push(`The lists look through one item in ${seen.step}; imbalance and safe items are of all.`);
  return { seen, names, told: told.join(" ") };
}

// The parts of the form

// A field for each file; take is told which file was chosen for what.
function addFields(parent, take) {
  return Object.entries(CHOSEN).map(([role, label]) => {
    const row = add(parent, "label");
    add(row, "span", {}, label);
    const input = add(row, "input", { type: "file", accept: role === "names" ? ".txt,.csv" : ".npy" });
    input.addEventListener("click", () => (input.value = "")); // so that a file may be chosen again
    input.addEventListener("change", () => input.files.length && take({ [role]: input.files[0] }));
    return input;
  });
}

// The choice of what trained the model; each value is an option of the command.
function addTrainings(parent, libraries, objectives) {
  const row = add(parent, "label");
  add(row, "span", {}, "Trained by");
  const select = add(row, "select");
  add(select, "option", { value: "" }, "choose …");
  const group = (label, option, held) => {
    const options = add(select, "optgroup", { label });
    for (const [name, { help = name }] of Object.entries(held)) add(options, "option", { value: `${option} ${name}` }, help);
  };
  group("a library or a kind of model", "trained-by", libraries);
  group("or what training minimized", "objective", objectives);
  return select;
}

// An item's nearest in one gauge; those in bold are not among the nearest as given.
function addList(parent, gauge, list, given, name) {
  const column = add(parent, "div", { "data-gauge": gauge });
  add(column, "strong", {}, GAUGES[gauge]);
  const others = list.filter(([row]) => !given.includes(row)).length;
  const compared = others ? `${others} of ${list.length} differ, in bold` : "the same items";
  const first = gauge === "given" ? "nearest first, with cosines" : compared;
  add(column, "p", {}, list.length ? first : "this item’s numbers are all zero here");
  const lines = add(column, "ol");
  for (const [row, cosine] of list) {
    const line = add(lines, "li", given.includes(row) ? {} : { class: "other" });
    add(line, "span", {}, `${name(row)} `);
    add(line, "data", { value: cosine, "data-row": row }, cosine.toFixed(2).replace("-", "−"));
  }
}

function checkOwn(figure) {
  const { libraries, objectives, constants, example } = JSON.parse(figure.querySelector("script").textContent);
  const ask = startWorker();
  ask("start", constants);
  let chosen = {};
  let seen = null; // what the engine says of the files
  let names;
  let turn = 0; // counts choices: an answer to an earlier one is dropped
  let trying = false; // the example

  figure.querySelector("p").className = "printed";
  const live = add(figure, "div", { class: "live" });
  add(live, "p", {}, "Choose your files, or drop each on its field. Nothing leaves this page.");
  add(live, "button", { type: "button" }, "Try it on nine viewers and five films").addEventListener("click", tryExample);
  const fields = addFields(live, take);
  const select = addTrainings(live, libraries, objectives);
  select.addEventListener("change", () => seen && judge());
  const status = add(live, "p", { role: "status" });

  const results = add(live, "div", { hidden: "" });
  const verdict = add(results, "div", { "aria-live": "polite" });
  const lookup = add(results, "label");
  add(lookup, "span", {}, "Neighbors of the item: its name, or its row, from 0");
  const picked = add(lookup, "input", { type: "text", autocomplete: "off", list: "own-names" });
  picked.addEventListener("input", showNeighbors);
  const suggested = add(results, "datalist", { id: "own-names" });
  const summary = add(results, "p", { "aria-live": "polite" });
  const columns = add(results, "div", { class: "columns" });
  const safe = add(results, "p");
  const why = add(results, "p");

  const said = () => select.value.match(/ (.*)/)?.[1];
  const ranking = () => (libraries[said()] ?? objectives[said()])?.ranking ?? false;
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
    const found = await inspect(chosen, ask).catch(({ message }) => ({ told: `${message}.` }));
    if (mine !== turn) return;
    status.textContent = (trying ? FILMS : "") + found.told;
    if (found.seen) show(found);
  }

  function show(found) {
    ({ seen, names } = found);
    suggested.replaceChildren();
    for (const value of names?.slice(0, NAMED) ?? []) add(suggested, "option", { value });
    picked.value = trying ? example.pick : names?.[0] ?? "0";
    results.hidden = false;
    judge();
    showNeighbors();
    offerSafeItems();
    verdict.scrollIntoView({ block: "nearest" });
  }

  // The answer and what to do, above the lists; below them why, and the command.
  function judge() {
    const objective = libraries[said()]?.objective ?? said();
    verdict.replaceChildren();
    why.replaceChildren();
    const head = add(verdict, "p");
    if (chosen.users) {
      why.append("Imbalance of PᵀP and BᵀB: ");
      add(why, "data", { value: seen.imbalance }, percent(seen.imbalance));
      why.append(". ");
    }
    if (!objective) return head.append("Say how the model was trained, and an answer stands here.");
    const { headline, reason, restsOn, more = "" } = answer(objectives[objective], seen, constants);
    add(head, "strong", {}, headline);
    const first = headline.startsWith("No") ? "Use" : "Until you know, use";
    if (chosen.users)
      head.append(` ${first} the safe items below. They are determined by the scores; that does not make them better.`);
    why.append(`${sentence(reason)} ${restsOn ? `This rests on ${restsOn}. ` : ""}The command looks at more than this page does: `);
    add(why, "code", {}, command());
    why.append(`. ${more}`);
  }

  function command() {
    const option = select.value.replace(/ (.*)/, (_, name) => ` ${quoted(name).replaceAll("'", '"')}`);
    return `cosine-audit ${quoted(chosen.items.name)} ${quoted(chosen.users?.name ?? "users.npy")} --${option}`;
  }

  // The row of the item that has this name or this number, else −1.
  function itemOf(text) {
    const named = names?.indexOf(text) ?? -1;
    const number = /^\d+$/.test(text) ? Number(text) : -1;
    if (named >= 0) return named;
    return number < seen.shapes[0][0] ? number : -1;
  }

  async function showNeighbors() {
    if (!seen) return;
    const text = picked.value.trim();
    const item = itemOf(text);
    const mine = turn;
    columns.replaceChildren();
    if (item < 0) return (summary.textContent = `There is no item “${text}”: rows are 0 to ${seen.shapes[0][0] - 1}.`);
    const lists = await ask("neighbors", item);
    if (mine !== turn || text !== picked.value.trim()) return;
    columns.replaceChildren();
    const nearest = ([gauge, list]) => `${GAUGES[gauge].toLowerCase()} ${list.length ? name(list[0][0]) : "none"}`;
    summary.textContent = `Nearest to ${name(item)}: ${Object.entries(lists).map(nearest).join(", ")}.`;
    const given = lists.given.map(([row]) => row);
    for (const [gauge, list] of Object.entries(lists)) addList(columns, gauge, list, given, name);
  }

  function offerSafeItems() {
    safe.replaceChildren();
    if (!chosen.users) return;
    safe.append("Safe items, whose cosines depend on the scores alone: ");
    for (const share of [0.5, 1]) {
      const usual = share === constants.share ? " (the command’s default)" : "";
      const button = add(safe, "button", { type: "button" }, `Save ${SHARES[share]}${usual}`);
      button.addEventListener("click", () => save(share));
    }
    add(safe, "span", { role: "status" });
  }

  async function save(share) {
    const told = safe.querySelector("[role=status]");
    const download = `safe-items-${share}.npy`;
    const mine = turn;
    const centered = ranking() ? "; the mean item was subtracted, as a ranking loss does not see it" : "";
    told.textContent = "Computing …";
    const parts = await ask("safe", { share, ranking: ranking() });
    if (mine !== turn) return;
    told.replaceChildren();
    add(told, "a", { href: URL.createObjectURL(new Blob(parts)), download }, download).click();
    told.append(` is saved${centered}.`);
  }

  function tryExample() {
    select.value = `trained-by ${example.library}`;
    for (const field of fields) field.value = "";
    const file = (role) => new File(npy(Float64Array.from(example[role].flat()), example[role][0].length), `${role}.npy`);
    take({ items: file("items"), users: file("users"), names: new File([example.names.join("\n")], "films.txt") }, true);
  }

  // A field takes a file that is dropped on it, as browsers have it; dropped beside it, a file is not opened.
  for (const moment of ["dragover", "drop"])
    figure.addEventListener(moment, (event) => event.target.type === "file" || event.preventDefault());
}

document.querySelectorAll("[data-own]").forEach(checkOwn);
