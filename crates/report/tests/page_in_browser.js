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

  // A click on the name of a row, by the mouse.
  canvas.setPointerCapture = () => {};
  const press = (px, label, ...types) => {
    const place = canvas.getBoundingClientRect(), row = rows.findIndex((one) => one.label === label);
    const at = { clientX: place.left + px, clientY: place.top + AXIS + row * LANE + LANE / 2, bubbles: true };
    for (const type of types) canvas.dispatchEvent(new PointerEvent(type, at));
  };
  const labels = () => rows.map((row) => row.label);
  found.first = labels();
  press(20, 'ts', 'pointerdown');
  found.closed = labels();
  sumUp(0, SPAN);
  found.sums_closed = panelTable();
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
} catch (error) {
  found.error = String(error.stack);
}
document.body.textContent = 'FOUND ' + JSON.stringify(found) + ' END';
