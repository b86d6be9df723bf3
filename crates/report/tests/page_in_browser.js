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
} catch (error) {
  found.error = String(error.stack);
}
document.body.textContent = 'FOUND ' + JSON.stringify(found) + ' END';
