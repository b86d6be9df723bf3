// The timeline: processors and threads as lanes on one canvas, of one run or of several on one axis.
//
// Invariants: a frame costs time by its pixels, not by the length of the trace (slices lie in typed
// arrays, are found by binary search, and those below a pixel are drawn together); nothing that
// happened disappears by zooming; what is not known is hatched. Names reach the page only as text.
//
// This file, `rows.js`, `draw.js`, `explain.js` and `input.js` become one function, in this order.
const at = (id) => document.getElementById(id);
const root = document.documentElement;
const theme = at('theme');
theme.hidden = false;
theme.onclick = () => {
  const dark = root.dataset.theme ? root.dataset.theme === 'dark'
    : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = dark ? 'light' : 'dark';
  dispatchEvent(new Event('theme'));
};
const box = at('timeline');
if (!box) return;

// ---- Data -------------------------------------------------------------------------------------
const all = JSON.parse(at('names').textContent).runs;
const packed = at('slices').textContent.trim().split(' ');
const SPAN = Math.max(1, ...all.map((run) => run.span));
const OVERHEADS = ['interrupt', 'softirq', 'hypervisor', 'scheduling', 'switching'];
const STATES = ['ready, waiting for a processor', 'waiting for a device', 'stopped', 'unknown: events lost'];
const THREAD = 6, CPU = 4; // First kinds that name a thread or a processor; see embed.rs.

function reader(base64) {
  const text = atob(base64);
  let place = 0;
  return () => {
    let value = 0, scale = 1, byte;
    do {
      byte = text.charCodeAt(place++);
      value += (byte & 127) * scale;
      scale *= 128;
    } while (byte > 127);
    return value;
  };
}

// A lane of n slices, and running sums of four classes of time, so that a pixel's share is a
// difference: 0 runs a thread, 1 waits (on a processor: stolen), 2 is unknown, 3 waits for a device or is stopped.
function newLane(n) {
  return {
    n, start: new Float64Array(n), end: new Float64Array(n), kind: new Uint32Array(n),
    sums: [0, 1, 2, 3].map(() => new Float64Array(n + 1)), unknown: [],
  };
}
function addUp(lane, classify) {
  for (let i = 0; i < lane.n; i++) {
    const which = classify(lane.kind[i]);
    if (which === 2) lane.unknown.push(i);
    for (let c = 0; c < 4; c++) {
      lane.sums[c][i + 1] = lane.sums[c][i] + (c === which ? lane.end[i] - lane.start[i] : 0);
    }
  }
  return lane;
}
const ofCpu = (kind) => kind >= THREAD ? 0 : kind === 5 ? 2 : 1;
const ofThread = (kind) => kind >= CPU ? 0 : kind === 0 ? 1 : kind === 3 ? 2 : 3;

function readLane(next, classify) {
  const lane = newLane(next());
  for (let i = 0, time = 0; i < lane.n; i++) {
    lane.start[i] = time += next();
    lane.end[i] = time += next();
    lane.kind[i] = next();
  }
  return addUp(lane, classify);
}

function readJobs(next, span) {
  const n = next();
  const jobs = {
    n, release: new Float64Array(n), deadline: new Float64Array(n), end: new Float64Array(n),
    outcome: new Uint8Array(n), misses: [], longest: 0, until: span,
  };
  for (let i = 0, time = 0; i < n; i++) {
    jobs.release[i] = time += next();
    const deadline = next(), end = next();
    jobs.deadline[i] = deadline ? time + deadline - 1 : NaN;
    jobs.end[i] = end ? time + end - 1 : NaN;
    jobs.outcome[i] = next();
    if (jobs.outcome[i] > 1) jobs.misses.push(i);
    jobs.longest = Math.max(jobs.longest, (end || span - time), deadline);
  }
  return jobs;
}

// A name has one colour in all runs.
const hues = new Map();
const hue = (name) => {
  if (!hues.has(name)) hues.set(name, hues.size);
  return hues.get(name);
};
const runs = all.map((names, number) => {
  const next = reader(packed[number]), run = { name: names.name, span: names.span };
  run.cpus = names.cpus.map((cpu) => Object.assign(readLane(next, ofCpu), { cpu, run, isCpu: true }));
  run.threads = names.threads.map((name) =>
    Object.assign(readLane(next, ofThread), { name, run, hue: hue(name), jobs: readJobs(next, names.span) }));
  run.rows = names.rows;
  return run;
});
const cpus = runs.flatMap((run) => run.cpus), threads = runs.flatMap((run) => run.threads);
