//! Whether somebody else supervises this machine.

/// Whether a command that has told these errors was refused for that; says so.
pub(crate) fn is_taken(errors: &[u8]) -> bool {
    let taken = String::from_utf8_lossy(errors).contains("another run is under way");
    if taken {
        println!("skipped: another run is under way on this machine");
    }
    taken
}
