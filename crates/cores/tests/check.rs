//! Checks on this machine's processors, with planted faults.

use windfall_cores::{
    Check, CheckError, Effect, Ended, Fault, Finding, Kind, PATTERNS, Report, Until, Verdict, Width,
};
use windfall_skips::{Needs, skip};
use windfall_time::Span;

const MEMORY: u64 = 256 << 10;

fn processors() -> Vec<u16> {
    windfall_cores::allowed().expect("the kernel says it")
}

fn checked(faults: Vec<Fault>) -> Report {
    let processors = processors();
    Check::on(&processors)
        .memory(MEMORY)
        .faults(faults)
        .run(Until::Rounds(9))
        .expect("it can be checked")
}

fn here() -> Vec<Kind> {
    Kind::ALL.into_iter().filter(|kind| kind.is_here()).collect()
}

#[test]
fn law_this_machine_is_found_sound_on_every_processor_by_every_kind() {
    let report = checked(Vec::new());
    assert_eq!((report.verdict(), report.findings()), (Verdict::Sound, vec![]));
    assert_eq!((report.rounds, report.block.bytes), (9, MEMORY));
    let numbers: Vec<u16> = report.processors.iter().map(|one| one.processor).collect();
    assert_eq!(numbers, processors());
    for one in &report.processors {
        let kinds: Vec<Kind> = one.kinds.iter().map(|kind| kind.kind).collect();
        assert_eq!(kinds, here());
        for kind in &one.kinds {
            let rounds = 9_u64.div_ceil(kind.kind.every());
            assert_eq!((kind.rounds, kind.wrong, kind.common), (rounds, 0, 0), "{}", kind.kind);
            assert!(!kind.time.is_zero(), "{}", kind.kind);
        }
    }
    let left_out: Vec<Kind> = Kind::ALL.into_iter().filter(|kind| !kind.is_here()).collect();
    assert_eq!(report.left_out, left_out);
    assert_eq!(report.is_voted(), numbers.len() > 1);
    assert!(report.votes.iter().all(|votes| votes.without == 0));
}

#[test]
fn law_a_planted_fault_is_named_by_processor_kind_and_round() {
    let wrong = *processors().last().unwrap();
    for kind in here() {
        let rounds = 2..=if kind == Kind::Memory { 2 } else { 4 };
        let of = rounds.end() - 1;
        let report = checked(vec![Fault::new(wrong, kind, rounds.clone(), Effect::Bits(1 << 20))]);
        assert_eq!(report.verdict(), Verdict::WrongProcessors);
        let findings = report.findings();
        let [Finding::Processor { processor, kind: found, wrong: count, outvoted, first, .. }] =
            &findings[..]
        else {
            panic!("{kind}: {findings:?}")
        };
        assert_eq!((*processor, *found, *count), (wrong, kind, of));
        assert_eq!(*first, rounds.collect::<Vec<u64>>());
        // Two processors have no majority when one is wrong; three have.
        assert_eq!(*outvoted, if processors().len() > 2 { of } else { 0 });
    }
}

#[test]
fn law_faults_of_several_processors_are_named_apart() {
    let processors = processors();
    let [.., one, other] = processors[..] else {
        skip(Needs::Other, "a second processor");
        return;
    };
    let report = checked(vec![
        Fault::new(one, Kind::Float, 1..=1, Effect::Bits(1)),
        Fault::new(other, Kind::Atomic, 5..=u64::MAX, Effect::Bits(1 << 63)),
    ]);
    let words: Vec<String> = report.findings().iter().map(ToString::to_string).collect();
    let starts = [
        format!("processor {one}: float work is wrong in 1 of 9 rounds (first: 1); the known"),
        format!("processor {other}: atomic work is wrong in 5 of 9 rounds (first: 5, 6, 7); the"),
    ];
    assert_eq!(words.len(), 2, "{words:?}");
    assert!(words.iter().zip(&starts).all(|(word, start)| word.starts_with(start)), "{words:?}");
}

#[test]
fn law_processors_that_are_wrong_alike_are_a_common_cause() {
    let processors = processors();
    if processors.len() < 2 {
        skip(Needs::Other, "a second processor");
        return;
    }
    let fault = |processor| Fault::new(processor, Kind::Integer, 4..=5, Effect::Bits(1 << 30));
    let report = checked(processors.iter().copied().map(fault).collect());
    assert_eq!(report.verdict(), Verdict::CommonCause);
    let findings = report.findings();
    let [Finding::CommonCause(common)] = &findings[..] else { panic!("{findings:?}") };
    assert_eq!((common.kind, common.rounds, common.first), (Kind::Integer, 2, 4));
    assert_eq!(common.processors, processors);
    assert_ne!(common.voted, common.known);
    assert!(findings[0].to_string().contains("differs from the known answer in 2 rounds"));
}

