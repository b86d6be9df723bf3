//! Temporal queries of a host to an instance.

use crate::context::View;
use crate::error::HierarchyError;
use crate::host::Hierarchy;
use crate::id::NodeId;
use crate::node::Node;
use crate::temporal::{TemporalAnswer, TemporalQuery};
use windfall_time::Instant;

impl Hierarchy {
    /// Asks an instance what it could still admit. `None` if it admits no tasks.
    ///
    /// # Errors
    /// When the instance is gone, or time went back.
    pub fn temporal_query(
        &mut self,
        now: Instant,
        node: NodeId,
        query: TemporalQuery<'_>,
    ) -> Result<Option<TemporalAnswer>, HierarchyError> {
        self.begin(now)?;
        let node = self.node_index(node)?;
        let Node { scheduler, instance } = &mut self.nodes[node];
        Ok(scheduler.temporal_query(query, &View { state: &self.state, instance }))
    }
}
