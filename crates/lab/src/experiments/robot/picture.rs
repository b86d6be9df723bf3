//! A terrain, and the ways that a robot went through it.

use super::missions::Mission;
use super::{SERIES, solid};
use crate::findings::Figure;
use windfall_plot::{Colour, Font, Letters, Paint, Scene, Stroke};
use windfall_robot::Stood;
use windfall_robot::terrain::{Cell, Terrain};

/// Pixels of a cell.
const CELL: f32 = 18.0;
const LEFT: f32 = 16.0;
const TOP: f32 = 40.0;
const DARK: Colour = [0x1b, 0x21, 0x29];
const GROUND: Colour = [0xf4, 0xf5, 0xf7];
const ROCK: Colour = [0x5a, 0x64, 0x70];
const LATER: Colour = [0xd9, 0xa4, 0x41];

/// Pixels of the middle of a cell, and a little beside.
#[expect(clippy::cast_precision_loss, reason = "at most 200 cells in a row")]
fn middle(terrain: &Terrain, cell: Cell, beside: f32) -> (f32, f32) {
    let (x, y) = terrain.size.place(cell);
    (LEFT + (x as f32 + 0.5) * CELL + beside, TOP + (y as f32 + 0.5) * CELL + beside)
}

/// The ways without and with planning ahead.
pub(super) fn ways(terrain: &Terrain, missions: [&Mission; 2]) -> Figure {
    let (wide, high) = (terrain.size.wide, terrain.size.high);
    let pixels = |cells: u16| f32::from(cells) * CELL;
    let title =
        "Two ways through the first terrain, while others keep the processor for up to 200 ms";
    let sides = 2 * 16;
    let mut scene = Scene::new(title, wide * 18 + sides, high * 18 + 112);
    let font = Font::new();
    scene.text(LEFT, 26.0, Letters::new(15.0, DARK), &font.fit(title, 15.0, pixels(wide)));
    scene.rect(LEFT, TOP, pixels(wide), pixels(high), Paint::Plain(GROUND));
    let mut square = |cell: Cell, colour: Colour| {
        let (x, y) = middle(terrain, cell, 0.0);
        scene.rect(
            x - CELL / 2.0 + 0.5,
            y - CELL / 2.0 + 0.5,
            CELL - 1.0,
            CELL - 1.0,
            Paint::Plain(colour),
        );
    };
    for (cell, _) in (0..).zip(&terrain.blocked).filter(|(_, blocked)| **blocked) {
        square(cell, ROCK);
    }
    for change in terrain.changes.iter().filter(|change| change.blocked) {
        square(change.cell, LATER);
    }
    for ((mission, colour), beside) in missions.iter().zip(SERIES).zip([-2.0, 2.0]) {
        let start = std::iter::once(terrain.start);
        let all = start.chain(mission.journey.steps.iter().map(|step| step.at));
        let points: Vec<(f32, f32)> = all.map(|cell| middle(terrain, cell, beside)).collect();
        scene.line(&points, Stroke { wide: 2.4, ..solid(colour) });
        for step in mission.journey.steps.iter().filter(|step| step.stood.is_some_and(waits)) {
            let (x, y) = middle(terrain, step.at, beside);
            scene.rect(x - 3.5, y - 3.5, 7.0, 7.0, Paint::Plain(colour));
        }
    }
    legend(&mut scene, missions, TOP + pixels(high) + 22.0);
    Figure { name: "robot-ways".to_owned(), caption: CAPTION.to_owned(), picture: scene }
}

const CAPTION: &str = "From the upper left corner to the lower right one. The robot knows of no obstacle until its sensors see it, four cells away. Where a way crosses one that came later, the robot had passed.";

/// The legend of lines and squares.
fn legend(scene: &mut Scene, missions: [&Mission; 2], below: f32) {
    let names = ["each step planned when it comes", "8 events ahead"];
    let letters = Letters::new(12.0, DARK);
    for (row, ((mission, colour), name)) in (0_u8..).zip(missions.iter().zip(SERIES).zip(names)) {
        let y = below + 18.0 * f32::from(row);
        scene.line(
            &[(LEFT, y - 4.0), (LEFT + 26.0, y - 4.0)],
            Stroke { wide: 2.4, ..solid(colour) },
        );
        let steps = mission.journey.steps.len();
        let waited =
            mission.journey.steps.iter().filter(|step| step.stood.is_some_and(waits)).count();
        let words = format!(
            "{name}: {steps} steps, in {waited} of them it waited for its planner (squares)"
        );
        scene.text(LEFT + 34.0, y, letters, &words);
    }
    let y = below + 36.0;
    for (x, colour, words) in [(LEFT, ROCK, "blocked"), (LEFT + 110.0, LATER, "blocked later")] {
        scene.rect(x, y - 10.0, 12.0, 12.0, Paint::Plain(colour));
        scene.text(x + 20.0, y, letters, words);
    }
}

/// Whether it stood since its planner was not ready.
const fn waits(why: Stood) -> bool {
    matches!(why, Stood::Late | Stood::Elsewhere)
}
