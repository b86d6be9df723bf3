// What is said below the timeline: why a thread waited, and what a selected stretch adds up to.
//
// Invariant: what is said is text, never markup; times in a table add up to what stands above it.

const panel = at('panel');
const PARTS = 1000; // The ends of a stretch are said to a thousandth of it.
// A stretch of time for sums, or null.
let stretch = null;

function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}
// Rows of words, the last of which are numbers, with a bar for a share of 0 to 1.
function list(heads, lines) {
  const table = element('table'), head = element('tr');
  heads.forEach((text, i) => head.append(element('th', text, i ? 'n' : '')));
  table.append(element('thead'), element('tbody'));
  table.tHead.append(head);
  for (const { cells, color: fill, share } of lines) {
    const line = element('tr');
    cells.forEach((text, i) => line.append(element(i ? 'td' : 'th', text, i ? 'n' : '')));
    if (fill) {
      const bar = element('i', undefined, 'part');
      bar.style.width = (100 * share).toFixed(1) + '%';
      bar.style.background = fill;
      line.firstChild.append(bar);
    }
    table.tBodies[0].append(line);
  }
  return table;
}
function say(title, lines, table) {
  panel.replaceChildren(element('h3', title), ...lines.map((line) => element('p', line)));
  if (table) panel.append(table);
  panel.hidden = false;
}

// How much of a class of time a lane has from `since` to `until`.
function part(lane, c, since, until) {
  const { start, end, n, sums } = lane;
  const i = firstAfter(end, n, since);
  let j = i;
  if (i < n && start[i] < until) j = gallop(start, n, i, until);
  if (j === i) return 0;
  const inClass = (k) => sums[c][k + 1] > sums[c][k];
  const before = inClass(i) ? Math.max(0, since - start[i]) : 0;
  const after = inClass(j - 1) ? Math.max(0, end[j - 1] - until) : 0;
  return sums[c][j] - sums[c][i] - before - after;
}

// The same of a row: threads that are drawn as one have the sum of their times.
function amount(lane, c, since, until) {
  return (lane.lanes || [lane]).reduce((sum, one) => sum + part(one, c, since, until), 0);
}

// Who had some processors from `since` to `until`, the most first; what nobody had is idle.
function whoHad(lanes, since, until) {
  const had = new Map();
  const idle = lanes.reduce((sum, lane) => sum + until - since - addUses(had, lane, since, until), 0);
  if (idle > 0) had.set('idle', { time: idle, fill: color.line });
  const length = lanes.length * (until - since);
  return [...had].sort((a, b) => b[1].time - a[1].time || (a[0] < b[0] ? -1 : 1)).map(([who, { time, fill }]) => ({
    cells: [who, span(time), (100 * time / length).toFixed(1) + ' %'], color: fill, share: time / length,
  }));
}
// Adds who had one, and returns for how long it was used.
function addUses(had, lane, since, until) {
  let used = 0;
  for (let i = firstAfter(lane.end, lane.n, since); i < lane.n && lane.start[i] < until; i++) {
    const time = Math.min(until, lane.end[i]) - Math.max(since, lane.start[i]), kind = lane.kind[i];
    const who = kind >= THREAD ? lane.run.threads[kind - THREAD].name : kind === 5 ? 'unknown' : OVERHEADS[kind];
    const fill = kind >= THREAD ? tintsOf(lane.run.threads[kind - THREAD])[LEVELS] : color[kind < 3 ? 'stolen' : kind === 5 ? 'device' : 'own'];
    const known = had.get(who) || { time: 0, fill };
    known.time += time;
    used += time;
    had.set(who, known);
  }
  return used;
}

