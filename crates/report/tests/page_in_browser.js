// Drives the timeline; it stands at the end of the page's own function.
const found = {};
const MS = 1e6;
// The table below the timeline, as words.
const panelTable = () => [...panel.querySelectorAll('tr')].map((line) => [...line.cells].map((cell) => cell.textContent));
try {
  sumUp(0, 1000 * MS);
  found.second = panelTable();
  sumUp(15 * MS, 30 * MS);
  found.middle = panelTable();

  // Clicks by the mouse: on a slice, or on the name of a row.
  canvas.setPointerCapture = () => {};
  const press = (px, label, ...types) => {
    const place = canvas.getBoundingClientRect(), row = rows.findIndex((one) => one.label === label);
    const at = { clientX: place.left + px, clientY: place.top + AXIS + row * LANE + LANE / 2, bubbles: true };
    for (const type of types) canvas.dispatchEvent(new PointerEvent(type, at));
  };
  const clickAt = (label, time) => {
    press(x(time), label, 'pointerdown', 'pointerup');
    return { said: [...panel.querySelectorAll('h3, p')].map((line) => line.textContent), table: panelTable() };
  };
  found.group_waits = clickAt('w (12 threads)', 1050 * MS);
  found.group_runs = clickAt('w (12 threads)', 500 * MS);
  // Two threads take turns of an odd time for 26 days, and both rest in between.
  const day = 864e11, turn = 1111111, begin = 26 * day + 1;
  const long = [0, 1].map((which) => {
    const lane = newLane(100);
    for (let i = 0; i < lane.n; i++) {
      lane.start[i] = begin + (3 * i + which) * turn;
      lane.end[i] = lane.start[i] + turn;
      lane.kind[i] = CPU;
    }
    return lane;
  });
  const whole = statesOf(long), off = (time, exact) => Math.abs(time - exact);
  found.long = {
    slices: whole.n,
    off: Math.max(...Array.from(whole.start, (time, i) => off(time, begin + 3 * i * turn)),
      ...Array.from(whole.end, (time, i) => off(time, begin + (3 * i + 2) * turn))),
  };
  const labels = () => rows.map((row) => row.label);
  found.first = labels();
  press(20, 'ts', 'pointerdown');
  found.closed = labels();
  sumUp(0, SPAN);
  found.sums_closed = panelTable();
  press(20, 'ts', 'pointerdown');
  found.sums_opened = panelTable();
  press(20, 'ts', 'pointerdown');
  found.sums_again = panelTable();
  draw();
  const pixel = (label, time) => {
    const row = rows.findIndex((one) => one.label === label), ratio = devicePixelRatio;
    const y = AXIS + row * LANE + LANE / 2, [r, g, b] = pen.getImageData(x(time) * ratio, y * ratio, 1, 1).data;
    return 'rgb(' + [r, g, b].join(', ') + ')';
  };
  sumUp(0, 0);
  draw();
  found.colors = { runs: pixel('ts', 500 * MS), ground: color.ground };
  at('search').value = 'w-3';
  at('search').dispatchEvent(new Event('input'));
  found.searched = rows.map((row) => [row.label, Boolean(row.lane)]);
  at('search').value = '';
  at('search').dispatchEvent(new Event('input'));
  press(20, 'ts', 'pointerdown');
  found.again = labels();
  press(20, 'w (12 threads)', 'pointerdown');
  found.waits = clickAt('w-3', 5 * MS);
  // As on a narrow screen.
  document.body.style.width = '500px';
  const right = (name) => document.querySelector(name).getBoundingClientRect().right;
  found.narrow = ['.tools', '#miss', '#timeline'].map((name) => [name, right(name) <= right('main')]);
} catch (error) {
  found.error = String(error.stack);
}
document.body.textContent = 'FOUND ' + JSON.stringify(found) + ' END';
