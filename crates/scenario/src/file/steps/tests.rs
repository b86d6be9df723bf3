//! Each step is read as it was written.

use super::*;
use crate::Catalogues;
use crate::source::Origin;
use windfall_programs::Work;

/// Steps that use each key.
fn tables() -> Vec<Step> {
    let name = || "a".to_owned();
    let (work, span) = (Work::Fixed(Span::from_millis(2)), Span::from_millis(1));
    let timer = |tick| Step::Timer { timer: name(), period: span, tick };
    let reserve = OwnRequest::reserve(span, span).at(name());
    let guarantee = OwnRequest::guarantee("PS 1/2".parse().unwrap());
    let requests = [
        reserve,
        guarantee,
        OwnRequest::Share(2),
        OwnRequest::Priority(-2),
        OwnRequest::Move(name()),
    ];
    let steps = [
        Step::Run(work),
        Step::Visit { station: name(), times: 3 },
        Step::RunVisiting { work, station: name(), every: span },
        Step::Sleep(span),
        timer(Tick::Absolute),
        timer(Tick::Relative),
        Step::Lock(name()),
        Step::Unlock(name()),
        Step::Wait { condition: name(), lock: name() },
        Step::Signal(name()),
        Step::Broadcast(name()),
        Step::Barrier(name()),
        Step::Resume(name()),
    ];
    steps.into_iter().chain(requests.map(Step::OwnRequest)).collect()
}

#[test]
fn law_each_step_is_read_as_it_was_written_and_each_key_is_of_some_step() {
    let (origin, kinds) = (Origin::default(), Catalogues::default());
    let mut unused = forms(&StepFile::default()).0.map(|form| form.key).to_vec();
    for step in WORDS.into_iter().map(|(_, step)| step).chain(tables()) {
        let mut reader = Reader::new(&origin, &kinds.schedulers, &kinds.programs);
        let file = StepFile::of(&step);
        if let TextOr::Table(file) = &file {
            let given = forms(file).0.into_iter().filter(|form| form.given);
            let given: Vec<&str> = given.map(|form| form.key).collect();
            unused.retain(|key| !given.contains(key));
        }
        let read = StepFile::read(file, &Path::of(&["steps"]), &mut reader);
        assert_eq!(read, Some(step), "{:?}", reader.mistakes);
    }
    assert!(unused.is_empty(), "{unused:?}");
}
