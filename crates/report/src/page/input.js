// What a hand does with the timeline: wheel, drag, keys, and the tip that says what is there.
//
// Invariant: whatever the mouse can reach, the keys can too; a tip is text, never markup.

// The lane under a height of the canvas.
function rowAt(y) {
  const row = Math.floor((y - AXIS + box.scrollTop) / LANE);
  return y >= AXIS && row >= 0 && row < rows.length ? row : -1;
}

// Who had the processors while a thread waited: the three that had most.
function antagonists(since, until, self) {
  const had = new Map();
  for (const lane of self.run.cpus) {
    let seen = 0;
    for (let i = firstAfter(lane.end, lane.n, since); i < lane.n && lane.start[i] < until; i++) {
      if (++seen > 20000) return '';
      const time = Math.min(until, lane.end[i]) - Math.max(since, lane.start[i]), kind = lane.kind[i];
      if (kind >= THREAD && lane.run.threads[kind - THREAD] === self) continue;
      const who = kind >= THREAD ? lane.run.threads[kind - THREAD].name : kind === 5 ? 'unknown' : OVERHEADS[kind];
      had.set(who, (had.get(who) || 0) + time);
    }
  }
  const most = [...had].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 3);
  return most.length ? 'meanwhile: ' + most.map(([who, time]) => who + ' ' + span(time)).join(', ') : '';
}

function aboutJob(jobs, time) {
  const last = firstAfter(jobs.release, jobs.n, time) - 1;
  for (let i = last; i >= 0 && i > last - 16; i--) {
    const done = doneAt(jobs, i);
    if (done < time) continue;
    const open = isNaN(jobs.end[i]) ? ', not done' : '';
    const fate = ['not done', 'done', 'MISSED its deadline' + open, 'given up'][jobs.outcome[i]];
    const due = isNaN(jobs.deadline[i]) ? '' : ', deadline after ' + span(jobs.deadline[i] - jobs.release[i]);
    return 'job ' + (i + 1) + ': ' + fate + ' after ' + span(done - jobs.release[i]) + due;
  }
  return '';
}

function aboutSlice({ lane, isCpu, label }, i, parts = Infinity) {
  const kind = lane.kind[i];
  const what = isCpu
    ? kind >= THREAD ? lane.run.threads[kind - THREAD].name : kind === 5 ? STATES[3] : 'taken by ' + OVERHEADS[kind]
    : kind < CPU ? STATES[kind] : lane.lanes ? 'at least one of them runs' : 'running on cpu ' + (kind - CPU);
  const length = lane.end[i] - lane.start[i];
  const lines = [label + ': ' + what, span(length) + ' from ' + exact(lane.start[i], length / parts) + ' to ' + exact(lane.end[i], length / parts)];
  if (!isCpu) {
    if (!lane.lanes) lines.push(aboutJob(lane.jobs, lane.start[i]));
    if (kind === 0) lines.push(antagonists(lane.start[i], lane.end[i], lane));
  }
  return lines.filter(Boolean).join('\n');
}

// A time to a step, of itself to a nanosecond, since a tip is where one looks for them.
function exact(time, step = 1) {
  const [size, unit] = unitFor(time);
  const digits = (time / size).toFixed(Math.max(0, Math.ceil(Math.log10(size / Math.max(1, step)) - 1e-9)));
  return (digits.includes('.') ? digits.replace(/\.?0+$/, '') : digits) + ' ' + unit;
}

function aboutPlace(row, px) {
  const { lane, isCpu, label, kind } = rows[row];
  if (!lane) return label + (kind ? ': ' + kind + ' scheduler' : '');
  if (px < left) return label;
  const time = timeAt(px), next = timeAt(px + 1);
  if (time >= lane.run.span) return label + ': after the end of ' + lane.run.name + ' at ' + exact(lane.run.span);
  const i = firstAfter(lane.end, lane.n, time), j = gallopTo(lane, i, next);
  if (j - i > 1 && lane.end[i] - lane.start[i] < next - time) {
    // The first and the last of them may reach beyond the pixel.
    const over = (c, k, by) => lane.sums[c][k + 1] > lane.sums[c][k] ? Math.max(0, by) : 0;
    const part = (c) => Math.round(100 * (lane.sums[c][j] - lane.sums[c][i] - over(c, i, time - lane.start[i])
      - over(c, j - 1, lane.end[j - 1] - next)) / (next - time)) + ' %';
    const words = isCpu ? ['threads', 'stolen or scheduling']
      : lane.lanes ? ['at least one running', 'none running, at least one waiting'] : ['running', 'waiting'];
    return label + ': ' + (j - i) + ' slices here\n' + words[0] + ' ' + part(0) + ', ' + words[1] + ' ' + part(1)
      + ' of ' + span(next - time) + ' from ' + exact(Math.round(time));
  }
  if (i < lane.n && lane.start[i] < next) return aboutSlice(rows[row], i);
  return label + ': ' + (isCpu ? 'idle' : 'not runnable (blocked, or not there)') + ' at ' + exact(Math.round(time));
}
function gallopTo(lane, i, time) {
  return i < lane.n && lane.start[i] < time ? gallop(lane.start, lane.n, i, time) : i;
}

