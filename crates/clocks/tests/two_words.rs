//! The three routines at every moment of a small clock, as printed and mended, and on a clock that a thread ticks.
//!
//! The counts are those that a second program in another language found, which tries the same moments.

#![expect(clippy::unwrap_used, reason = "a test stops at what it did not expect")]

use std::cell::{Cell, RefCell};
use windfall_clocks::two_words::{
    Form, OneRead, Scripted, Ticked, TwoWords, every_distance, every_moment, four_read,
    latched_read, varying_read,
};

/// Values of a word; the real one has 65,536.
const VALUES: u32 = 8;

/// Wrong results, and those of them that are not at the wrap of the whole clock.
type Wrong = (u64, u64);

fn trial(tick: u64, longest: u64, routine: impl Fn(&Scripted) -> u64) -> Wrong {
    let tried = every_moment(VALUES, tick, longest, routine);
    // Each start, with each way to place three references at one of so many distances.
    let ways = (longest + 1) * (longest + 2) * (longest + 3) / 6;
    assert_eq!(tried.calls, u64::from(VALUES).pow(2) * tick * ways);
    (tried.wrong, tried.wrong_inside)
}

/// Tick, the longest call, and what is wrong with Varying-Read as printed and 4-Read as printed.
const AS_PRINTED: [(u64, u64, Wrong, Wrong); 6] = [
    (1, 4, (35, 0), (105, 70)),
    (1, 7, (210, 0), (406, 196)),
    (1, 8, (322, 0), (518, 196)),
    (1, 12, (1_245, 0), (3_821, 2_326)),
    (4, 3, (15, 0), (120, 105)),
    (4, 8, (330, 0), (1_380, 1_050)),
];

#[test]
fn paper_as_printed_the_routines_fail_at_the_wrap_and_where_two_reads_share_a_tick() {
    for (tick, span, varying, four) in AS_PRINTED {
        assert_eq!(trial(tick, span, |clock| varying_read(clock, Form::AsPrinted)), varying);
        assert_eq!(trial(tick, span, |clock| four_read(clock, Form::AsPrinted)), four);
    }
}

#[test]
fn law_mended_they_are_right_at_every_moment_while_a_call_is_shorter_than_a_low_word() {
    for (tick, span, ..) in AS_PRINTED {
        assert_eq!(trial(tick, span, |clock| varying_read(clock, Form::Mended)), (0, 0));
        // A call of 12 ticks is longer than a low word of 8.
        let four = if span > u64::from(VALUES) * tick { (2_040, 1_530) } else { (0, 0) };
        assert_eq!(trial(tick, span, |clock| four_read(clock, Form::Mended)), four);
    }
}

#[test]
fn law_a_latched_read_is_right_at_every_moment_however_long_a_call_takes() {
    for (tick, span, ..) in AS_PRINTED {
        assert_eq!(trial(tick, span, latched_read), (0, 0));
    }
}

#[test]
fn paper_4_read_is_a_low_word_too_small_where_both_low_words_share_a_tick() {
    // The first reference lies before the wrap, and all others in the tick after it.
    let clock = || Scripted::new(VALUES, 1, [4, 8, 8, 8]);
    assert_eq!(four_read(&clock(), Form::AsPrinted), 0);
    assert_eq!(four_read(&clock(), Form::Mended), 8);
}

/// Tick, the longest time between calls, results, wrong ones with `>=` as printed, and with `>` as the text says.
const ONE_READ: [(u64, u64, u64, u64, u64); 8] = [
    (1, 3, 657, 0, 0),
    (1, 7, 940, 0, 0),
    (1, 8, 988, 0, 40),
    (1, 9, 1_031, 35, 75),
    (4, 3, 10_373, 10_205, 0),
    (4, 28, 22_565, 10_205, 0),
    (4, 31, 23_177, 10_205, 444),
    (4, 32, 23_369, 10_205, 604),
];

/// Six low words of calls: results and wrong ones.
fn one_read(tick: u64, apart: u64, form: Form) -> (u64, u64) {
    let tried = every_distance(VALUES, tick, apart, 6, form);
    (tried.calls, tried.wrong)
}

#[test]
fn paper_1_read_as_printed_counts_a_wrap_where_two_calls_share_a_tick() {
    for (tick, apart, total, as_printed, mended) in ONE_READ {
        assert_eq!(one_read(tick, apart, Form::AsPrinted), (total, as_printed));
        assert_eq!(one_read(tick, apart, Form::Mended), (total, mended));
    }
}

/// Judges calls on a clock that ticks meanwhile: how many were judged, and how many were wrong.
fn on_a_thread(clock: &Ticked, calls: u32, mut routine: impl FnMut() -> u64) -> (u32, u32) {
    let whole = clock.low_values() << 32;
    let (mut judged, mut wrong) = (0, 0);
    for _ in 0..calls {
        let before = clock.ticks();
        let got = routine();
        let after = clock.ticks();
        // A call that the system interrupted for a low word or longer is none that the routine is for.
        if after - before < clock.low_values() {
            judged += 1;
            wrong += u32::from(got < before % whole || got > after % whole);
        }
    }
    (judged, wrong)
}

/// Where threads take turns on one processor, no tick falls into a call.
fn several_processors() -> bool {
    std::thread::available_parallelism().unwrap().get() > 1
}

