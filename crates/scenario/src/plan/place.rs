//! Where a thread begins when its scheduler is gone by then (HLS 4.3.9).

use windfall_hierarchy::{Hierarchy, Message, NodeId};

/// Where a thread begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place<'a> {
    /// The scheduler above it.
    pub parent: NodeId,
    /// What is asked for it there.
    pub messages: &'a [Message],
    /// What is to be said about it, when it is not the place that was planned.
    pub remark: Option<String>,
}

impl<'a> Place<'a> {
    /// The place that was planned for a thread of this name; if its scheduler is gone, the default, where
    /// nothing is asked for it.
    #[must_use]
    pub fn of(
        hierarchy: &Hierarchy,
        name: &str,
        parent: NodeId,
        messages: &'a [Message],
    ) -> Place<'a> {
        if hierarchy.name(parent).is_some() {
            return Place { parent, messages, remark: None };
        }
        let default = hierarchy.default_node().unwrap_or(parent);
        let to = hierarchy.name(default).unwrap_or("nobody");
        let remark = format!("`{name}` begins below the default `{to}`: its scheduler is gone");
        Place { parent: default, messages: &[], remark: Some(remark) }
    }
}
