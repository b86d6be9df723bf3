//! Requests that are tried on a copy first: queries, which change nothing, and transactions, which are carried out completely or not at all.
//!
//! Both rest on two properties: a hierarchy can be copied, and equal calls have equal effects.

use crate::host::Hierarchy;

impl Hierarchy {
    /// The answer that requests would have, and anything else that the copy they are made to shows. Changes nothing.
    pub fn query<T>(&self, requests: impl FnOnce(&mut Hierarchy) -> T) -> T {
        requests(&mut self.clone())
    }

    /// Carries out several requests, all or none. They are made to a copy first, and to this hierarchy if the copy refuses none, so
    /// `requests` must make the same calls each time.
    ///
    /// # Errors
    /// The error of the first request that is refused. Nothing has changed then.
    pub fn transaction<T, E>(
        &mut self,
        requests: impl Fn(&mut Hierarchy) -> Result<T, E>,
    ) -> Result<T, E> {
        self.query(&requests)?;
        requests(self)
    }
}
