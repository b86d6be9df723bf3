//! Table 11.1: the time that drivers of disks take from a reservation. Only real devices do.

use super::UNSUPERVISED;
use crate::experiment::{Experiment, Trouble};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "table-11-1",
    also: &["figure-11-6"],
    title: "time stolen by disk drivers",
    source: "HLS 11.8.2, table 11.1, figure 11.6",
    question: "how much of a reservation of 4 ms in 20 ms do the drivers of this machine's disks take?",
    claim: "disks that transfer by DMA take about 1 %, those that transfer by programmed I/O up to half",
    hosts: &[],
    absent: UNSUPERVISED,
    run: |_| Err(Trouble::Run("there is nothing to run".to_owned())),
};
