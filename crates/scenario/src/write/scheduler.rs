//! Schedulers, as they are written.

use super::{requirements, value};
use crate::file::{Lax, ParentFile, Raw, Scalar, SchedulerFile, TextOr, WithRequirements};
use crate::model::{Attachment, Parent, Scheduler, Setting};
use toml::Value;

/// With the settings among the keys.
pub(super) fn scheduler(scheduler: &Scheduler) -> Value {
    let file =
        SchedulerFile { scheduler: Lax::good(scheduler.kind.clone()), ..SchedulerFile::default() };
    let file = match scheduler.owns.as_slice() {
        [first, rest @ ..] if rest.iter().all(|own| own == first) => {
            let count = u16::try_from(scheduler.owns.len())
                .expect("a scheduler that was checked has at most 1,024 virtual processors");
            let parent = Lax::good(parent_name(&first.parent).to_owned());
            let processors = (count != 1).then_some(Lax(Ok(count)));
            let own = SchedulerFile { parent, processors, ..file };
            WithRequirements { own, requirements: requirements(&first.requires) }
        }
        owns => {
            let own = SchedulerFile { parents: Some(owns.iter().map(parent).collect()), ..file };
            WithRequirements { own, ..WithRequirements::default() }
        }
    };
    let mut written = value(&file);
    if let Value::Table(table) = &mut written {
        for (name, setting) in &scheduler.settings {
            table.insert(name.clone(), value(&raw(setting)));
        }
    }
    written
}

/// A setting, as it is written.
pub(super) fn raw(setting: &Setting) -> Raw {
    match setting {
        Setting::Span(span) => span.write(),
        Setting::Integer(n) => Raw::Integer(*n),
        Setting::Bool(b) => Raw::Bool(*b),
        Setting::Word(word) => Raw::Text(word.clone()),
    }
}

pub(super) fn parent_name(parent: &Parent) -> &str {
    match parent {
        Parent::Nowhere => "nowhere", // cannot be read: no file begins so
        Parent::Top => "top",
        Parent::Scheduler(name) => name,
    }
}

fn parent(own: &Attachment) -> TextOr<WithRequirements<ParentFile>> {
    let name = parent_name(&own.parent).to_owned();
    if own.requires.is_empty() {
        return TextOr::Text(Raw::Text(name));
    }
    let requirements = requirements(&own.requires);
    TextOr::Table(WithRequirements { own: ParentFile { parent: Lax::good(name) }, requirements })
}