// Why a thread waited: it waits on the processor that it runs on next, or ran on last where it never does.
function explainWait(lane, i) {
  const since = lane.start[i], until = lane.end[i], length = until - since;
  let next = i + 1, last = i - 1;
  while (next < lane.n && lane.kind[next] < CPU) next++;
  while (last >= 0 && lane.kind[last] < CPU) last--;
  const ran = next < lane.n ? next : last, number = ran >= 0 ? lane.kind[ran] - CPU : -1;
  const cpu = lane.run.cpus.find((one) => one.cpu === number);
  const taken = i > 0 && lane.end[i - 1] === since && lane.kind[i - 1] >= CPU;
  const lines = [
    (taken ? 'It had been running on cpu ' + (lane.kind[i - 1] - CPU) + ' and lost it. '
      : 'It had become ready just then. ')
    + (next < lane.n && lane.start[next] === until ? 'Then it ran on cpu ' + number + '.' : 'It did not run after that.'),
    aboutJob(lane.jobs, since),
  ].filter(Boolean);
  const idle = lane.run.cpus.filter((one) => one !== cpu)
    .map((one) => [one.cpu, length - part(one, 0, since, until) - part(one, 1, since, until) - part(one, 2, since, until)])
    .filter(([, time]) => time > 0);
  if (idle.length) lines.push('Idle meanwhile: ' + idle.map(([one, time]) => 'cpu ' + one + ' ' + span(time)).join(', ') + '.');
  const title = lane.name + ' waited ' + span(length) + ', from ' + exact(since, length / PARTS) + ' to ' + exact(until, length / PARTS);
  if (!cpu) return say(title, lines);
  say(title, lines, list(['Had cpu ' + number + ' meanwhile', 'Time', 'Of the wait'], whoHad([cpu], since, until)));
}

// Of threads that are drawn as one: how many of them ran and waited, and who had the processors while none of them ran.
function explainTogether(row, i) {
  const { lane } = row, { run, lanes } = lane, since = lane.start[i], until = lane.end[i];
  const [title, ...lines] = aboutSlice(row, i, PARTS).split('\n').slice(0, 2);
  const each = lanes.map((one) => [0, 1].map((c) => part(one, c, since, until)));
  const of = (c) => {
    const times = each.map((one) => one[c]).filter((time) => time > 0);
    return times.length + ' of ' + lanes.length + ' threads ' + ['ran', 'waited for a processor'][c]
      + (times.length ? ', for ' + span(times.reduce((sum, time) => sum + time)) + ' together' : '');
  };
  lines.push(of(0) + '.', of(1) + '.');
  if (lane.kind[i] !== 0) return say(title, lines);
  const heads = [run.cpus.length > 1 ? 'Had the ' + run.cpus.length + ' processors meanwhile' : 'Had the processor meanwhile', 'Time', 'Of their time'];
  say(title, lines, list(heads, whoHad(run.cpus, since, until)));
}

function explain(row, i) {
  const { lane, isCpu } = row;
  stretch = null;
  queue();
  if (lane.lanes) explainTogether(row, i);
  else if (!isCpu && lane.kind[i] === 0) explainWait(lane, i);
  else say(...(([first, ...others]) => [first, others])(aboutSlice(row, i, PARTS).split('\n')));
}

// What rows got that are seen now, if a stretch is summed up.
function sumAgain() {
  if (stretch) sumUp(...stretch);
}

// What the rows that are seen got in a stretch of time.
function sumUp(since, until) {
  stretch = since < until ? [since, until] : null;
  queue();
  if (!stretch) { panel.hidden = true; return; }
  const length = until - since;
  // A run that ends before `until` has its shares of what there is of it.
  const ofRun = (run) => Math.min(until, run.span) - since;
  const percent = (time, run) => ofRun(run) > 0 ? (100 * time / ofRun(run)).toFixed(1) + ' %' : '-';
  const ended = runs.filter((run) => run.span < until)
    .map((run) => run.name + ' ends at ' + exact(run.span) + '; its shares are of the time before.');
  const lines = rows.filter((row) => row.lane).map(({ lane, label, isCpu, depth }) => {
    const times = [0, 1, 2].map((c) => amount(lane, c, since, until));
    const cells = [label, span(times[0]), percent(times[0], lane.run), span(times[1]), span(times[2])];
    if (runs.length > 1 && depth) cells[0] = lane.run.name + ': ' + label;
    return { cells, share: Math.min(1, times[0] / Math.max(1, ofRun(lane.run))), color: isCpu ? color.dim : tintsOf(lane)[LEVELS], isCpu, ran: times[0] };
  }).sort((a, b) => (b.isCpu || false) - (a.isCpu || false) || (a.isCpu ? 0 : b.ran - a.ran));
  const most = 60, left = lines.length - most;
  const more = left > 0 ? ['The ' + most + ' that ran most; ' + left + ' more rows are not listed.'] : [];
  more.push(...ended);
  say(span(length) + ' from ' + exact(since, length / PARTS) + ' to ' + exact(until, length / PARTS), more,
    list(['', 'Ran', 'Of the stretch', 'Waited (cpu: stolen, own)', 'Unknown'], lines.slice(0, most)));
}
