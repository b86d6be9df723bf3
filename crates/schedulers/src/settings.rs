//! The settings of a kind as a type, as a table for the catalogue, and read by name: all three from one declaration (decision 0027).

use crate::catalogue::{Chosen, Form, Kind, SettingError, Settings, Value};
use alloc::boxed::Box;
use alloc::vec::Vec;
use windfall_guarantees::Conversion;
use windfall_hierarchy::Scheduler;
use windfall_time::Span;

/// A kind as a type: its settings as fields. It begins with [`default`](Default::default), which has what the catalogue says;
/// methods called after the fields set them.
///
/// ```
/// use windfall_schedulers::share::WeightedRoundRobin;
/// use windfall_schedulers::KindSettings;
/// use windfall_time::Span;
///
/// let turns = WeightedRoundRobin::default().quantum(Span::from_millis(5));
/// assert!(turns.build().is_ok());
/// let refused = turns.quantum(Span::ZERO).build().err().map(|why| why.to_string());
/// let why = "setting `quantum`: 0s is out of range; allowed: a length of time above zero in `ns`, `us`, `ms`, `s`, `min` or `h`, as `10ms`";
/// assert_eq!(refused.as_deref(), Some(why));
/// ```
pub trait KindSettings: Default + 'static {
    /// The kind, as the catalogue has it.
    const KIND: &'static Kind;

    /// All settings by name, but those that are `None`.
    fn by_name(&self) -> Vec<(&'static str, Value<'static>)>;

    /// Builds an instance.
    ///
    /// # Errors
    /// A setting that is out of range, or does not go with the others.
    fn build(&self) -> Result<Box<dyn Scheduler>, SettingError> {
        Self::KIND.build(&Settings(&self.by_name()))
    }

    /// The conversion from an instance's guarantees to its children's.
    ///
    /// # Errors
    /// As for [`build`](Self::build).
    fn conversion(&self) -> Result<Box<dyn Conversion>, SettingError> {
        Self::KIND.conversion(&Settings(&self.by_name()))
    }
}

/// A kind and its settings: a [`Kind`] with those that hold by default, or a kind as a type ([`KindSettings`]) with any.
///
/// ```
/// use windfall_schedulers::reservation::Rez;
/// use windfall_schedulers::{OfKind, kinds};
///
/// assert!(kinds::REZ.set().is_empty());
/// let most = Rez::default().admission(900);
/// assert_eq!((most.name(), most.set().len()), ("rez", 1));
/// ```
pub trait OfKind {
    /// The name of the kind.
    fn name(&self) -> &'static str;

    /// The settings that differ from the default, by name.
    fn set(&self) -> Vec<(&'static str, Value<'static>)>;
}

impl OfKind for &Kind {
    fn name(&self) -> &'static str {
        self.name
    }

    fn set(&self) -> Vec<(&'static str, Value<'static>)> {
        Vec::new()
    }
}

impl<K: KindSettings> OfKind for K {
    fn name(&self) -> &'static str {
        K::KIND.name
    }

    fn set(&self) -> Vec<(&'static str, Value<'static>)> {
        let usual = K::default().by_name();
        self.by_name().into_iter().filter(|setting| !usual.contains(setting)).collect()
    }
}

/// A type that a setting may have.
pub(crate) trait Field: Sized {
    /// The form of a value, unless the setting has bounds of its own.
    const FORM: Form;

    /// The chosen value. The setting was declared with this type.
    fn read(settings: &Chosen<'_>, name: &str) -> Self;

    /// The value as written, if there is one.
    fn written(&self) -> Option<Value<'static>>;
}

impl Field for Span {
    const FORM: Form = Form::Span;

    fn read(settings: &Chosen<'_>, name: &str) -> Span {
        settings.span(name)
    }

    fn written(&self) -> Option<Value<'static>> {
        Some(Value::Span(*self))
    }
}

impl Field for Option<Span> {
    const FORM: Form = Form::Span;

    fn read(settings: &Chosen<'_>, name: &str) -> Option<Span> {
        settings.optional_span(name)
    }

    fn written(&self) -> Option<Value<'static>> {
        self.map(Value::Span)
    }
}

impl Field for bool {
    const FORM: Form = Form::Bool;

    fn read(settings: &Chosen<'_>, name: &str) -> bool {
        settings.bool(name)
    }

    fn written(&self) -> Option<Value<'static>> {
        Some(Value::Bool(*self))
    }
}

macro_rules! whole {
    ($($type:ty: $most:expr),+) => {$(
        impl Field for $type {
            const FORM: Form = Form::Integer(0, $most);

            fn read(settings: &Chosen<'_>, name: &str) -> $type {
                settings.integer(name).try_into().expect("its setting has bounds")
            }

            fn written(&self) -> Option<Value<'static>> {
                Some(Value::Integer((*self).into()))
            }
        }
    )+};
}

whole!(u8: u8::MAX as i64, u16: u16::MAX as i64, u32: u32::MAX as i64, i64: i64::MAX);

impl Field for Option<u32> {
    const FORM: Form = Form::Integer(0, u32::MAX as i64);

    fn read(settings: &Chosen<'_>, name: &str) -> Option<u32> {
        let number = settings.optional_integer(name)?;
        Some(number.try_into().expect("its setting has bounds"))
    }

    fn written(&self) -> Option<Value<'static>> {
        self.map(|number| Value::Integer(number.into()))
    }
}

/// The name of a field with `-` between its words, as that of a setting.
pub(crate) const fn hyphenated<const N: usize>(field: &str) -> [u8; N] {
    let (mut name, mut at) = ([0; N], 0);
    while at < N {
        name[at] = if field.as_bytes()[at] == b'_' { b'-' } else { field.as_bytes()[at] };
        at += 1;
    }
    name
}

