//! A sum that three replicas compute, of which one computes wrongly for a while, then panics, and comes back with the state that the others vote.

use windfall_nmr::redundant::{Redundant, Remedy};
use windfall_nmr::{Majority, ReplicaNumber, Settings};

const LAST: u64 = 200_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Threads wait for a processor, so a queue of some thousand steps of a microsecond is none too long.
    let settings = Settings::new(3).queue(4_096);
    let outcome = Redundant::new(settings, Majority::EXACT)
        .on_fault(|fault| {
            println!("{} {}, fault {} of it", fault.replica, fault.kind, fault.count);
            if fault.is_over { Remedy::Restart } else { Remedy::Ignore }
        })
        .start(|replica| {
            while replica.iteration().0 <= LAST {
                let (third, n) = (replica.number() == ReplicaNumber(2), replica.iteration().0);
                let mut sum = replica.last().map_or(0, |vote| vote.value) + n;
                if third && (1_000..2_000).contains(&n) {
                    sum += 1;
                }
                assert!(!third || n != 5_000, "the third replica has a mistake in step 5,000");
                replica.vote(sum)?;
            }
            Ok(())
        })?;
    for replica in &outcome.replicas {
        let (faults, lives) = (replica.faults.len(), replica.lives);
        println!(
            "{}: {faults} faults in {lives} lives, ended {:?}",
            replica.replica, replica.ending
        );
    }
    if let Some(warning) = outcome.warning() {
        eprintln!("warning: {warning}");
    }
    std::process::exit(outcome.exit_status().into());
}
