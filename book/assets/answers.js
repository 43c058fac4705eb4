// One model, many answers: a package's ten nearest, along a path through the named solutions of one model, beside the
// ten that it recommends, which stand still. tools/answers.py wrote what is shown, ANSWERS:
//   packages    names; elsewhere their places in this list
//   stops       the named solutions in the path's order: name, formula of the items' weight, and method (its color)
//   steps       from one stop to the next
//   start       the stop that the others are compared with
//   scores      number of scores that were compared
//   items       for each package that can be chosen: item; near and cosines, ten for each position; needs, of a source
//               that needs it; gets and scores, what is recommended to that source; over all positions, changed,
//               most of these ten that differ, and moved, its scores' largest change
//   measured    by each judge: values of the stops, best, next, and lead of the one over the other with its interval
// It needs playground.js before it.

const JUDGES = {
  section: { name: "Debian’s sections", title: "Same section, of ten", digits: 1 },
  hidden: { name: "what sources need", title: "Hidden packages found, %", digits: 0 },
};

function answers(figure) {
  const { packages, stops, steps, start, scores, items, measured } = ANSWERS;
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const hue = (stop) => `var(${METHODS[stop.method]})`;
  const tell = (at) => {
    const [from, to] = [Math.floor(at / steps), Math.ceil(at / steps)].map((i) => stops[i]);
    return from === to ? `${from.name}, f = ${from.formula}` : `between ${from.name} and ${to.name}`;
  };

  // A row of a list: a name and a number.
  function row(list, item, number, digits) {
    const line = add(list, "li");
    add(line, "span", {}, packages[item]);
    add(line, "b", {}, number.toFixed(digits).replace("-", "−"));
    return line;
  }

  const strip = add(figure, "div", { class: "strip" });
  const printed = items.find(({ item }) => packages[item] === "git");
  for (const i of [0, start, stops.length - 1]) {
    const part = add(strip, "div");
    add(part, "p", {}, `${tell(i * steps)}: nearest to ${packages[printed.item]}`);
    const list = add(part, "ol");
    printed.near[i * steps].forEach((item, place) => row(list, item, printed.cosines[i * steps][place], 2));
  }

  const live = add(figure, "div", { class: "live answers" });
  add(live, "p", {}, "Move the slider: the similar packages change, the recommendations do not.");
  const choice = add(live, "label", {}, "Which packages are like ");
  const select = add(choice, "select");
  items.forEach(({ item }, i) => add(select, "option", { value: i }, packages[item]));
  select.value = items.indexOf(printed);
  select.addEventListener("change", () => choose());
  const knob = slider(live, {
    label: "Each direction's strength g is shared out: packages get f, their users g/f", min: 0, max: steps * (stops.length - 1),
    step: 1, start: start * steps, tell,
  }, () => show(!still.matches));
  const input = live.querySelector("input");
  const names = add(live, "div", { class: "stops" });
  const marks = stops.map((stop, i) => {
    const mark = add(names, "button", { type: "button", style: `--hue: ${hue(stop)}` }, stop.name);
    add(mark, "small", {}, `f = ${stop.formula}`);
    mark.addEventListener("click", () => {
      input.value = i * steps;
      input.dispatchEvent(new Event("input"));
    });
    return mark;
  });
  const columns = add(live, "div", { class: "columns" });
  const [left, right] = ["near", "gets"].map((name) => {
    const column = add(columns, "div");
    const title = add(column, "p", { id: `answers-${name}`, class: "title" });
    const count = add(column, "p", name === "near" ? { "aria-live": "polite" } : {});
    return { title, count, list: add(column, "ol", { "aria-labelledby": title.id }), note: add(column, "p", { class: "note" }) };
  });
  left.note.textContent = "Cosines. ● was not among the ten at " + stops[start].name + ".";

  // Rows move from where they were to where they are now.
  function reorder(list, fill) {
    const before = new Map([...list.children].map((line) => [line.firstChild.textContent, line.getBoundingClientRect().top]));
    list.replaceChildren();
    fill();
    for (const line of list.children) {
      const from = before.get(line.firstChild.textContent);
      const begin = from === undefined ? { opacity: 0 } : { transform: `translateY(${from - line.getBoundingClientRect().top}px)` };
      line.animate([begin, { opacity: 1, transform: "none" }], { duration: 350, easing: "ease-out" });
    }
  }

  // What hangs on the package alone, so that it stands still while the slider moves.
  function choose() {
    const { item, gets, scores: values, needs, changed, moved } = items[select.value];
    left.title.textContent = `Most like ${packages[item]}`;
    right.title.textContent = "Recommended to one user";
    right.list.replaceChildren();
    gets.forEach((got, place) => row(right.list, got, values[place], 3));
    right.count.textContent = changed ? `${changed} of ten differ` : "Same ten at every position";
    const [others, many] = [needs.map((need) => packages[need]), scores.toLocaleString("en").replaceAll(",", "\u202f")];
    const most = moved.toExponential(0).replace("-", "−");
    right.note.textContent = `Scores, the best of ${many}; none changes by more than ${most}, which is rounding. The user is a source package that needs ${others.slice(0, -1).join(", ")} and ${others.at(-1)}.`;
    show(false);
  }

  function show(moving) {
    const [{ near, cosines }, at] = [items[select.value], knob.value];
    const first = near[start * steps];
    const fill = () =>
      near[at].forEach((item, place) => row(left.list, item, cosines[at][place], 2).classList.toggle("new", !first.includes(item)));
    live.style.setProperty("--hue", hue(stops[Math.round(at / steps)]));
    marks.forEach((mark, i) => mark.setAttribute("aria-pressed", i * steps === at));
    if (moving) reorder(left.list, fill);
    else left.list.replaceChildren(), fill();
    left.count.textContent = `${near[at].filter((item) => !first.includes(item)).length} of ten differ from ${stops[start].name}`;
  }
  choose();

  const ballot = add(figure, "fieldset", { class: "live answers" });
  add(ballot, "legend", {}, "Which is right? Which list would you show as “similar packages”?");
  const buttons = stops.map((stop, i) => {
    const button = add(ballot, "button", { type: "button", style: `--hue: ${hue(stop)}` }, stop.name);
    button.addEventListener("click", () => count(i));
    return button;
  });
  add(ballot, "p", { class: "note" }, "Your vote opens what was measured. It stays on this page.");
  const result = add(ballot, "div", { "aria-live": "polite" });

  // What was measured, once somebody has voted.
  function count(vote) {
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", i === vote));
    result.replaceChildren();
    const table = add(result, "table");
    const head = add(add(table, "thead"), "tr");
    for (const title of ["Packages get", ...Object.values(JUDGES).map(({ title }) => title)]) add(head, "th", { scope: "col" }, title);
    const body = add(table, "tbody");
    stops.forEach((stop, i) => {
      const line = add(body, "tr");
      add(line, "th", { scope: "row" }, stop.name + (i === vote ? " (your vote)" : ""));
      for (const [judge, { digits }] of Object.entries(JUDGES))
        add(add(line, "td"), i === measured[judge].best ? "strong" : "span", {}, measured[judge].values[i].toFixed(digits));
    });
    for (const [judge, { name, digits }] of Object.entries(JUDGES)) {
      const { best, next, lead } = measured[judge];
      const [ahead, low, high] = lead.map((x) => x.toFixed(digits + 1));
      add(result, "p", {}, `By ${name}, “${stops[best].name}” is best, ${ahead} ahead of “${stops[next].name}” (95 % interval ${low} to ${high}).`);
    }
  }
}

play({ answers });
