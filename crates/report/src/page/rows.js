// Which rows are seen: the tree, of which parts may be closed, and those whose names are searched for.
//
// Invariant: a row is seen when nothing above it is closed; or, while a name is searched for, when it, something
// above it or something below it is called so.

// A row has `label`, `depth`, and a `lane` or rows below it; `open` says whether these are seen.
const tree = [];
for (const run of runs) {
  const inner = runs.length > 1 ? 1 : 0;
  if (inner) tree.push({ label: run.name, depth: 0, open: true });
  for (const lane of run.cpus) tree.push({ label: 'cpu ' + lane.cpu, depth: inner, lane, isCpu: true });
  for (const { depth, label, kind, members, thread, open = true } of run.rows) {
    if (thread !== undefined) tree.push({ label: run.threads[thread].name, depth: depth + inner, lane: run.threads[thread] });
    else tree.push({ label, kind, depth: depth + inner, open, members, run });
  }
}
// Threads of a group as one: it runs where one of them does, else it waits where one of them does.
tree.forEach((row, i) => {
  if (row.members) row.lane = together(tree.slice(i + 1, i + 1 + row.members).map((member) => member.lane), row);
});

function together(lanes, { label, run }) {
  const edges = [];
  for (const lane of lanes) {
    for (let i = 0; i < lane.n; i++) {
      const which = ofThread(lane.kind[i]);
      edges.push([lane.start[i], which, 1], [lane.end[i], which, -1]);
    }
  }
  edges.sort((a, b) => a[0] - b[0]);
  const count = [0, 0, 0, 0], slices = [];
  let since = 0, state = -1;
  for (let e = 0; e < edges.length;) {
    const time = edges[e][0];
    for (; e < edges.length && edges[e][0] === time; e++) count[edges[e][1]] += edges[e][2];
    const now = count[0] ? CPU : count[1] ? 0 : count[2] ? 3 : count[3] ? 1 : -1;
    if (now === state) continue;
    if (state >= 0) slices.push([since, time, state]);
    since = time;
    state = now;
  }
  const lane = newLane(slices.length);
  slices.forEach(([start, end, kind], i) => { lane.start[i] = start; lane.end[i] = end; lane.kind[i] = kind; });
  const none = new Float64Array(0);
  const jobs = { n: 0, release: none, deadline: none, end: none, outcome: new Uint8Array(0), misses: [], longest: 0 };
  return Object.assign(addUp(lane, ofThread), { name: label, run, hue: hue(lanes[0].name), jobs, lanes });
}

let rows = [], sought = '';
function arrange() {
  const called = (row) => row.label.toLowerCase().includes(sought);
  rows = [];
  let closed = Infinity, found = Infinity;
  tree.forEach((row, i) => {
    if (row.depth <= closed) closed = Infinity;
    if (row.depth <= found) found = Infinity;
    if (sought) {
      let below = false;
      for (let k = i + 1; !below && k < tree.length && tree[k].depth > row.depth; k++) below = called(tree[k]);
      if (called(row)) found = Math.min(found, row.depth);
      if (below || found < Infinity) rows.push(row);
    } else if (closed === Infinity) {
      rows.push(row);
    }
    if (row.open === false) closed = Math.min(closed, row.depth);
  });
}
arrange();

// Tables follow the search, too: rows whose names do not have it are not shown.
function search(text) {
  sought = text.trim().toLowerCase();
  arrange();
  for (const name of document.querySelectorAll('table.names tbody th')) {
    name.parentElement.hidden = !name.textContent.toLowerCase().includes(sought);
  }
}