/// The name of the setting that a field is.
macro_rules! setting_name {
    ($field:ident) => {
        const {
            const NAME: [u8; stringify!($field).len()] =
                $crate::settings::hyphenated(stringify!($field));
            match core::str::from_utf8(&NAME) {
                Ok(name) => name,
                Err(_) => unreachable!(),
            }
        }
    };
}

/// One setting: its name, type, default and bounds, with its help as documentation.
macro_rules! setting {
    ($($help:literal)+, $field:ident, $type:ty, [$($default:literal)?], []) => {
        setting!($($help)+, $field, $type, [$($default)?], <$type as $crate::settings::Field>::FORM)
    };
    ($($help:literal)+, $field:ident, $type:ty, [$($default:literal)?], [$bounds:expr]) => {
        setting!($($help)+, $field, $type, [$($default)?], {
            const BOUNDS: core::ops::RangeInclusive<i64> = $bounds;
            windfall_settings::Form::Integer(*BOUNDS.start(), *BOUNDS.end())
        })
    };
    ($($help:literal)+, $field:ident, $type:ty, [$($default:literal)?], $form:expr) => {
        windfall_settings::Setting {
            name: setting_name!($field),
            form: $form,
            default: concat!($($default)?),
            help: concat!($($help),+).trim_ascii_start(),
        }
    };
}

/// The source code of a kind's file, if the catalogue is to print it; else empty.
macro_rules! source {
    ($file:literal) => {
        if cfg!(feature = "sources") { include_str!($file) } else { "" }
    };
}

/// The settings of a kind, in alphabetical order, by the file whose head documents it: `boost: u8 = "2" in 0..=14,` with a line of
/// help, or `affinity: Affinity as AFFINITY,` for one that is [`shared!`].
macro_rules! settings {
    ($name:ident, $file:literal:
        $($(#[doc = $help:literal])* $field:ident: $type:ty $(as $shared:ident)? $(= $default:literal $(in $bounds:expr)?)?,)*
    ) => {
        #[doc = include_str!(concat!(env!("OUT_DIR"), "/", $file, ".md"))]
        #[derive(Clone, PartialEq, Eq, Debug)]
        #[non_exhaustive]
        pub struct $name {
            $($(#[doc = $help])* $(#[doc = $shared!()])? pub $field: $type,)*
        }

        impl $name {
            /// A kind with these settings.
            pub(crate) const fn kind(
                name: &'static str,
                summary: &'static str,
                build: $crate::catalogue::Build,
            ) -> $crate::catalogue::Kind {
                const SETTINGS: &[windfall_settings::Setting] =
                    &[$(settings!(@row [$($shared)?] $($help)*, $field, $type, [$($default)?], [$($($bounds)?)?])),*];
                let kind = $crate::catalogue::Kind::new(name, summary, build);
                $crate::catalogue::Kind { source: source!($file), settings: SETTINGS, ..kind }
            }

            #[allow(unused_variables, reason = "a kind may have no settings")]
            pub(crate) fn read(settings: &windfall_settings::Chosen<'_>) -> $name {
                $name { $($field: $crate::settings::Field::read(settings, setting_name!($field)),)* }
            }

            $(
                $(#[doc = $help])* $(#[doc = $shared!()])?
                #[must_use]
                pub fn $field(self, $field: $type) -> $name {
                    $name { $field, ..self }
                }
            )*
        }

        impl Default for $name {
            fn default() -> $name {
                match windfall_settings::Settings(&[]).check(KIND.settings) {
                    Ok(settings) => $name::read(&settings),
                    Err(_) => unreachable!("nothing was written"),
                }
            }
        }

        impl $crate::settings::KindSettings for $name {
            const KIND: &'static $crate::catalogue::Kind = &KIND;

            fn by_name(&self) -> alloc::vec::Vec<(&'static str, windfall_settings::Value<'static>)> {
                let all: &[(&'static str, Option<windfall_settings::Value<'static>>)] =
                    &[$((setting_name!($field), $crate::settings::Field::written(&self.$field))),*];
                all.iter().filter_map(|(name, value)| Some((*name, (*value)?))).collect()
            }
        }
    };
    (@row [$shared:ident] , $($own:tt)*) => { $shared };
    (@row [] $($own:tt)*) => { setting!($($own)*) };
}

/// An enum of the words of a setting.
macro_rules! words {
    ($(#[$about:meta])* pub enum $name:ident {
        $($(#[$of:meta])* $variant:ident = $word:literal,)+
    }) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$of])* $variant,)+
        }

        impl $crate::settings::Field for $name {
            const FORM: windfall_settings::Form = windfall_settings::Form::Word(&[$($word),+]);

            fn read(settings: &windfall_settings::Chosen<'_>, name: &str) -> $name {
                settings.word(name, &[$(($word, $name::$variant)),+])
            }

            fn written(&self) -> Option<windfall_settings::Value<'static>> {
                Some(windfall_settings::Value::Word(match self {
                    $($name::$variant => $word,)+
                }))
            }
        }
    };
}

/// A setting that several kinds have. Its help is also the macro of its name, for documentation.
macro_rules! shared {
    ($($(#[doc = $help:literal])+ $name:ident = $field:ident: $type:ty $(= $default:literal $(in $bounds:expr)?)?;)+) => {$(
        pub(crate) const $name: windfall_settings::Setting =
            setting!($($help)+, $field, $type, [$($default)?], [$($($bounds)?)?]);

        macro_rules! $name {
            () => { concat!($($help),+) };
        }
    )+};
}

#[macro_use]
pub(crate) mod shared;
