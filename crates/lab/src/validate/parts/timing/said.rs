//! The records in sentences.

use super::super::{grouped, processors, shown};
use super::Phase;
use super::record::{OfPeriod, Quantile, Record};
use crate::validate::found::{Found, Level, Sentence};
use crate::validate::options::Need;
use windfall_time::Span;

/// A period can be trusted if at least half of it is left.
const PART: u64 = 2;

/// Rounded down to what people say: tens of microseconds, or single ones below a hundred.
fn rounded(work: Span) -> Span {
    let unit = if work.as_nanos() >= 100_000 { 10_000 } else { 1_000 };
    Span::from_nanos(work.as_nanos() / unit * unit)
}

/// Nothing can be trusted that fails more often than once in so many periods.
const SURE: f64 = 1_000.0;

/// None of fewer lies beyond p99.
const FEW: u64 = 100;

/// How much of a period is left, and in all but one in how many.
struct Left {
    index: usize,
    quantile: Quantile,
}

/// Of these periods, with which the machine can be trusted, and with which not; `remedies` would help shorter ones.
pub(super) fn trust(found: &mut Found, loaded: &Phase, remedies: Vec<String>) {
    let count = loaded.records.first().map_or(0, |record| record.periods.len());
    let of = |index| Some(Left { index, quantile: Quantile::of(loaded.count(index))? });
    let all: Vec<Left> = (0..count).filter_map(of).collect();
    let sure: Vec<&Left> = all.iter().filter(|left| left.quantile.one_in() >= SURE).collect();
    let period = |left: &Left| loaded.records[0].periods[left.index].period;
    let of_it = |left: &Left| loaded.left(left.index, left.quantile);
    let is_enough =
        |left: &Left| of_it(left).as_nanos().saturating_mul(PART) >= period(left).as_nanos();
    let Some(trusted) = sure.iter().find(|left| is_enough(left)) else {
        let mut seldom = all.iter().filter(|left| left.quantile.one_in() < SURE);
        return none_trusted(
            found,
            loaded,
            sure.last().copied(),
            seldom.find(|left| is_enough(left)),
            remedies,
        );
    };
    let quantile = trusted.quantile.name();
    let text = format!(
        "Trust it with periods of {} and {} of work ({quantile} of {} periods on each processor, loaded)",
        shown(period(trusted)),
        shown(rounded(of_it(trusted))),
        grouped(loaded.count(trusted.index)),
    );
    let shorter = trusted.index.checked_sub(1).and_then(of);
    let rest = match &shorter {
        Some(left) => format!(", not with {}: {}.", shown(period(left)), reason(loaded, left)),
        None => "; shorter periods were not measured.".to_owned(),
    };
    let mut answer = Sentence::new(Level::Answer, text + &rest);
    if shorter.is_some() {
        answer.remedies = remedies;
    }
    found.sentences.push(answer);
}

/// `sure`: the longest period that was measured often enough; `seldom`: the shortest of the others of which half is left.
fn none_trusted(
    found: &mut Found,
    loaded: &Phase,
    sure: Option<&Left>,
    seldom: Option<&Left>,
    remedies: Vec<String>,
) {
    let period = |left: &Left| shown(loaded.records[0].periods[left.index].period);
    let not_with = sure.map(|left| {
        format!(
            "It cannot be trusted with periods of up to {}: {}.",
            period(left),
            reason(loaded, left)
        )
    });
    let perhaps = seldom.map(|left| {
        let work = shown(rounded(loaded.left(left.index, left.quantile)));
        let (quantile, count) = (left.quantile.name(), grouped(loaded.count(left.index)));
        format!("Of periods of {}, {work} are left at {quantile}, but only {count} were measured, too few to trust that: measure for longer.", period(left))
    });
    let said: Vec<String> = [not_with, perhaps].into_iter().flatten().collect();
    let text = if said.is_empty() {
        "Too few periods were measured to say what it can be trusted with: measure for longer."
            .to_owned()
    } else {
        said.join(" ")
    };
    let mut answer = Sentence::new(Level::Answer, text);
    answer.remedies = remedies;
    found.sentences.push(answer);
}

/// The time that is lost of a period where most is lost.
fn reason(loaded: &Phase, Left { index, quantile }: &Left) -> String {
    let (index, quantile) = (*index, *quantile);
    let lost = |record: &&Record| record.periods[index].lost.at(quantile);
    let Some(worst) = loaded.records.iter().max_by_key(lost) else { return String::new() };
    let (late, longest) = (worst.late.at(quantile), worst.longest.at(quantile));
    let (lost, period) = (lost(&worst), worst.periods[index].period);
    if lost > late.max(longest) {
        // Most bursts are of shorter periods, and do not show what this one met.
        let lost =
            if lost >= period { "all of it is".to_owned() } else { format!("{} are", shown(lost)) };
        return format!("{lost} lost at {} on processor {}", quantile.name(), worst.processor);
    }
    let (what, span) =
        if late >= longest { ("wake-ups", late) } else { ("interrupts or stolen time", longest) };
    let late_word = if late >= longest { " late" } else { "" };
    format!("{what} of {}{late_word} on processor {}", shown(span), worst.processor)
}

