// Which rows are seen: the tree, of which parts may be closed, and those whose names are searched for.
//
// Invariant: a row is seen when nothing above it is closed; or, while a name is searched for, when it, something
// above it or something below it is called so.

// A row has `label`, `depth`, and a `lane` or rows below it; `open` says whether these are seen. The lane of a group, and
// of any other row that is closed, is that of its threads `together`.
const tree = [];
for (const run of runs) {
  const inner = runs.length > 1 ? 1 : 0;
  if (inner) tree.push({ label: run.name, depth: 0, open: true, run });
  for (const lane of run.cpus) tree.push({ label: 'cpu ' + lane.cpu, depth: inner, lane, isCpu: true });
  for (const { depth, label, kind, members, thread, open = true } of run.rows) {
    if (thread !== undefined) tree.push({ label: label || run.threads[thread].name, depth: depth + inner, lane: run.threads[thread] });
    else tree.push({ label, kind, depth: depth + inner, open, members, run });
  }
}

// The threads below a row.
function below(i) {
  const lanes = [];
  for (let k = i + 1; k < tree.length && tree[k].depth > tree[i].depth; k++) {
    const { lane, open, isCpu } = tree[k];
    if (open === undefined && !isCpu) lanes.push(lane);
  }
  return lanes;
}

// Threads as one: it runs where one of them does, else it waits where one of them does.
function together(lanes, { label, run }) {
  if (!lanes.length) return undefined;
  const lane = Object.assign(addUp(statesOf(lanes), ofThread), { name: label, run, hue: lanes[0].hue, lanes });
  lane.jobs = jobsOf(lanes.map((one) => one.jobs));
  return lane;
}

function statesOf(lanes) {
  // An edge is one number, for numbers sort fast: its time, its class, and whether it is an end. Numbers are exact below
  // 2^53, so the times of a row that is longer than 2^50 ns (13 days) are rounded to a coarser unit.
  const last = lanes.reduce((most, lane) => lane.n ? Math.max(most, lane.end[lane.n - 1]) : most, 1);
  const unit = Math.max(1, 2 ** Math.ceil(Math.log2(last / 2 ** 50)));
  const packed = (time, rest) => 8 * Math.floor(time / unit) + rest;
  const edges = new Float64Array(2 * lanes.reduce((sum, lane) => sum + lane.n, 0));
  let e = 0;
  for (const lane of lanes) {
    for (let i = 0; i < lane.n; i++) {
      const which = 2 * ofThread(lane.kind[i]);
      edges[e++] = packed(lane.start[i], which);
      edges[e++] = packed(lane.end[i], which + 1);
    }
  }
  edges.sort();
  const count = [0, 0, 0, 0], slices = [];
  let since = 0, state = -1;
  for (e = 0; e < edges.length;) {
    const time = Math.floor(edges[e] / 8);
    for (; e < edges.length && Math.floor(edges[e] / 8) === time; e++) {
      const rest = edges[e] - 8 * time;
      count[rest >> 1] += rest & 1 ? -1 : 1;
    }
    const now = count[0] ? CPU : count[1] ? 0 : count[2] ? 3 : count[3] ? 1 : -1;
    if (now === state) continue;
    if (state >= 0) slices.push([since * unit, time * unit, state]);
    since = time;
    state = now;
  }
  const lane = newLane(slices.length);
  slices.forEach(([start, end, kind], i) => { lane.start[i] = start; lane.end[i] = end; lane.kind[i] = kind; });
  return lane;
}

// The jobs of several threads, in order of release: what was missed is seen when its row is not.
function jobsOf(all) {
  const each = all.flatMap((jobs) => Array.from(jobs.release, (release, i) => ({ jobs, release, i })));
  each.sort((a, b) => a.release - b.release);
  const n = each.length, of = (name) => Float64Array.from(each, ({ jobs, i }) => jobs[name][i]);
  const outcome = Uint8Array.from(each, ({ jobs, i }) => jobs.outcome[i]);
  const misses = [...outcome.keys()].filter((i) => outcome[i] > 1);
  const longest = Math.max(0, ...all.map((jobs) => jobs.longest));
  const until = Math.max(0, ...all.map((jobs) => jobs.until));
  return { n, release: of('release'), deadline: of('deadline'), end: of('end'), outcome, misses, longest, until };
}

let rows = [], sought = '';
function arrange() {
  const see = (row, i) => {
    const closed = row.open === false && !sought;
    if (row.open !== undefined) row.lane = closed || row.members ? row.whole ??= together(below(i), row) : undefined;
    rows.push(row);
  };
  const called = (row) => row.label.toLowerCase().includes(sought);
  rows = [];
  let closed = Infinity, found = Infinity;
  tree.forEach((row, i) => {
    if (row.depth <= closed) closed = Infinity;
    if (row.depth <= found) found = Infinity;
    if (sought) {
      let has = false;
      for (let k = i + 1; !has && k < tree.length && tree[k].depth > row.depth; k++) has = called(tree[k]);
      if (called(row)) found = Math.min(found, row.depth);
      if (has || found < Infinity) see(row, i);
    } else if (closed === Infinity) {
      see(row, i);
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
