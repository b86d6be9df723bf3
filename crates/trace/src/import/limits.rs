//! Limits of an import. Text beyond them is damaged or an attack; the import, or the line, then
//! ends with an error.

/// Processors are numbered below this; a simulated machine has no more.
pub const PROCESSORS: u16 = 1024;
/// The longest name of a thread, in characters. The kernel's own are of 15 bytes at most.
pub const NAME: usize = 64;
/// The greatest thread number; the kernel's own limit.
pub const THREAD_NUMBER: u32 = 1 << 22;
/// How many threads a recording may name; a scenario holds no more.
pub const THREADS: u64 = 100_000;
/// How many lines a text may have.
pub const LINES: u64 = 20_000_000;
/// How many lines in a row may be no event.
pub const LINES_WITHOUT_EVENT: u64 = 100_000;
/// How many bytes a text may have once it is unpacked.
pub const BYTES: u64 = 4 << 30;
/// How many bytes a line may have; of more than 64 KiB only the beginning is used.
pub const LINE: usize = 1 << 20;