#[test]
fn law_work_that_panics_is_wrong_and_the_check_goes_on() {
    let first = processors()[0];
    let report = checked(vec![Fault::new(first, Kind::Float, 2..=2, Effect::Panic)]);
    let findings = report.findings();
    let [Finding::Processor { processor, kind, wrong, of, first: rounds, .. }] = &findings[..]
    else {
        panic!("{findings:?}")
    };
    assert_eq!((*processor, *kind, *wrong, *of), (first, Kind::Float, 1, 9));
    assert_eq!(rounds[..], [2]);
}

#[test]
fn law_one_processor_alone_is_checked_by_the_known_answer() {
    let first = processors()[0];
    let fault = Fault::new(first, Kind::Vector(Width::Least), 1..=1, Effect::Bits(1));
    let check = Check::on(&[first]).memory(MEMORY).faults(vec![fault]);
    let report = check.run(Until::Rounds(1)).unwrap();
    assert_eq!((report.verdict(), report.is_voted()), (Verdict::WrongProcessors, false));
    let words = report.findings()[0].to_string();
    assert!(words.ends_with("the known answer names it; there was no majority"), "{words}");
}

#[test]
fn law_one_of_many_is_named_by_the_vote_as_well_on_a_simulated_machine() {
    let all: Vec<u16> = (0..70).collect();
    let kinds = [Kind::Integer, Kind::Shared];
    let faults = vec![
        Fault::new(3, Kind::Integer, 1..=2, Effect::Bits(1 << 5)),
        Fault::new(69, Kind::Shared, 2..=2, Effect::Bits(1)),
    ];
    let check = Check::on(&all).kinds(&kinds).faults(faults).anywhere();
    let report = check.run(Until::Rounds(2)).unwrap();
    let words: Vec<String> = report.findings().iter().map(ToString::to_string).collect();
    assert_eq!(
        words,
        [
            "processor 3: integer work is wrong in 2 of 2 rounds (first: 1, 2); the known answer and the vote name it",
            "processor 69: shared work is wrong in 1 of 2 rounds (first: 2); the known answer and the vote name it",
        ]
    );
    assert_eq!((report.verdict(), report.absent.len()), (Verdict::WrongProcessors, 0));
}

#[test]
fn law_a_majority_of_three_that_is_wrong_alike_does_not_accuse_the_third() {
    let fault = |processor| Fault::new(processor, Kind::Float, 1..=1, Effect::Bits(1 << 9));
    let check = Check::on(&[0, 1, 2]).kinds(&[Kind::Float]).faults(vec![fault(0), fault(2)]);
    let report = check.anywhere().run(Until::Rounds(1)).unwrap();
    assert_eq!(report.verdict(), Verdict::CommonCause);
    let findings = report.findings();
    let [Finding::CommonCause(common)] = &findings[..] else { panic!("{findings:?}") };
    assert_eq!(common.processors, [0, 2]);
}

#[test]
fn law_a_check_by_time_ends_with_a_whole_batch() {
    let kinds = [Kind::Integer, Kind::Shared];
    let check = Check::on(&processors()).kinds(&kinds);
    let report = check.run(Until::Passed(Span::from_millis(50))).unwrap();
    assert!(report.rounds >= 8 && report.rounds.is_multiple_of(PATTERNS as u64));
    assert_eq!((report.verdict(), report.block.bytes), (Verdict::Sound, 0));
    let least = check.run(Until::Passed(Span::ZERO)).unwrap();
    assert_eq!(least.rounds, PATTERNS as u64);
}

#[test]
fn accepts_fewer_processors_than_wanted_and_names_those_that_are_missing() {
    let mut wanted = processors();
    wanted.push(1_023);
    let check = Check::on(&wanted).kinds(&[Kind::Integer]);
    let report = check.run(Until::Rounds(1)).unwrap();
    assert_eq!(report.processors.len(), wanted.len() - 1);
    assert_eq!((report.absent.len(), report.absent[0].processor), (1, 1_023));
    assert!(report.absent[0].why.contains("offline, or not among those that this process may"));
}

