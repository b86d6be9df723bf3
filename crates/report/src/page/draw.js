// How the timeline looks: colours, the visible window, lanes, marks and the axis.
//
// Invariant: drawing changes nothing but the canvas and the line that tells the window.

// ---- Look -------------------------------------------------------------------------------------
const LANE = 24, AXIS = 28; // lanes.rs has the same numbers.
const NARROW = 1000; // Below this many pixels the tree is indented less.
// None is near the colour of waiting, nor that of a miss: a test measures their hues.
const PALETTE = ['#4477aa', '#228833', '#aa3377', '#66ccee', '#7f7fd5', '#5fa05f', '#c77dbb', '#3d8f8f'];
const LEVELS = 8;
const canvas = box.querySelector('canvas');
const spacer = at('spacer'), tip = at('tip'), output = at('window'), said = at('said');
const pen = canvas.getContext('2d', { alpha: false });
const color = {};
let hatch, lateHatch, tints;
function heighten() { spacer.style.height = AXIS + rows.length * LANE + 'px'; }
heighten();

const channels = (css) => css.match(/[\d.]+/g).slice(0, 3).map(Number);
const hex = (code) => [1, 3, 5].map((i) => parseInt(code.slice(i, i + 2), 16));
const mix = (a, b, part) => 'rgb(' + a.map((x, i) => Math.round(x * part + b[i] * (1 - part))).join(',') + ')';

function stripes(back, front) {
  const tile = document.createElement('canvas');
  tile.width = tile.height = 8;
  const to = tile.getContext('2d');
  to.fillStyle = back;
  to.fillRect(0, 0, 8, 8);
  to.strokeStyle = front;
  to.lineWidth = 2;
  for (const shift of [-8, 0, 8]) {
    to.beginPath();
    to.moveTo(shift - 1, 9);
    to.lineTo(shift + 9, -1);
    to.stroke();
  }
  return pen.createPattern(tile, 'repeat');
}

function readTheme() {
  const probe = document.createElement('i');
  box.append(probe);
  for (const name of ['ground', 'panel', 'line', 'ink', 'dim', 'bad', 'bad-soft', 'wait', 'device', 'stolen',
    'own', 'over', 'hatch-a', 'hatch-b']) {
    probe.style.color = 'var(--' + name + ')';
    color[name] = getComputedStyle(probe).color;
  }
  probe.remove();
  hatch = stripes(color['hatch-a'], color['hatch-b']);
  lateHatch = stripes(color['bad-soft'], color.bad);
  const ground = channels(color.ground);
  // A tint for each share of a pixel; the lowest is still seen.
  const ladder = (rgb) => Array.from({ length: LEVELS + 1 }, (_, i) => mix(rgb, ground, 0.25 + 0.75 * i / LEVELS));
  tints = PALETTE.map((code) => ladder(hex(code)));
}
const tintsOf = (lane) => tints[lane.hue % tints.length];

// ---- View -------------------------------------------------------------------------------------
const SHORTEST = 100; // ns in the whole window
let from = 0, to = SPAN, width = 0, height = 0, left = 0, chosen = -1, picked = -1, queued = false;
const x = (time) => left + (time - from) * (width - left) / (to - from);
const timeAt = (px) => from + (px - left) * (to - from) / (width - left);

function show(newFrom, newTo) {
  const span = Math.min(SPAN, Math.max(SHORTEST, newTo - newFrom));
  from = Math.min(Math.max(0, newFrom), SPAN - span);
  to = from + span;
  queue();
}
function zoom(factor, around) {
  show(around - (around - from) * factor, around + (to - around) * factor);
}
function queue() {
  if (queued) return;
  queued = true;
  requestAnimationFrame(() => { queued = false; draw(); });
}
function resize() {
  const ratio = devicePixelRatio || 1;
  width = box.clientWidth;
  height = box.clientHeight;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = width + 'px';
  canvas.style.height = height + 'px';
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  left = Math.round(Math.min(240, Math.max(width * 0.16, Math.min(150, width * 0.3))));
  queue();
}

// Units that a reader can add up: 1, 2 or 5 of a power of ten.
function unitFor(step) {
  return step >= 1e9 ? [1e9, 's'] : step >= 1e6 ? [1e6, 'ms'] : step >= 1e3 ? [1e3, 'us'] : [1, 'ns'];
}
function shown(time, step) {
  if (time === 0) return '0';
  const [size, unit] = unitFor(Math.max(Math.min(time, step * 1000), 1));
  const places = Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9));
  return (time / size).toFixed(places) + ' ' + unit;
}
function span(time) {
  const [size, unit] = unitFor(time);
  const value = time / size;
  return (size === 1 ? value.toFixed(0) : value.toPrecision(value >= 1000 ? 4 : 3)) + ' ' + unit;
}