#[test]
fn law_mended_routines_and_the_latch_are_right_while_a_thread_ticks_the_clock() {
    const CALLS: u32 = 200_000;
    let clock = Ticked::start(6, 20).unwrap();
    let one = RefCell::new(OneRead::new(Form::Mended));
    let routines: [(&str, &dyn Fn() -> u64); 3] = [
        ("varying", &|| varying_read(&clock, Form::Mended)),
        ("four", &|| four_read(&clock, Form::Mended)),
        ("latch", &|| latched_read(&clock)),
    ];
    for (name, routine) in routines {
        let (judged, wrong) = on_a_thread(&clock, CALLS, routine);
        assert!(judged > CALLS / 2, "{name}: {judged} of {CALLS} judged");
        assert_eq!(wrong, 0, "{name}: of {judged}");
    }
    // 1-Read has to be called in every low word; a call that came too late begins it anew.
    let (mut judged, mut wrong, mut last, mut offset) = (0, 0, None, 0);
    for _ in 0..CALLS {
        let before = clock.ticks();
        let got = one.borrow_mut().read(&clock);
        let after = clock.ticks();
        if last.is_none_or(|last| after - last >= clock.low_values() - 1) {
            one.replace(OneRead::new(Form::Mended));
            last = None;
            if after - before < clock.low_values() - 1 {
                let first = one.borrow_mut().read(&clock);
                let now = clock.ticks();
                // Where the low word did not wrap meanwhile, it says how many there were before.
                if before / clock.low_values() == now / clock.low_values() {
                    offset = now / clock.low_values() * clock.low_values();
                    last = Some(before);
                    assert!(offset + first <= now);
                }
            }
            continue;
        }
        judged += 1;
        wrong += u32::from(offset + got < before || offset + got > after);
        last = Some(before);
    }
    assert!(judged > CALLS / 4, "1-Read: {judged} of {CALLS} judged");
    assert_eq!(wrong, 0, "1-Read: of {judged}");
}

#[test]
fn law_the_latch_is_right_however_often_the_low_word_wraps() {
    // As fast as it can: the low word of two values wraps within a call or two.
    let clock = Ticked::start(1, 0).unwrap();
    let (mut moved, mut calls) = (0, 0_u64);
    // Where others have the processors, it may be long until both threads run at once.
    while calls < 300_000 || (moved < 1_000 && calls < 20_000_000 && several_processors()) {
        let before = clock.ticks();
        std::hint::spin_loop(); // else three loads find the line where the first did
        let got = latched_read(&clock);
        let after = clock.ticks();
        assert!((before..=after).contains(&got), "{got} from {before} to {after}");
        moved += u32::from(after > before);
        calls += 1;
    }
    assert!(moved >= 1_000 || !several_processors(), "it ticked in {moved} of {calls} calls");
}

#[test]
fn paper_as_printed_they_are_wrong_while_a_thread_ticks_the_clock_slowly() {
    // Ticks are longer than a call, as the paper advises: two references mostly share one.
    let clock = Ticked::start(2, 1_000).unwrap();
    let mut one = OneRead::new(Form::AsPrinted);
    let begun = clock.ticks();
    (0..1_000).for_each(|_| {
        one.read(&clock);
    });
    let (passed, said) = (clock.ticks() - begun, one.read(&clock));
    // Two calls of a thousand that share no tick would need a tick for each.
    assert!(passed >= 1_000 || said > passed + 2 * clock.low_values(), "{said} of {passed}");
    let mut wrong = 0;
    for _ in 0..1_000 {
        let about = AboutAWrap { clock: &clock, made: Cell::new(0), first: Cell::new(0) };
        let got = four_read(&about, Form::AsPrinted);
        wrong += u32::from(got < about.first.get());
        if wrong >= 3 {
            return;
        }
    }
    panic!("only {wrong} of 1,000 calls about a wrap were wrong");
}

/// A clock that a thread ticks, whose first reference is made in the last tick of a low word, and the second in the first of the next.
struct AboutAWrap<'a> {
    clock: &'a Ticked,
    made: Cell<u32>,
    /// All ticks just before the first reference.
    first: Cell<u64>,
}

impl AboutAWrap<'_> {
    fn wait(&self) {
        let made = self.made.replace(self.made.get() + 1);
        let wanted = match made {
            0 => self.clock.low_values() - 1,
            1 => 0,
            _ => return,
        };
        let mut ticks = self.clock.ticks();
        while ticks % self.clock.low_values() != wanted {
            std::thread::yield_now();
            ticks = self.clock.ticks();
        }
        if made == 0 {
            self.first.set(ticks);
        }
    }
}

impl TwoWords for AboutAWrap<'_> {
    fn high(&self) -> u32 {
        self.wait();
        self.clock.high()
    }

    fn low(&self) -> u32 {
        self.wait();
        self.clock.low()
    }

    fn low_values(&self) -> u64 {
        self.clock.low_values()
    }
}

#[test]
fn refuses_a_low_word_wider_than_32_bits_and_accepts_32() {
    assert!(Ticked::start(33, 1).is_err());
    let clock = Ticked::start(32, 1).unwrap();
    assert_eq!(clock.low_values(), 1 << 32);
    assert_eq!(clock.high(), 0);
}
