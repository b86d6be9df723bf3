//! What it takes to undo 1,000 events, beside what handling them took: 64 bytes of state, and 0.23 us of work in each event.

use std::hint::black_box;
use windfall_clocks::{Lap, Samples};
use windfall_speculation::{Cancellation, Context, Model, ProcessNumber, Saving, Speculative};
use windfall_time::{Instant, Span};

const EVENTS: u64 = 1_000;
const ROUNDS: usize = 101;

/// The second process tells itself what to do, many times; then the first tells it something that should have come before.
#[derive(Debug)]
struct Late {
    /// Steps of work in an event.
    grain: u64,
    saving: Saving,
}

impl Model for Late {
    type State = [u64; 8];
    type Event = ();
    type Output = ();
    type Change = [u64; 8];

    fn processes(&self) -> u32 {
        2
    }

    fn start(&self, context: &mut Context<'_, Self>) -> [u64; 8] {
        context.send(context.me(), Instant::from_nanos(1 + u64::from(context.me().0)), ());
        [1; 8]
    }

    fn handle(&self, state: &mut [u64; 8], (): &(), context: &mut Context<'_, Self>) {
        let after = |ns| context.now() + Span::from_nanos(ns);
        if context.me() == ProcessNumber(0) {
            let at = after(1);
            return context.send(ProcessNumber(1), at, ());
        }
        let at = after(10);
        context.log(*state);
        let worked =
            (0..self.grain).fold(state[0], |all, step| (all ^ step).wrapping_mul(0x0100_0000_01b3));
        state.fill(black_box(worked));
        context.send(context.me(), at, ());
    }

    fn undo(&self, state: &mut [u64; 8], before: [u64; 8]) {
        *state = before;
    }

    fn saving(&self, _: ProcessNumber) -> Saving {
        self.saving
    }
}

fn main() {
    println!("saving, steps of work: 1,000 events handled and undone, us; ratio");
    let every = |every| Saving::Copies { every };
    for saving in [Saving::Log, every(1), every(16)] {
        for grain in [0, 150] {
            let (mut handled, mut undone) = (Vec::new(), Vec::new());
            for _ in 0..ROUNDS {
                let model = Late { grain, saving };
                let run = Speculative::new(model, Instant::MAX, 2_000, Cancellation::Aggressive);
                let mut run = run.expect("it begins");
                let mut all = |process, many| {
                    let lap = Lap::begin();
                    for _ in 0..many {
                        run.step(ProcessNumber(process)).expect("it goes on");
                    }
                    lap.passed()
                };
                handled.push(all(1, EVENTS));
                undone.push(all(0, 1));
                assert_eq!(run.counts().undone, EVENTS);
            }
            let [handled, undone] =
                [handled, undone].map(|all| Samples::of(all).median().as_nanos());
            let (whole, hundredths) = (undone / handled, undone * 100 / handled % 100);
            println!(
                "{saving:?}, {grain}: {} {}; {whole}.{hundredths:02}",
                handled / 1_000,
                undone / 1_000
            );
        }
    }
}