// ---- Drawing ----------------------------------------------------------------------------------
// The first slice that ends after `time`.
function firstAfter(ends, n, time, low = 0) {
  let high = n;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle] <= time) low = middle + 1; else high = middle;
  }
  return low;
}
// The first slice from `i` on that starts at or after `time`: doubling steps, then halving.
function gallop(starts, n, i, time) {
  let step = 1;
  while (i + step < n && starts[i + step] < time) step *= 2;
  let low = i + (step >> 1), high = Math.min(n, i + step);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle] < time) low = middle + 1; else high = middle;
  }
  return Math.max(low, i + 1);
}

// Hands each slice that is seen to `whole(i, x0, x1)`, and each pixel that holds smaller ones to
// `column(x, i, j, perPixel)` with the slices i..j.
function walk(lane, whole, column) {
  const scale = (width - left) / (to - from), pixel = 1 / scale, { start, end, n } = lane;
  let i = firstAfter(end, n, from);
  while (i < n && start[i] < to) {
    if (end[i] - start[i] >= pixel) {
      whole(i, Math.max(left, x(start[i])), Math.min(width, x(end[i])));
      i++;
      continue;
    }
    const px = Math.floor((Math.max(start[i], from) - from) * scale);
    let j = gallop(start, n, i, from + (px + 1) * pixel);
    // Only the last of them can reach beyond the pixel.
    if (j - 1 > i && end[j - 1] - start[j - 1] >= pixel) j--;
    column(left + px, i, j, pixel);
    i = j;
  }
}
// The kind that has most of the slices i..j, by a sample of 16.
function usual(lane, i, j, least) {
  let best = -1, most = -1;
  for (let k = i, step = Math.max(1, (j - i) >> 4); k < j; k += step) {
    const length = lane.end[k] - lane.start[k];
    if (lane.kind[k] >= least && length > most) { most = length; best = lane.kind[k]; }
  }
  return best;
}
const share = (lane, c, i, j, pixel) => Math.min(1, (lane.sums[c][j] - lane.sums[c][i]) / pixel);

function bar(fill, x0, y, wide, high) {
  pen.fillStyle = fill;
  pen.fillRect(x0, y, wide, high);
}
function text(label, x0, x1, y) {
  if (x1 - x0 < 34) return;
  pen.save();
  pen.beginPath();
  pen.rect(x0, y - 12, x1 - x0 - 3, 24);
  pen.clip();
  pen.fillStyle = '#fff';
  pen.shadowColor = 'rgba(0,0,0,.75)';
  pen.shadowBlur = 2;
  pen.fillText(label, x0 + 4, y);
  pen.restore();
}

function drawCpu(lane, y) {
  const top = y + 3, high = LANE - 6;
  walk(lane, (i, x0, x1) => {
    const kind = lane.kind[i];
    if (kind >= THREAD) {
      const thread = lane.run.threads[kind - THREAD];
      bar(tintsOf(thread)[LEVELS], x0, top, Math.max(1, x1 - x0 - (x1 - x0 > 4 ? 1 : 0)), high);
      text(thread.name, x0, x1, y + LANE / 2);
    } else if (kind === 5) bar(hatch, x0, top, x1 - x0, high);
    else bar(kind < 3 ? color.stolen : color.own, x0, top + (kind < 3 ? 0 : 5), x1 - x0, high - (kind < 3 ? 0 : 5));
  }, (px, i, j, pixel) => {
    const busy = share(lane, 0, i, j, pixel), stolen = share(lane, 1, i, j, pixel);
    const kind = busy > 0 ? usual(lane, i, j, THREAD) : -1;
    if (kind >= 0) bar(tintsOf(lane.run.threads[kind - THREAD])[Math.round(busy * LEVELS)], px, top, 1, high);
    if (lane.sums[2][j] > lane.sums[2][i]) bar(hatch, px, top, 1, high);
    // Too little to be one of our slices: from the bottom, as high as its share, at least 1 px.
    if (stolen > 0.004) {
      const least = usual(lane, i, j, 0);
      bar(least >= 0 && least < 3 ? color.stolen : color.own, px, top + high - Math.max(1, stolen * high), 1, Math.max(1, stolen * high));
    }
  });
}