#[test]
fn refuses_what_cannot_be_checked_and_says_what_can() {
    let first = processors()[0];
    let fault = |kind, rounds, bits| Fault::new(first, kind, rounds, Effect::Bits(bits));
    let with = |fault| Check::on(&[first]).memory(MEMORY).faults(vec![fault]);
    #[expect(clippy::reversed_empty_ranges, reason = "that is what is refused")]
    let reversed = 3..=2;
    let cases = [
        (Check::on(&[]), "no processor to check; `allowed()` says"),
        (Check::on(&[first, first]), "twice; each is checked once"),
        (Check::on(&[first]).kinds(&[]), "no kind of work; allowed: integer, float, vector"),
        (Check::on(&[first]).memory(4_095), "a block of 4095 bytes; allowed: 4096 or more"),
        (Check::on(&[first]).memory(u64::MAX), "no memory for a block of 18446744073709551"),
        (Check::on(&[1_022, 1_023]), "no processor can be checked; processor 1022: no thread"),
        (with(fault(Kind::Integer, 1..=1, 0)), "bits that such work can see"),
        (with(fault(Kind::Float, 1..=1, 1 << 52)), "floating point has 52"),
        (with(fault(Kind::Integer, reversed, 1)), "rounds from 1"),
        (with(fault(Kind::Integer, 0..=2, 1)), "rounds from 1"),
        (with(Fault::new(1_023, Kind::Integer, 1..=1, Effect::Panic)), "a processor and a kind"),
        (Check::on(&[first]).silent(&[1_023]), "processor 1023 does not answer; allowed"),
    ];
    for (check, words) in cases {
        let error = check.run(Until::Rounds(1)).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    let none = Check::on(&[first]).run(Until::Rounds(0));
    assert_eq!(none, Err(CheckError::NoRounds));
    let accepted = with(fault(Kind::Float, 1..=1, 1 << 51)).kinds(&[Kind::Float]);
    let report = accepted.run(Until::Rounds(1)).unwrap();
    assert_eq!(report.verdict(), Verdict::WrongProcessors);
}

#[test]
fn law_a_processor_that_hangs_is_named_and_the_others_go_on() {
    let check = |on: &[u16], faults| {
        let check = Check::on(on).kinds(&[Kind::Integer, Kind::Float]).faults(faults);
        check.deadline(Span::from_secs(2)).anywhere().run(Until::Rounds(17)).unwrap()
    };
    let hang = Fault::new(1, Kind::Float, 11..=11, Effect::Hang);
    let report = check(&[0, 1, 2], vec![hang.clone()]);
    assert_eq!(report.verdict(), Verdict::NoAnswer);
    let [Finding::Ended { processor: 1, why }] = &report.findings()[..] else {
        panic!("{:?}", report.findings())
    };
    let Ended::NoAnswer(found) = why else { panic!("{why}") };
    assert_eq!((found.work, found.waited), (Some((Kind::Float, 11)), Span::from_secs(2)));
    assert!(found.ran.unwrap() < Span::from_secs(1));
    let words = report.findings()[0].to_string();
    let start = "processor 1 does not answer: within 2s round 11 of float work did not end, and its thread ran for only ";
    assert!(words.starts_with(start), "{words}");
    // What it did in whole batches counts, and the others went on to vote.
    let rounds = |processor: usize| report.processors[processor].kinds[1].rounds;
    assert_eq!([rounds(0), rounds(1), rounds(2)], [17, 8, 17]);
    assert!(report.votes.iter().all(|votes| (votes.voted, votes.without) == (17, 0)));
    // A wrong processor beside it is named, too, and a check ends when nobody is left.
    let wrong = Fault::new(0, Kind::Integer, 17..=17, Effect::Bits(1));
    let report = check(&[0, 1], vec![hang.clone(), wrong]);
    assert_eq!((report.verdict(), report.findings().len()), (Verdict::WrongProcessors, 2));
    let report = check(&[1], vec![hang]);
    assert_eq!((report.verdict(), report.rounds), (Verdict::NoAnswer, 16));
}

#[test]
fn law_a_processor_that_does_not_answer_is_named_and_the_others_are_checked() {
    let check = Check::on(&[4, 7, 9]).kinds(&[Kind::Integer]).deadline(Span::from_secs(1));
    let check = check.anywhere();
    assert_eq!(check.absent(), Ok(Vec::new()));
    let silent = check.clone().silent(&[7]);
    let absent = silent.absent().unwrap();
    assert_eq!((absent.len(), absent[0].processor), (1, 7));
    let why = "it does not answer: a thread did not get there within 1s";
    assert_eq!(absent[0].why, why);
    let report = silent.run(Until::Rounds(1)).unwrap();
    assert_eq!((report.processors.len(), &report.absent), (2, &absent));
    let none = check.silent(&[4, 7, 9]).run(Until::Rounds(1)).unwrap_err().to_string();
    assert_eq!(none.matches(why).count(), 3, "{none}");
    // All processors of this machine do.
    assert_eq!(Check::on(&processors()).absent(), Ok(Vec::new()));
}

#[test]
fn accepts_a_batch_far_below_its_deadline() {
    // A fifth of what follows from its steps, on a machine that others load as well.
    let check = Check::on(&processors()).memory(MEMORY).deadline(Span::from_secs(2));
    assert_eq!(check.run(Until::Rounds(1)).unwrap().verdict(), Verdict::Sound);
}