function tell(words, clientX, clientY) {
  tip.textContent = words;
  tip.hidden = false;
  const { offsetWidth: wide, offsetHeight: high } = tip;
  tip.style.left = Math.max(4, Math.min(clientX + 14, innerWidth - wide - 6)) + 'px';
  tip.style.top = (clientY + 18 + high < innerHeight ? clientY + 18 : clientY - high - 10) + 'px';
}

// Opens or closes the chosen row, if something is below it.
function toggle() {
  const row = rows[chosen];
  if (!row || row.open === undefined || sought) return;
  row.open = !row.open;
  arrange();
  heighten();
  chosen = rows.indexOf(row);
  said.textContent = row.label + (row.open ? ' opened' : ' closed');
  sumAgain();
  queue();
}
// Explains the slice of the chosen row under a place of the canvas.
function click(px) {
  const row = rows[chosen];
  if (!row || !row.lane) return;
  const { lane } = row, i = firstAfter(lane.end, lane.n, timeAt(px));
  if (i >= lane.n || lane.start[i] >= timeAt(px + 1)) return;
  picked = i;
  explain(row, i);
}

let drag = null;
canvas.addEventListener('pointerdown', (event) => {
  if (event.button !== 0) return;
  chosen = rowAt(event.offsetY);
  picked = -1;
  if (event.offsetX < left) {
    toggle();
  } else {
    drag = { x: event.clientX, from, to, moved: false, since: event.shiftKey ? timeAt(event.offsetX) : null };
    canvas.setPointerCapture(event.pointerId);
    tip.hidden = true;
  }
  queue();
});
canvas.addEventListener('pointermove', (event) => {
  if (drag && (drag.moved || Math.abs(drag.x - event.clientX) > 3)) {
    drag.moved = true;
    if (drag.since !== null) {
      const here = Math.min(SPAN, Math.max(0, timeAt(event.offsetX)));
      sumUp(Math.min(drag.since, here), Math.max(drag.since, here));
      return;
    }
    const by = (drag.x - event.clientX) * (drag.to - drag.from) / (width - left);
    show(drag.from + by, drag.to + by);
    return;
  }
  const row = rowAt(event.offsetY);
  if (row < 0) tip.hidden = true;
  else tell(aboutPlace(row, event.offsetX), event.clientX, event.clientY);
});
canvas.addEventListener('pointerup', (event) => {
  if (drag && !drag.moved) click(event.offsetX);
  drag = null;
});
canvas.addEventListener('pointercancel', () => { drag = null; });
canvas.addEventListener('pointerleave', () => { tip.hidden = true; });
canvas.addEventListener('dblclick', (event) => { if (event.offsetX >= left) zoom(0.25, timeAt(event.offsetX)); });
// Over the names the wheel scrolls, over the plot it zooms; shift moves.
canvas.addEventListener('wheel', (event) => {
  if (event.offsetX < left) return;
  event.preventDefault();
  tip.hidden = true;
  const sideways = event.shiftKey ? event.deltaY : event.deltaX;
  if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
    const by = sideways * (to - from) / (width - left);
    show(from + by, to + by);
  } else {
    zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY * 0.0022))), timeAt(event.offsetX));
  }
}, { passive: false });
box.addEventListener('scroll', queue);

