//! Priorities as proportions: "an application running at the default priority (8) would receive eight times the amount of
//! processor time received by a thread running at the idle priority (1)" (HLS 9.3.3).
//!
//! A child's weight is its share times its priority over 8, so that a child of which nobody said anything is one at the default
//! priority. Children of equal shares receive processor time in proportion to their priorities.

use alloc::vec::Vec;
use windfall_guarantees::ChildParams;
use windfall_hierarchy::AnswerError;
use windfall_time::Ratio;

/// The priority of children that have none.
const DEFAULT: u8 = 8;
/// The highest of Windows' priorities is 31; a real-time priority p of Linux is 16 + p, up to 99.
const HIGHEST: u8 = 115;

/// A child's share and priority.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Proportion {
    share: u32,
    priority: u8,
}

impl Proportion {
    /// The proportion of children that have set nothing.
    pub(super) const DEFAULT: Proportion = Proportion { share: 1, priority: DEFAULT };

    /// # Errors
    /// When the weight is too large.
    pub(super) fn with_share(self, share: u32) -> Result<Proportion, AnswerError> {
        Proportion { share, ..self }.checked()
    }

    /// # Errors
    /// When there is no such priority, or the weight is too large.
    pub(super) fn with_priority(self, priority: i32) -> Result<Proportion, AnswerError> {
        let known = u8::try_from(priority).ok().filter(|known| (1..=HIGHEST).contains(known));
        let allowed = "1 to 115, of which 8 is the default";
        let priority = known.ok_or(AnswerError::OutOfRange { what: "priority", allowed })?;
        Proportion { priority, ..self }.checked()
    }

    fn checked(self) -> Result<Proportion, AnswerError> {
        let allowed = "a share times its priority over 8 below 2^29";
        let fits = u32::try_from(self.reduced().0).is_ok();
        if fits { Ok(self) } else { Err(AnswerError::OutOfRange { what: "share", allowed }) }
    }

    /// Whether it belongs to the background.
    pub(super) const fn is_zero(self) -> bool {
        self.share == 0
    }

    /// The weight, in eighths.
    pub(super) const fn eighths(self) -> u64 {
        self.share as u64 * self.priority as u64
    }

    /// The weight as a fraction in lowest terms; in the background, the weight among others there.
    fn reduced(self) -> (u64, u8) {
        let (weight, below) = (u64::from(self.share.max(1)) * u64::from(self.priority), DEFAULT);
        let twos = weight.trailing_zeros().min(below.trailing_zeros());
        (weight >> twos, below >> twos)
    }

    /// The weight: the first number over the second one.
    pub(super) fn weight(self) -> (u32, u8) {
        let (weight, times) = self.reduced();
        (u32::try_from(weight).expect("checked when it was set"), times)
    }
}

/// The children's parameters with the weights that follow from their priorities. A priority that is refused counts as the default.
pub(super) fn weighed(children: &[ChildParams]) -> Vec<ChildParams> {
    let mut children = children.to_vec();
    for child in &mut children {
        let requested = child.priority.map(|priority| Proportion::DEFAULT.with_priority(priority));
        let Some(Ok(Proportion { priority, .. })) = requested else { continue };
        let times = Ratio::new(i128::from(priority), i128::from(DEFAULT));
        if let Some(weight) = times.and_then(|times| child.weight.checked_mul(times)) {
            child.weight = weight;
        }
    }
    children
}
