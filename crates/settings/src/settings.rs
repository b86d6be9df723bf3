//! A declaration, what was written, and both together.

use crate::error::SettingError;
use crate::form::{Form, Value};
use alloc::borrow::ToOwned;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::ops::RangeInclusive;
use windfall_time::Span;

/// A setting, as a catalogue declares it.
pub struct Setting {
    /// Its name: lower case, words joined by `-`.
    pub name: &'static str,
    /// The form of its value.
    pub form: Form,
    /// The value when none is written, as text of that form; empty if there is none.
    pub default: &'static str,
    /// One line.
    pub help: &'static str,
}

impl Setting {
    /// One of this form.
    #[must_use]
    pub const fn new(
        name: &'static str,
        form: Form,
        default: &'static str,
        help: &'static str,
    ) -> Setting {
        Setting { name, form, default, help }
    }

    /// A whole number within these bounds.
    #[must_use]
    pub const fn integer(
        name: &'static str,
        bounds: RangeInclusive<i64>,
        default: &'static str,
        help: &'static str,
    ) -> Setting {
        Setting::new(name, Form::Integer(*bounds.start(), *bounds.end()), default, help)
    }

    /// One of the words of a table ([`words`]).
    #[must_use]
    pub const fn word(
        name: &'static str,
        words: &'static [&'static str],
        default: &'static str,
        help: &'static str,
    ) -> Setting {
        Setting::new(name, Form::Word(words), default, help)
    }
}

/// The words of a table that [`Chosen::word`] reads; of all its `N` lines. So a word is written once.
///
/// ```
/// use windfall_settings::{Setting, words};
///
/// const SPEEDS: &[(&str, u32)] = &[("slow", 1), ("fast", 10)];
/// static SPEED: Setting = Setting::word("speed", &words::<_, 2>(SPEEDS), "slow", "how fast it goes");
/// assert_eq!(SPEED.form.to_string(), "one of `slow`, `fast`");
/// ```
#[must_use]
pub const fn words<T: Copy, const N: usize>(
    table: &'static [(&'static str, T)],
) -> [&'static str; N] {
    assert!(table.len() == N, "all lines of the table");
    let mut all = [""; N];
    let mut line = 0;
    while line < N {
        all[line] = table[line].0;
        line += 1;
    }
    all
}

/// Settings as written: names and values, each name at most once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings<'a>(pub &'a [(&'a str, Value<'a>)]);

impl<'a> Settings<'a> {
    /// With what was declared.
    ///
    /// # Errors
    /// A setting that was not declared, or a value that its form does not allow.
    pub fn check(self, declared: &'static [Setting]) -> Result<Chosen<'a>, SettingError> {
        for (name, value) in self.0 {
            let Some(setting) = declared.iter().find(|setting| setting.name == *name) else {
                let names: Vec<&str> = declared.iter().map(|setting| setting.name).collect();
                let allowed = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
                let (name, allowed) = ((*name).to_owned().into(), allowed.into());
                return Err(SettingError { name, value: None, allowed });
            };
            if !setting.form.allows(*value) {
                let (value, allowed) = (Some(value.to_string()), setting.form.to_string().into());
                return Err(SettingError { name: setting.name.into(), value, allowed });
            }
        }
        Ok(Chosen { declared, written: self.0 })
    }
}

/// Settings with defaults filled in: the written value, or else the declared one. Each question is about a setting that
/// was declared with that form; any other is a defect of the caller, and panics.
#[derive(Clone, Copy)]
pub struct Chosen<'a> {
    declared: &'static [Setting],
    written: &'a [(&'a str, Value<'a>)],
}