// Goes to a slice of the chosen row, moves the window there when needed, and says what it is.
function pick(i) {
  const { lane } = rows[chosen];
  if (i < 0 || i >= lane.n) return;
  picked = i;
  const middle = (lane.start[i] + lane.end[i]) / 2, half = (to - from) / 2;
  if (lane.end[i] < from || lane.start[i] > to) show(middle - half, middle + half);
  const words = aboutSlice(rows[chosen], i), place = box.getBoundingClientRect();
  said.textContent = words;
  tell(words, place.left + Math.max(left, Math.min(width - 10, x(middle))),
    place.top + AXIS + (chosen + 1) * LANE - box.scrollTop - 12);
  queue();
}
function choose(row) {
  if (!rows.length) return;
  chosen = Math.max(0, Math.min(rows.length - 1, row));
  picked = -1;
  const top = chosen * LANE;
  if (top < box.scrollTop) box.scrollTop = top;
  if (top + LANE > box.scrollTop + height - AXIS) box.scrollTop = top + LANE - height + AXIS;
  said.textContent = rows[chosen].label;
  tip.hidden = true;
  queue();
}
function step(by) {
  if (chosen < 0 || !rows[chosen].lane) return choose(rows.findIndex((row) => row.lane));
  const { lane } = rows[chosen];
  if (picked >= 0) return pick(picked + by);
  const first = firstAfter(lane.end, lane.n, by > 0 ? from : to);
  pick(by > 0 ? first : Math.min(lane.n - 1, first));
}

// Misses of all threads in order of time, one after another, then from the start again.
const misses = threads.flatMap((lane, index) => lane.jobs.misses.map((i) => ({
  lane, index, time: isNaN(lane.jobs.deadline[i]) ? lane.jobs.release[i] : lane.jobs.deadline[i],
  length: doneAt(lane.jobs, i) - lane.jobs.release[i],
}))).sort((a, b) => a.time - b.time || a.index - b.index);
let missed = -1;
// Opens whatever is above a lane's row, and ends a search that hides it.
function reveal(lane) {
  if (rows.some((row) => row.lane === lane)) return;
  const place = tree.findIndex((row) => row.lane === lane);
  for (let i = place, depth = tree[place].depth; i >= 0; i--) {
    if (tree[i].depth < depth) { depth = tree[i].depth; tree[i].open = true; }
  }
  at('search').value = '';
  seek('');
}
function seek(text) {
  search(text);
  heighten();
  chosen = picked = -1;
  sumAgain();
  queue();
}
function nextMiss() {
  if (!misses.length) return;
  missed = (missed + 1) % misses.length;
  const { lane, time, length } = misses[missed];
  const half = Math.max((to - from) / 2, 0) > 20 * length ? 4 * length : (to - from) / 2;
  show(time - half, time + half);
  reveal(lane);
  choose(rows.findIndex((row) => row.lane === lane));
}

// Keys zoom about the picked slice, if it is seen, else about the middle.
function middle() {
  const lane = picked >= 0 && rows[chosen] && rows[chosen].lane;
  const slice = lane ? (lane.start[picked] + lane.end[picked]) / 2 : -1;
  return slice > from && slice < to ? slice : (from + to) / 2;
}
const keys = {
  w: () => zoom(0.7, middle()), s: () => zoom(1 / 0.7, middle()),
  a: () => show(from - (to - from) * 0.2, to - (to - from) * 0.2),
  d: () => show(from + (to - from) * 0.2, to + (to - from) * 0.2),
  0: () => show(0, SPAN), m: nextMiss, x: () => sumUp(from, to),
  enter: () => { if (picked >= 0) explain(rows[chosen], picked); else toggle(); },
  arrowup: () => choose(chosen - 1), arrowdown: () => choose(chosen + 1),
  arrowleft: () => step(-1), arrowright: () => step(1),
  escape: () => { tip.hidden = panel.hidden = true; picked = -1; stretch = null; queue(); },
};
box.addEventListener('keydown', (event) => {
  const key = keys[event.key.toLowerCase()];
  if (!key || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  key();
});
box.addEventListener('blur', () => { tip.hidden = true; });
at('fit').onclick = () => show(0, SPAN);
at('closer').onclick = () => zoom(0.5, middle());
at('farther').onclick = () => zoom(2, middle());
at('miss').onclick = nextMiss;
at('sum').onclick = () => sumUp(from, to);
at('search').oninput = () => seek(at('search').value);

addEventListener('theme', () => { readTheme(); queue(); });
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { readTheme(); queue(); });
new ResizeObserver(resize).observe(box);
readTheme();
resize();

// For tests: where the window is, and how long a frame takes, in milliseconds.
window.windfallTimeline = {
  SPAN, show, slices: cpus.concat(threads).reduce((sum, lane) => sum + lane.n, 0),
  frame() {
    const since = performance.now();
    draw();
    pen.getImageData(0, 0, 1, 1); // waits until the picture is there
    return performance.now() - since;
  },
};
