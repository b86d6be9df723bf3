//! The deliberative part, event by event.

use std::sync::Arc;
use windfall_robot::deliberation::{Deliberation, Meter, Move, Output};
use windfall_robot::terrain::{Random, Size};
use windfall_speculation::{Sequential, check};
use windfall_time::{Instant, Span};

#[test]
fn law_each_event_is_undone_and_redone() -> Result<(), Box<dyn core::error::Error>> {
    let random = Random {
        size: Size { wide: 20, high: 12 },
        blocked: 20,
        later: 0,
        until: Span::from_secs(1),
        seed: 3,
    };
    let meter = Meter::default();
    let model =
        Deliberation::new(Arc::new(random.terrain()), Span::from_millis(100), 50, meter.clone());
    let end = Instant::ZERO + Span::from_secs(5);
    assert_eq!(check(model.clone(), end, 100)?, 49);
    assert!(meter.looked() > 100);
    let mut moves: Vec<Move> = Vec::new();
    Sequential::new(model, 100)?.run_until(end, |_, output| match output {
        Output::Move(to) => moves.push(to),
        Output::Mapped(_) => {}
    })?;
    // It knows of no obstacle: the shortest way, after some steps of planning.
    assert_eq!(moves.iter().filter(|to| to.to.is_some()).count(), 19);
    assert_eq!(moves.iter().filter_map(|to| to.to).next_back(), Some(20 * 12 - 1));
    Ok(())
}
