//! One replica of a sum, as a process, by Zenoh.

use std::process::ExitCode;
use windfall_remote::program::{self, Choice};

fn main() -> ExitCode {
    let places = "tcp/ADDRESS,tcp/ADDRESS,...";
    program::main(&[Choice { name: "zenoh", places, open: windfall_zenoh::by_name }])
}
