// The timeline: processors and threads as lanes on one canvas.
//
// Invariants: a frame costs time by its pixels, not by the length of the trace (slices lie in typed
// arrays, are found by binary search, and those below a pixel are drawn together); nothing that
// happened disappears by zooming; what is not known is hatched. Names reach the page only as text.
//
// This file, `draw.js` and `input.js` become one function, in this order.
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
const names = JSON.parse(at('names').textContent);
const SPAN = Math.max(1, names.span);
const THEFTS = ['interrupt', 'softirq', 'hypervisor', 'scheduling', 'switching'];
const STATES = ['ready, waiting for a processor', 'waiting for a device', 'stopped', 'unknown: events lost'];
const THREAD = 6, CPU = 4; // First kinds that name a thread or a processor; see embed.rs.

const reader = (() => {
  const text = atob(at('slices').textContent);
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
})();

// Slices of a lane, and running sums of three classes of time, so that a pixel's share is a
// difference: `full` (runs a thread), `thin` (waits; on a processor: stolen), `lost` (unknown).
function readLane(classify) {
  const n = reader();
  const lane = {
    n, start: new Float64Array(n), end: new Float64Array(n), kind: new Uint32Array(n),
    sums: [new Float64Array(n + 1), new Float64Array(n + 1), new Float64Array(n + 1)], unknown: [],
  };
  for (let i = 0, time = 0; i < n; i++) {
    lane.start[i] = time += reader();
    lane.end[i] = time += reader();
    lane.kind[i] = reader();
    const which = classify(lane.kind[i]);
    if (which === 2) lane.unknown.push(i);
    for (let c = 0; c < 3; c++) {
      lane.sums[c][i + 1] = lane.sums[c][i] + (c === which ? lane.end[i] - lane.start[i] : 0);
    }
  }
  return lane;
}

function readJobs() {
  const n = reader();
  const jobs = {
    n, release: new Float64Array(n), deadline: new Float64Array(n), end: new Float64Array(n),
    outcome: new Uint8Array(n), misses: [], longest: 0,
  };
  for (let i = 0, time = 0; i < n; i++) {
    jobs.release[i] = time += reader();
    const deadline = reader(), end = reader();
    jobs.deadline[i] = deadline ? time + deadline - 1 : NaN;
    jobs.end[i] = end ? time + end - 1 : NaN;
    jobs.outcome[i] = reader();
    if (jobs.outcome[i] > 1) jobs.misses.push(i);
    jobs.longest = Math.max(jobs.longest, (end || SPAN - time), deadline);
  }
  return jobs;
}

const cpus = names.cpus.map((cpu) =>
  Object.assign(readLane((kind) => kind >= THREAD ? 0 : kind === 5 ? 2 : 1), { cpu }));
const threads = names.threads.map((name, index) =>
  Object.assign(readLane((kind) => kind >= CPU ? 0 : kind === 3 ? 2 : 1), { name, index, jobs: readJobs() }));
const rows = cpus.map((lane) => ({ label: 'cpu ' + lane.cpu, depth: 0, lane, isCpu: true }))
  .concat(names.rows.map(([depth, thread, name, kind]) => thread < 0
    ? { label: name, kind, depth }
    : { label: threads[thread].name, depth, lane: threads[thread] }));
