// Drives the timeline of a run of 100 ms beside one of 300 ms; it stands at the end of the page's own function.
const found = {};
const MS = 1e6;
try {
  const rowOf = (run, label) => rows.findIndex((row) => row.label === label && row.lane && row.lane.run.name === run);
  canvas.setPointerCapture = () => {};
  const place = () => canvas.getBoundingClientRect();
  const point = (type, time, row, more) => canvas.dispatchEvent(new PointerEvent(type, {
    clientX: place().left + x(time), clientY: place().top + AXIS + row * LANE + LANE / 2, bubbles: true, ...more,
  }));
  const table = () => [...panel.querySelectorAll('tr')].map((line) => [...line.cells].map((cell) => cell.textContent));

  const cpu = rowOf('short', 'cpu 0');
  found.short_after = aboutPlace(cpu, x(200 * MS));
  found.long_after = aboutPlace(rowOf('long', 'cpu 0'), x(200 * MS));
  found.job = aboutPlace(rowOf('short', 'waits'), x(50 * MS)).split('\n').find((line) => line.startsWith('job'));
  sumUp(0, SPAN);
  found.sums = table();
  found.said = [...panel.querySelectorAll('p')].map((line) => line.textContent);
  sumUp(0, 0);
  draw();
  const pixel = (time) => {
    const ratio = devicePixelRatio, y = AXIS + cpu * LANE + LANE / 2;
    return [...pen.getImageData(x(time) * ratio, y * ratio, 1, 1).data].join(' ');
  };
  found.colors = { inside: pixel(95 * MS), after: pixel(105 * MS) };
  point('pointerdown', 50 * MS, cpu, { shiftKey: true });
  point('pointermove', 250 * MS, cpu, { shiftKey: true });
  point('pointerup', 250 * MS, cpu, { shiftKey: true });
  found.dragged = table();
  found.can_go_to_a_miss = !at('miss').disabled;
  found.misses = misses.length;
  at('miss').click();
  found.window = [from, to];
} catch (error) {
  found.error = String(error.stack);
}
document.body.textContent = 'FOUND ' + JSON.stringify(found) + ' END';