/// The verdict on each need.
pub(super) fn needs(found: &mut Found, loaded: &Phase) {
    let all =
        loaded.records.iter().flat_map(|record| record.periods.iter().flat_map(|of| &of.missed));
    let mut needs: Vec<_> = all.map(|(need, _)| *need).collect();
    needs.sort_unstable();
    needs.dedup();
    for need in needs {
        let index = loaded.records[0].periods.iter().position(|of| of.period == need.period);
        let Some(index) = index else { continue };
        let missed_on = |record: &Record| -> u64 {
            let of = &record.periods[index].missed;
            of.iter().find(|(other, _)| *other == need).map_or(0, |(_, missed)| *missed)
        };
        let missed: u64 = loaded.records.iter().map(missed_on).sum();
        let count: u64 =
            loaded.records.iter().map(|record| record.periods[index].lost.count()).sum();
        let least = least_work(loaded, index);
        let (work, period) = (shown(need.work), shown(need.period));
        if missed == 0 && loaded.count(index) == 0 {
            found.sentences.push(unmeasured(loaded, index, need));
            continue;
        }
        if missed == 0 {
            found.says(Level::Answer, format!("{work} of work in every {period} were there in all of {} periods, loaded; the least was {}.", grouped(count), shown(least)));
            continue;
        }
        let worst = loaded.records.iter().max_by_key(|record| missed_on(record));
        let (processor, most) =
            worst.map_or((0, 0), |record| (record.processor, missed_on(record)));
        let fits = Quantile::of(loaded.count(index)).map_or_else(String::new, |quantile| {
            match rounded(loaded.left(index, quantile)) {
                Span::ZERO => format!("; nothing fits at {}", quantile.name()),
                work => format!("; {} fit at {}", shown(work), quantile.name()),
            }
        });
        let text = format!(
            "{work} of work in every {period} were not there in {} of {} periods, loaded ({} of them on processor {processor}); the least was {}{fits}.",
            grouped(missed),
            grouped(count),
            grouped(most),
            shown(least)
        );
        let remedy = "ask for less work or a longer period, or keep interrupts and other work away from that processor";
        found.sentences.push(Sentence::new(Level::Fault, text).remedy(remedy));
    }
}

/// That a need's period did not come up on each processor, in the time that there was.
fn unmeasured(loaded: &Phase, index: usize, need: Need) -> Sentence {
    let is_without = |record: &&Record| record.periods[index].lost.count() == 0;
    let without: Vec<_> =
        loaded.records.iter().filter(is_without).map(|record| record.processor).collect();
    let (work, period) = (shown(need.work), shown(need.period));
    let text = format!(
        "Whether {work} of work in every {period} are there was not measured: no such period fitted into the time under load on {}.",
        processors(&without)
    );
    // A round has each period for twice the longest: burst and pause.
    let periods = &loaded.records[0].periods;
    let longest = periods.last().map_or(Span::ZERO, |of| of.period);
    let round = longest.saturating_mul(2 * periods.len() as u64);
    let remedy =
        format!("measure for longer: all periods come up within {} (`--for`)", shown(round));
    Sentence::new(Level::Fault, text).remedy(remedy)
}

/// Periods of which there are so few that their p99 is little more than the worst of them.
pub(super) fn few(found: &mut Found, loaded: &Phase) {
    let Some(first) = loaded.records.first() else { return };
    let of = |(index, of): (usize, &OfPeriod)| {
        let count = loaded.count(index);
        (count < FEW).then(|| format!("{} ({})", shown(of.period), grouped(count)))
    };
    let few: Vec<_> = first.periods.iter().enumerate().filter_map(of).collect();
    if !few.is_empty() {
        let text = format!(
            "Of fewer than {FEW} periods p99 is that of the worst; so few there were of {}. Measure for longer to know more of these.",
            few.join(", ")
        );
        found.says(Level::Fact, text);
    }
}

fn least_work(loaded: &Phase, index: usize) -> Span {
    let worst = |of: &OfPeriod| of.worst.map_or(Span::ZERO, |worst| worst.lost);
    let left = loaded.records.iter().map(|record| {
        let of = &record.periods[index];
        of.period.saturating_sub(worst(of))
    });
    left.min().unwrap_or(Span::ZERO)
}