function drawThread(lane, y) {
  const top = y + 5, high = LANE - 9, tint = tintsOf(lane);
  walk(lane, (i, x0, x1) => {
    const kind = lane.kind[i];
    if (kind >= CPU) bar(tint[LEVELS], x0, top, Math.max(1, x1 - x0), high);
    else if (kind === 0) bar(color.wait, x0, top + high - 5, x1 - x0, 5);
    else if (kind === 3) bar(hatch, x0, top, x1 - x0, high);
    else bar(color.device, x0, top + high - 2, x1 - x0, 2);
  }, (px, i, j, pixel) => {
    const run = share(lane, 0, i, j, pixel), wait = share(lane, 1, i, j, pixel);
    if (share(lane, 3, i, j, pixel) > 0) bar(color.device, px, top + high - 2, 1, 2);
    if (wait > 0) bar(color.wait, px, top + high - Math.max(1, 5 * wait), 1, Math.max(1, 5 * wait));
    if (run > 0) bar(tint[Math.round(run * LEVELS)], px, top, 1, wait > 0 ? high - 5 : high);
    if (lane.sums[2][j] > lane.sums[2][i]) bar(hatch, px, top, 1, high);
  });
  drawJobs(lane.jobs, y);
}

function arrow(px, y, up, fill) {
  const tipY = up ? y + 2 : y + LANE - 1, back = up ? tipY + 6 : tipY - 6;
  pen.strokeStyle = pen.fillStyle = fill;
  pen.lineWidth = 1.5;
  pen.beginPath();
  pen.moveTo(px, y + 2);
  pen.lineTo(px, y + LANE - 1);
  pen.stroke();
  pen.beginPath();
  pen.moveTo(px, tipY);
  pen.lineTo(px - 3.5, back);
  pen.lineTo(px + 3.5, back);
  pen.fill();
}

// When a job was done; one that never was is open to the end of its run.
const doneAt = (jobs, i) => isNaN(jobs.end[i]) ? jobs.until : jobs.end[i];

function drawJobs(jobs, y) {
  const scale = (width - left) / (to - from), n = jobs.n;
  const first = firstAfter(jobs.release, n, from - jobs.longest - 1);
  const last = firstAfter(jobs.release, n, to);
  const room = (last - firstAfter(jobs.release, n, from)) * 14 < width - left;
  for (let i = first; room && i < last; i++) {
    if (jobs.release[i] >= from) arrow(x(jobs.release[i]), y, true, color.ink);
    const due = jobs.deadline[i];
    if (due >= from && due <= to) arrow(x(due) - 1, y, false, color.dim);
  }
  // Misses are drawn at every zoom: the late part hatched, and a mark of at least 5 px above it.
  let drawn = -9;
  const list = jobs.misses;
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < first) low = middle + 1; else high = middle;
  }
  for (; low < list.length && list[low] < last; low++) {
    const i = list[low], done = doneAt(jobs, i);
    const due = isNaN(jobs.deadline[i]) ? done : jobs.deadline[i];
    if (done < from || Math.min(due, done) > to) continue;
    const x0 = Math.max(left, x(due)), x1 = Math.min(width, x(done));
    if (x1 - x0 >= 3) bar(lateHatch, x0, y + LANE - 6, x1 - x0, 5);
    const mark = Math.round(Math.max(x1, left + 4));
    if (mark - drawn < 5) continue;
    drawn = mark;
    pen.fillStyle = color.bad;
    pen.beginPath();
    pen.moveTo(mark - 4, y + 1);
    pen.lineTo(mark + 4, y + 1);
    pen.lineTo(mark, y + 8);
    pen.fill();
    if (scale * jobs.longest > 8) bar(color.bad, mark - 0.5, y + 2, 1, LANE - 4);
  }
}

function drawAxis() {
  bar(color.panel, 0, 0, width, AXIS);
  const raw = (to - from) / Math.max(2, (width - left) / 110), power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= raw);
  pen.textAlign = 'center';
  for (let k = Math.ceil(from / step); k * step <= to; k++) {
    const px = Math.round(x(k * step)) + 0.5;
    bar(color.line, px - 0.5, AXIS - 6, 1, height);
    pen.fillStyle = color.dim;
    if (px > left + 20 && px < width - 24) pen.fillText(shown(k * step, step), px, AXIS / 2 - 1);
  }
  pen.textAlign = 'left';
  // Losses, however short, are seen at every zoom.
  for (const lane of cpus) {
    for (const i of lane.unknown) {
      if (lane.end[i] < from || lane.start[i] > to) continue;
      const x0 = Math.max(left, x(lane.start[i]) - 2);
      bar(hatch, x0, AXIS - 9, Math.min(width, x(lane.end[i]) + 2) - x0, 9);
    }
  }
}

