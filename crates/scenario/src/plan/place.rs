//! The place where a thread begins: below its own scheduler; below the default, without parameters, if its own
//! no longer exists (HLS 4.3.9) or refuses it. No thread is lost while the default admits it.

use windfall_hierarchy::{Hierarchy, HierarchyError, Message, NodeId, ThreadId};
use windfall_time::Instant;

/// Where a thread has begun.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Place {
    /// The thread, which waits.
    pub thread: ThreadId,
    /// The scheduler above it.
    pub parent: NodeId,
    /// A note about it, when it is not the planned place.
    pub remark: Option<String>,
}

impl Place {
    /// Creates a thread of this name below `parent` with these parameters, else below the default.
    ///
    /// # Errors
    /// Why its own scheduler refuses it, when the default refuses it, too.
    pub fn take(
        hierarchy: &mut Hierarchy,
        now: Instant,
        name: &str,
        (parent, messages): (NodeId, &[Message]),
    ) -> Result<Place, HierarchyError> {
        let refusal = match hierarchy.create_thread(now, parent, messages) {
            Ok(thread) => return Ok(Place { thread, parent, remark: None }),
            Err(refusal) => refusal,
        };
        let default = hierarchy.default_node();
        let begun = default.and_then(|parent| {
            let thread = hierarchy.create_thread(now, parent, &[]).ok()?;
            Some((thread, parent))
        });
        let Some((thread, default)) = begun else { return Err(refusal) };
        let why = match hierarchy.name(parent) {
            Some(_) => refusal.to_string(),
            None => "its scheduler is gone".to_owned(),
        };
        let to = hierarchy.name(default).unwrap_or("nobody");
        let remark = format!("`{name}` begins below the default `{to}`: {why}");
        Ok(Place { thread, parent: default, remark: Some(remark) })
    }
}