/// Events that were not seen may still occur: of n observations, with 95 % confidence fewer than 3/n.
pub(super) fn unseen(found: &mut Found, loaded: &Phase) {
    let Some(records) = loaded.records.first() else { return };
    let index =
        records.periods.iter().position(|of| of.period == Span::from_millis(1)).unwrap_or(0);
    let count = loaded.count(index);
    let period = shown(records.periods[index].period);
    if count < 3 {
        return;
    }
    let worst = loaded
        .records
        .iter()
        .max_by_key(|record| record.periods[index].worst.map_or(Span::ZERO, |worst| worst.lost));
    let Some((processor, worst)) =
        worst.and_then(|record| Some((record.processor, record.periods[index].worst?)))
    else {
        return;
    };
    found.says(
        Level::Fact,
        format!(
            "The most that was lost of a period of {period} was {} (the thread woke {} late), on processor {processor}. Not seen is not never: more than that may come in fewer than 1 of {} periods (95 % sure).",
            shown(worst.lost), shown(worst.late), grouped(count / 3)
        ),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validate::machine::{Class, Core};
    use crate::validate::parts::timing::burst::Burst;
    use windfall_time::Instant;

    /// A processor on which nothing is taken but what passes until a thread wakes.
    struct Late {
        at: Instant,
        late: Span,
    }

    impl Core for Late {
        fn now(&mut self) -> Instant {
            self.at = self.at + Span::from_nanos(900);
            self.at
        }

        fn counter(&mut self) -> Instant {
            self.at
        }

        fn sleep_until(&mut self, at: Instant) {
            self.at = at + self.late;
        }

        fn compute(&mut self, rounds: u64) -> u64 {
            rounds
        }
    }

    /// 9,000 periods of 250 us and 1,000 of 5 ms, of which one in fifty begins so late.
    fn loaded(late: Span) -> Phase {
        let periods = [Span::from_nanos(250_000), Span::from_millis(5)];
        let mut record = Record::new(3, &periods, &[]);
        let mut core = Late { at: Instant::from_nanos(1), late: Span::ZERO };
        for number in 0..10_000 {
            let is_long = number % 10 == 0;
            let period = periods[usize::from(is_long)];
            core.late = if is_long && number % 500 == 0 { late } else { Span::from_nanos(2_000) };
            record.add(&Burst::run(&mut core, Span::ZERO, period), period);
        }
        Phase { records: vec![record], class: Class::RealTime }
    }

    #[test]
    fn law_remedies_are_those_of_what_is_amiss_and_none_where_nothing_is() {
        let said = |phase: &Phase, remedies: &[&str]| {
            let mut found = Found::default();
            trust(&mut found, phase, remedies.iter().map(|one| (*one).to_owned()).collect());
            found.sentences.remove(0)
        };
        let timers = ["timers: highres=on"];
        let periods = [Span::from_nanos(250_000), Span::from_millis(5)];
        let mut record = Record::new(0, &periods, &[]);
        let none = Phase { records: vec![Record::new(0, &periods, &[])], class: Class::RealTime };
        let mut core = Late { at: Instant::from_nanos(1), late: Span::from_nanos(200_000) };
        for _ in 0..10_000 {
            record.add(&Burst::run(&mut core, Span::ZERO, periods[1]), periods[1]);
        }
        // Of the shorter period too little is left; of none nothing is known.
        let longer = Phase { records: vec![record], class: Class::RealTime };
        for (phase, words) in [(longer, "periods of 5 ms"), (none, "measure for longer")] {
            let text = said(&phase, &timers);
            assert!(text.text.contains(words), "{}", text.text);
            assert_eq!(text.remedies, timers);
            assert_eq!(said(&phase, &[]).remedies, Vec::<String>::new());
        }
        // The shortest that is measured can be trusted: nothing is to be mended.
        assert_eq!(said(&loaded(Span::ZERO), &timers).remedies, Vec::<String>::new());
    }

    #[test]
    fn law_what_is_said_of_a_period_is_what_was_lost_of_it() {
        let of = |late, index| reason(&loaded(late), &Left { index, quantile: Quantile::P99 });
        let late = Span::from_millis(6);
        assert_eq!(of(late, 1), "all of it is lost at p99 on processor 3");
        let words = of(Span::from_millis(3), 1);
        assert!(
            words.starts_with("3.0") && words.ends_with(" ms are lost at p99 on processor 3"),
            "{words}"
        );
        let words = of(late, 0);
        assert!(
            words.starts_with("wake-ups of 2.") && words.ends_with(" late on processor 3"),
            "{words}"
        );
    }
}