impl<'a> Chosen<'a> {
    /// The value written, if any.
    #[must_use]
    pub fn written(&self, name: &str) -> Option<Value<'a>> {
        self.written.iter().find(|(other, _)| *other == name).map(|(_, value)| *value)
    }

    /// The value written, or else the default, if any.
    fn value(&self, name: &str) -> Option<Value<'a>> {
        let declared = self.declared.iter().find(|setting| setting.name == name);
        let declared = declared.expect("a setting that is asked for was declared");
        self.written(name).or_else(|| declared.form.parse(declared.default))
    }

    /// A length of time that may be absent.
    #[must_use]
    pub fn optional_span(&self, name: &str) -> Option<Span> {
        match self.value(name)? {
            Value::Span(span) => Some(span),
            _ => panic!("`{name}` was declared with another form"),
        }
    }

    /// A length of time.
    #[must_use]
    pub fn span(&self, name: &str) -> Span {
        self.optional_span(name).expect("a length of time was declared with a default")
    }

    /// A whole number that may be absent.
    #[must_use]
    pub fn optional_integer(&self, name: &str) -> Option<i64> {
        match self.value(name)? {
            Value::Integer(n) => Some(n),
            _ => panic!("`{name}` was declared with another form"),
        }
    }

    /// A whole number.
    #[must_use]
    pub fn integer(&self, name: &str) -> i64 {
        self.optional_integer(name).expect("a whole number was declared with a default")
    }

    /// `true` or `false`.
    #[must_use]
    pub fn bool(&self, name: &str) -> bool {
        match self.value(name) {
            Some(Value::Bool(answer)) => answer,
            _ => panic!("`{name}` was declared with another form, or no default"),
        }
    }

    /// A name.
    #[must_use]
    pub fn name(&self, name: &str) -> &'a str {
        match self.value(name) {
            Some(Value::Word(text)) => text,
            _ => panic!("`{name}` was declared with another form, or no default"),
        }
    }

    /// The meaning of the chosen word.
    #[must_use]
    pub fn word<T: Copy>(&self, name: &str, words: &[(&str, T)]) -> T {
        let Some(Value::Word(word)) = self.value(name) else {
            panic!("`{name}` was declared with another form, or no default")
        };
        let meant = words.iter().find(|(other, _)| *other == word);
        meant.expect("each word that was declared stands for something").1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DECLARED: &[Setting] = &[
        Setting {
            name: "late",
            form: Form::Word(&["complete", "abort"]),
            default: "abort",
            help: "",
        },
        Setting { name: "from", form: Form::Name, default: "messages", help: "" },
        Setting { name: "most", form: Form::Integer(1, 9), default: "", help: "" },
        Setting { name: "quantum", form: Form::Span, default: "10ms", help: "" },
        Setting { name: "warp", form: Form::Bool, default: "true", help: "" },
    ];

    fn refused(written: &[(&str, Value<'_>)]) -> Option<alloc::string::String> {
        Settings(written).check(DECLARED).err().map(|error| error.to_string())
    }

    #[test]
    fn law_what_is_not_written_is_as_declared() {
        let settings = Settings::default().check(DECLARED).unwrap();
        assert_eq!(settings.span("quantum"), Span::from_millis(10));
        assert_eq!(settings.optional_integer("most"), None);
        assert!(settings.bool("warp"));
        assert_eq!(settings.name("from"), "messages");
        assert_eq!(settings.word("late", &[("complete", 1), ("abort", 2)]), 2);
        let written = [("most", Value::Integer(9)), ("warp", Value::Bool(false))];
        let settings = Settings(&written).check(DECLARED).unwrap();
        assert_eq!((settings.integer("most"), settings.bool("warp")), (9, false));
        assert_eq!(settings.written("quantum"), None);
    }

    #[test]
    fn refuses_what_was_not_declared() {
        let unknown = refused(&[("qantum", Value::Integer(1))]).unwrap();
        assert_eq!(
            unknown,
            "setting `qantum` is unknown; allowed: late, from, most, quantum, warp"
        );
        let out = refused(&[("most", Value::Integer(10))]).unwrap();
        assert_eq!(out, "setting `most`: 10 is out of range; allowed: a whole number from 1 to 9");
        let word = refused(&[("late", Value::Word("odd"))]).unwrap();
        assert_eq!(
            word,
            "setting `late`: `odd` is out of range; allowed: one of `complete`, `abort`"
        );
        assert!(refused(&[("quantum", Value::Span(Span::ZERO))]).is_some());
        assert!(refused(&[("warp", Value::Integer(1))]).is_some());
        assert_eq!(refused(&[("most", Value::Integer(9))]), None);
        assert!(refused(&[("from", Value::Word(""))]).is_some());
        assert!(refused(&[("from", Value::Word("two words"))]).is_some());
        assert_eq!(refused(&[("from", Value::Word("node-1.queue_2"))]), None);
    }
}
