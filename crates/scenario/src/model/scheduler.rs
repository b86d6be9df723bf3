//! Schedulers, where they are attached, and their requirements there.

use super::requirements::Requirements;
use windfall_guarantees::Guarantee;
use windfall_schedulers::OfKind;
use windfall_schedulers::catalogue::Value;
use windfall_time::Span;

/// A scheduler instance.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Scheduler {
    /// Its name; no other scheduler and no thread has it.
    pub name: String,
    /// Its kind, as the scenario's catalogue calls it.
    pub kind: String,
    /// Its settings, in alphabetical order.
    pub settings: Vec<(String, Setting)>,
    /// Its own virtual processors in order; at least one.
    pub owns: Vec<Attachment>,
}

/// The value of a setting, as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Setting {
    /// A length of time.
    Span(Span),
    /// A whole number.
    Integer(i64),
    /// `true` or `false`.
    Bool(bool),
    /// A word.
    Word(String),
}

impl Setting {
    /// The value in the form that a catalogue's kinds read.
    #[must_use]
    pub fn value(&self) -> Value<'_> {
        match self {
            &Setting::Span(span) => Value::Span(span),
            &Setting::Integer(n) => Value::Integer(n),
            &Setting::Bool(b) => Value::Bool(b),
            Setting::Word(word) => Value::Word(word),
        }
    }

    /// The setting for a value of a kind's settings type.
    fn of(value: Value<'_>) -> Setting {
        match value {
            Value::Span(span) => Setting::Span(span),
            Value::Integer(n) => Setting::Integer(n),
            Value::Bool(b) => Setting::Bool(b),
            Value::Word(word) => Setting::Word(word.to_owned()),
            other => Setting::Word(other.to_string()),
        }
    }

    /// All settings in the form that a catalogue's kinds read.
    #[must_use]
    pub fn values(settings: &[(String, Setting)]) -> Vec<(&str, Value<'_>)> {
        settings.iter().map(|(name, setting)| (name.as_str(), setting.value())).collect()
    }
}

/// One virtual processor: where it is registered and its requirements there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attachment {
    /// Where.
    pub parent: Parent,
    /// The requirements.
    pub requires: Requirements,
}

impl Attachment {
    /// The guarantee it has if its request is granted: a whole processor, if it asks for none at the
    /// top.
    pub(crate) fn held(&self) -> Option<Guarantee> {
        let whole = (self.parent == Parent::Top).then_some(Guarantee::All);
        self.requires.guarantee.or(whole)
    }
}

/// Where a virtual processor is registered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Parent {
    /// At the top: a processor of its own.
    Top,
    /// At the scheduler of that name.
    Scheduler(String),
    /// Nowhere: a request has taken its parent away. A file cannot express this.
    Nowhere,
}

impl Parent {
    /// The scheduler's name; `None` is the top, or nowhere.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Parent::Top | Parent::Nowhere => None,
            Parent::Scheduler(name) => Some(name),
        }
    }
}

impl Scheduler {
    /// An instance of a kind, with default settings or of a type that has them, at the top with one processor.
    ///
    /// ```
    /// use windfall_scenario::model::Scheduler;
    /// use windfall_schedulers::kinds;
    /// use windfall_schedulers::time_sharing::RoundRobin;
    /// use windfall_time::Span;
    ///
    /// let quick = Scheduler::root("turns", RoundRobin::default().quantum(Span::from_millis(2)));
    /// assert_eq!(quick.settings[0].0, "quantum");
    /// assert!(Scheduler::root("turns", kinds::ROUND_ROBIN).settings.is_empty());
    /// ```
    #[must_use]
    pub fn root(name: &str, kind: impl OfKind) -> Scheduler {
        let set = kind.set().into_iter();
        Scheduler {
            name: name.to_owned(),
            kind: kind.name().to_owned(),
            settings: set.map(|(name, value)| (name.to_owned(), Setting::of(value))).collect(),
            owns: vec![Attachment { parent: Parent::Top, requires: Requirements::default() }],
        }
    }

    /// The same below another instance.
    #[must_use]
    pub fn below(name: &str, kind: impl OfKind, parent: &str, requires: Requirements) -> Scheduler {
        Scheduler {
            owns: vec![Attachment { parent: Parent::Scheduler(parent.to_owned()), requires }],
            ..Scheduler::root(name, kind)
        }
    }

    /// With this setting, replacing an earlier one of the name.
    #[must_use]
    pub fn with(mut self, name: &str, value: Setting) -> Scheduler {
        self.settings.retain(|(other, _)| other != name);
        self.settings.push((name.to_owned(), value));
        self.settings.sort_by(|(a, _), (b, _)| a.cmp(b));
        self
    }

    /// With the last own virtual processor `n` times in all; at least once.
    #[must_use]
    pub fn processors(mut self, n: usize) -> Scheduler {
        if let Some(last) = self.owns.pop() {
            self.owns.extend(std::iter::repeat_n(last, n.max(1)));
        }
        self
    }

    /// With one more own virtual processor.
    #[must_use]
    pub fn and_below(mut self, parent: &str, requires: Requirements) -> Scheduler {
        let parent = Parent::Scheduler(parent.to_owned());
        self.owns.push(Attachment { parent, requires });
        self
    }
}
