//! What schedulers ask of their settings, against what the catalogue says of them: the default that holds, the bounds and the
//! words that are taken.

extern crate std;

use super::{Form, KINDS, Setting, Settings};
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cell::RefCell;
use core::fmt::Display;

/// What was asked for: what may be written, and what holds when nothing is. Words are what is written for each, first the default.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Requested {
    Form(Form, String),
    Words(Vec<&'static str>),
}

std::thread_local! {
    static ASKED: RefCell<BTreeMap<&'static str, Requested>> = const { RefCell::new(BTreeMap::new()) };
}

fn keep(name: &'static str, asked: Requested) {
    ASKED.with_borrow_mut(|all| {
        let known = all.entry(name).or_insert_with(|| asked.clone());
        assert_eq!(*known, asked, "`{name}` is asked for in two ways");
    });
}

pub(super) fn note(name: &'static str, form: Form, default: &dyn Display) {
    keep(name, Requested::Form(form, default.to_string()));
}

pub(super) fn note_words<T>(name: &'static str, words: &[(&'static str, T)]) {
    keep(name, Requested::Words(words.iter().map(|(word, _)| *word).collect()));
}

/// What the catalogue says, in the same form.
fn said(setting: &Setting) -> Requested {
    let default = setting.default.to_string();
    match setting.form {
        // No number is written as the 0 that its bounds exclude.
        form @ Form::Integer(1.., _) if default.is_empty() => {
            Requested::Form(form, "0".to_string())
        }
        Form::Word(words) => {
            let rest = words.iter().filter(|word| **word != setting.default);
            Requested::Words(core::iter::once(&setting.default).chain(rest).copied().collect())
        }
        form => Requested::Form(form, default),
    }
}

#[test]
fn law_the_catalogue_says_what_holds_when_nothing_is_written() {
    for kind in KINDS {
        ASKED.with_borrow_mut(BTreeMap::clear);
        let built = kind.build(&Settings(&[]));
        assert!(built.is_ok(), "{}", kind.name);
        let of_instance = ASKED.take();
        let converted = kind.conversion(&Settings(&[]));
        assert!(converted.is_ok(), "{}", kind.name);
        let of_promises = ASKED.take();
        let all = kind.settings.iter().map(|setting| (setting.name, said(setting)));
        assert_eq!(of_instance, all.collect(), "{}", kind.name);
        for (name, asked) in of_promises {
            assert_eq!(
                Some(&asked),
                of_instance.get(name),
                "{}: promises count on another",
                kind.name
            );
        }
    }
}
