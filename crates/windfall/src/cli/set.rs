//! Values of a scenario that are set on the command line, which verbs share that read one.

use crate::candidates;
use clap::Args;
use clap_complete::ArgValueCandidates as Candidates;
use windfall_scenario::Override;

/// Values that are not the file's.
#[derive(Args, Clone, Default, Debug)]
pub(crate) struct SetArgs {
    /// Override a value of the file: of a scheduler, thread, lock or named program, as `audio.guarantee=RESBH 4ms 10ms`, or of the machine.
    /// A name may stand behind its part, as `threads.audio.start=1s`. Each value is set once. The file's answer and the reasons
    /// of its expectations are about its own values, and are left out.
    #[arg(long = "set", value_name = "NAME.KEY=VALUE", add = Candidates::new(candidates::file_values))]
    pub(crate) overrides: Vec<Override>,
}