// The stretch that is summed up, between two lines.
function drawStretch() {
  const x0 = Math.max(left, x(stretch[0])), x1 = Math.min(width, x(stretch[1]));
  if (x1 < left || x0 > width) return;
  pen.globalAlpha = 0.16;
  bar(color.over, x0, 0, x1 - x0, height);
  pen.globalAlpha = 1;
  for (const edge of [x0, x1 - 1]) bar(color.over, edge, 0, 1, height);
}

function draw() {
  bar(color.ground, 0, 0, width, height);
  pen.font = '12px system-ui, "DejaVu Sans", sans-serif';
  pen.textBaseline = 'middle';
  const scroll = box.scrollTop, first = Math.floor(scroll / LANE);
  const last = Math.min(rows.length, Math.ceil((scroll + height - AXIS) / LANE));
  drawAxis();
  pen.save();
  pen.beginPath();
  pen.rect(0, AXIS, width, height);
  pen.clip();
  for (let r = first; r < last; r++) {
    const y = AXIS + r * LANE - scroll, { lane, isCpu } = rows[r];
    if (!lane) bar(color.panel, 0, y, width, LANE);
    bar(color.line, 0, y + LANE - 1, width, 1);
    if (r === chosen) bar(color['hatch-a'], 0, y, left, LANE - 1);
    if (lane) {
      (isCpu ? drawCpu : drawThread)(lane, y);
      // Nothing is known after the end of a run that is shorter than the other.
      if (lane.run.span < to) bar(color.panel, Math.max(left, x(lane.run.span)), y, width, LANE - 1);
    }
    if (r === chosen && picked >= 0 && lane) {
      pen.strokeStyle = color.over;
      pen.lineWidth = 2;
      const x0 = Math.max(left, x(lane.start[picked])), x1 = Math.min(width, x(lane.end[picked]));
      pen.strokeRect(x0 - 1, y + 1, Math.max(3, x1 - x0 + 2), LANE - 3);
    }
  }
  if (stretch) drawStretch();
  // Labels last, over what a mark may have left of the plot.
  for (let r = first; r < last; r++) drawLabel(rows[r], r, AXIS + r * LANE - scroll);
  bar(color.line, left - 1, 0, 1, height);
  pen.restore();
  output.textContent = shown(from, (to - from) / 100) + ' – ' + shown(to, (to - from) / 100) + ' (' + span(to - from) + ')';
}

// A triangle that points down where a row is open, to the right where it is closed.
function mark(px, y, open) {
  pen.fillStyle = color.dim;
  pen.beginPath();
  for (const [dx, dy] of open ? [[-4, -2.5], [4, -2.5], [0, 3.5]] : [[-2.5, -4], [3.5, 0], [-2.5, 4]]) pen.lineTo(px + dx, y + dy);
  pen.fill();
}

// As much of a label as there is room for, with a sign where it goes on.
function fit(label, room) {
  if (pen.measureText(label).width <= room) return label;
  let length = label.length;
  while (length > 1 && pen.measureText(label.slice(0, length) + '…').width > room) length--;
  return label.slice(0, length) + '…';
}

function drawLabel({ label, kind, depth, lane, isCpu, open, members }, r, y) {
  bar(r === chosen ? color['hatch-a'] : lane ? color.ground : color.panel, 0, y, left - 1, LANE - 1);
  const x0 = 8 + depth * (width < NARROW ? 7 : 14) + (lane && !isCpu || open !== undefined ? 12 : 0);
  pen.save();
  pen.beginPath();
  pen.rect(0, y, left - 6, LANE);
  pen.clip();
  if (open !== undefined) mark(x0 - 8, y + LANE / 2, open);
  else if (lane && !isCpu) bar(tintsOf(lane)[LEVELS], x0 - 11, y + 8, 7, 7);
  pen.fillStyle = color.ink;
  pen.font = (open === undefined || members ? '' : '600 ') + '12px system-ui, "DejaVu Sans", sans-serif';
  const name = fit(label, left - 6 - x0);
  pen.fillText(name, x0, y + LANE / 2);
  if (kind && name === label) {
    const wide = pen.measureText(label).width;
    pen.font = '11px system-ui, "DejaVu Sans", sans-serif';
    pen.fillStyle = color.dim;
    const room = left - 6 - (x0 + wide + 7);
    if (room > 20) pen.fillText(fit(kind, room), x0 + wide + 7, y + LANE / 2);
  }
  pen.restore();
}
