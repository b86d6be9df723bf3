"use strict";
// Plays a journey: what is known, the plan and the robot at each step, as the page's data tell them.
const journey = JSON.parse(document.getElementById("journey").textContent);
const canvas = document.getElementById("terrain");
const context = canvas.getContext("2d");
const time = document.getElementById("time");
const play = document.getElementById("play");
const said = document.getElementById("said");
const CELL = 24;
canvas.width = journey.wide * CELL;
canvas.height = journey.high * CELL;
time.max = String(journey.steps.length);

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const middle = (cell) => [(cell % journey.wide + 0.5) * CELL, (Math.floor(cell / journey.wide) + 0.5) * CELL];

function square(cell, name) {
  const [x, y] = middle(cell);
  context.fillStyle = colour(name);
  context.fillRect(x - CELL / 2 + 1, y - CELL / 2 + 1, CELL - 2, CELL - 2);
}

function line(cells, name, width) {
  context.strokeStyle = colour(name);
  context.lineWidth = width;
  context.lineJoin = "round";
  context.beginPath();
  cells.forEach((cell, number) => {
    const [x, y] = middle(cell);
    if (number === 0) context.moveTo(x, y); else context.lineTo(x, y);
  });
  context.stroke();
}

function draw(number) {
  const now = number * journey.step_ms;
  const there = new Set(journey.blocked);
  for (const [at, cell, blocked] of journey.changes) {
    if (at <= now) { if (blocked) there.add(cell); else there.delete(cell); }
  }
  const known = new Map();
  const gone = [journey.start];
  let plan = [];
  let planned = 0;
  journey.steps.slice(0, number).forEach((step, index) => {
    for (const [cell, blocked] of step.seen) known.set(cell, blocked);
    if (step.way.length > 0) { plan = step.way; planned = index; }
    gone.push(step.at);
  });
  context.fillStyle = colour("--ground");
  context.fillRect(0, 0, canvas.width, canvas.height);
  for (const cell of there) square(cell, known.get(cell) ? "--rock" : "--pale");
  const last = number > 0 ? journey.steps[number - 1] : null;
  for (const [cell, blocked] of last ? last.seen : []) if (blocked) square(cell, "--new");
  const here = gone[gone.length - 1];
  const rest = plan.slice(plan.lastIndexOf(here) + 1);
  line([here, ...rest], "--way", 1.2);
  line(gone, "--way", 4);
  const [x, y] = middle(here);
  context.fillStyle = colour("--way");
  context.beginPath();
  context.arc(x, y, CELL / 2.6, 0, 2 * Math.PI);
  context.fill();
  const [goalX, goalY] = middle(journey.goal);
  context.strokeStyle = colour("--text");
  context.lineWidth = 2;
  context.strokeRect(goalX - CELL / 3, goalY - CELL / 3, CELL / 1.5, CELL / 1.5);
  const back = journey.rollbacks.filter(([at]) => at > now - journey.step_ms && at <= now).reduce((sum, [, events]) => sum + events, 0);
  const words = [`step ${number} of ${journey.steps.length}`];
  if (last && last.stood) words.push(`it stands: ${last.stood}`);
  if (last && last.seen.length > 0) words.push(`${last.seen.length} cells are new`);
  if (back > 0) words.push(`${back} events were taken back`);
  if (last && last.way.length > 0 && planned === number - 1) words.push("a new plan");
  said.textContent = words.join(" · ");
}

let plays = true;
function step() {
  if (!plays) return;
  const next = Number(time.value) + 1;
  if (next > journey.steps.length) { plays = false; play.textContent = "Again"; return; }
  time.value = String(next);
  draw(next);
}

play.addEventListener("click", () => {
  if (!plays && Number(time.value) >= journey.steps.length) time.value = "0";
  plays = !plays;
  play.textContent = plays ? "Pause" : "Play";
});
time.addEventListener("input", () => {
  plays = false;
  play.textContent = "Play";
  draw(Number(time.value));
});
draw(0);
// Somebody who wants less motion starts it by hand.
if (matchMedia("(prefers-reduced-motion: reduce)").matches) { plays = false; play.textContent = "Play"; }
setInterval(step, 120);
