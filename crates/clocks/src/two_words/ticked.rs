//! A clock of two words that a thread really ticks, while others read it.
//!
//! Both words lie in one atomic integer, so that a latch is one load of it. A reference to a word is a load of its own after a short pause, since successive
//! loads alone would nearly always be of one moment; on a bus of words they are not.

use super::{Latch, TwoWords};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

/// Ticks from its making until it is dropped.
#[derive(Debug)]
pub struct Ticked {
    ticks: Arc<AtomicU64>,
    over: Arc<AtomicBool>,
    low_bits: u32,
    thread: Option<JoinHandle<()>>,
}

impl Ticked {
    /// A clock whose low word has `low_bits` bits, 0 to 32, and which ticks about once in `pause` turns of an empty loop. Its high word has 32.
    ///
    /// # Errors
    /// When the system has no thread for it, or the low word would be wider than 32 bits.
    pub fn start(low_bits: u32, pause: u32) -> std::io::Result<Ticked> {
        if low_bits > 32 {
            let why = format!("a low word of {low_bits} bits; it may have 32 at most");
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, why));
        }
        let (ticks, over) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let (its_ticks, its_end) = (ticks.clone(), over.clone());
        let thread = std::thread::Builder::new().name("ticks".to_owned()).spawn(move || {
            while !its_end.load(Ordering::Relaxed) {
                (0..pause).for_each(|_| std::hint::spin_loop());
                its_ticks.fetch_add(1, Ordering::Release);
            }
        })?;
        Ok(Ticked { ticks, over, low_bits, thread: Some(thread) })
    }

    /// All ticks so far, of which the two words are the lower part: what a routine is judged by.
    #[must_use]
    pub fn ticks(&self) -> u64 {
        self.ticks.load(Ordering::Acquire)
    }

    fn words(&self) -> (u32, u32) {
        std::hint::spin_loop();
        let ticks = self.ticks();
        let word = |value: u64| u32::try_from(value).expect("cut to at most 32 bits");
        let high = (u128::from(ticks) >> self.low_bits) & u128::from(u32::MAX);
        let high = u64::try_from(high).expect("cut to 32 bits");
        (word(high), word(ticks & (self.low_values() - 1)))
    }
}

impl TwoWords for Ticked {
    fn high(&self) -> u32 {
        self.words().0
    }

    fn low(&self) -> u32 {
        self.words().1
    }

    fn low_values(&self) -> u64 {
        1 << self.low_bits
    }
}

impl Latch for Ticked {
    fn latch(&self) -> (u32, u32) {
        self.words()
    }
}

impl Drop for Ticked {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // A loop of additions does not panic; there is nobody to report it to, either.
            let _ = thread.join();
        }
    }
}
