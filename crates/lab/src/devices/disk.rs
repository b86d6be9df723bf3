//! Reads a fresh file from disk, over and over, past the page cache.

use super::MOST;
use crate::experiment::LabError;
use crate::native::{pin, processors};
use rustix::fs::OFlags;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Instant;

/// The size of the file, and of each read.
const SIZE: u64 = 64 << 20;
const PIECE: usize = 1 << 16;
/// Addresses and sizes of direct reads are multiples of this.
const PAGE: usize = 4096;

/// A thread that reads.
pub(crate) struct Reading {
    stop: Arc<AtomicBool>,
    bytes: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

/// A file that is removed from its folder as soon as it is open.
struct Removed(PathBuf);

impl Drop for Removed {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

impl Reading {
    /// Writes the file, and reads it on a processor that is not the supervised one, where there is one.
    pub(crate) fn begin() -> Result<Reading, LabError> {
        let refused = |why: std::io::Error| LabError::Machine {
            asked: format!("read a file of {} MiB directly from disk", SIZE >> 20),
            why: why.to_string(),
        };
        let (supervised, beside) = processors()?;
        let file = file().map_err(refused)?;
        let (stop, bytes) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let (stopped, counted) = (stop.clone(), bytes.clone());
        let thread = std::thread::Builder::new().name("disk".to_owned()).spawn(move || {
            if pin(beside.unwrap_or(supervised)).is_ok() {
                read(&file, &stopped, &counted);
            }
        });
        Ok(Reading { stop, bytes, thread: Some(thread.map_err(refused)?) })
    }

    /// Bytes read so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

fn file() -> std::io::Result<File> {
    let path = std::env::temp_dir().join(format!("windfall-lab-{}", std::process::id()));
    let removed = Removed(path);
    let mut file = OpenOptions::new().write(true).create_new(true).open(&removed.0)?;
    let piece = vec![0x5a_u8; PIECE];
    for _ in 0..SIZE / PIECE as u64 {
        file.write_all(&piece)?;
    }
    file.sync_all()?;
    let direct = OFlags::DIRECT.bits().cast_signed();
    OpenOptions::new().read(true).custom_flags(direct).open(&removed.0)
}

fn read(file: &File, stop: &AtomicBool, bytes: &AtomicU64) {
    let mut room = vec![0_u8; PIECE + PAGE];
    let begin = room.as_ptr().align_offset(PAGE);
    let Some(piece) = room.get_mut(begin..begin + PIECE) else { return };
    let (begun, mut at) = (Instant::now(), 0);
    while !stop.load(Ordering::Relaxed) && begun.elapsed() < MOST {
        match file.read_at(piece, at) {
            Ok(count) if count > 0 => {
                bytes.fetch_add(count as u64, Ordering::Relaxed);
                at = (at + PIECE as u64) % SIZE;
            }
            _ => return, // the measurement shows that no bytes come
        }
    }
}
