//! One replica of a sum, as a process, by UDP or shared memory. `replica clean` removes what killed replicas left in shared memory.

use std::process::ExitCode;
use windfall_remote::program;

fn main() -> ExitCode {
    #[cfg(feature = "iceoryx2")]
    {
        if std::env::args().nth(1).as_deref() == Some("clean") {
            let killed = windfall_remote::shared_memory::clean();
            let said = killed.map(|killed| println!("removed what {killed} killed replicas left"));
            return program::exit(said.map(|()| true).map_err(Into::into));
        }
        program::main(&[program::UDP, program::ICEORYX2])
    }
    #[cfg(not(feature = "iceoryx2"))]
    program::main(&[program::UDP])
}
