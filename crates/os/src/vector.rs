//! Work on vectors, in the instructions of a given width.
//!
//! Guarantees that code for a width runs only where the processor has it. Which instructions come out is the compiler's choice: it makes vector instructions of loops over arrays when it optimises, and none otherwise.

/// Work that is compiled for each width. [`Work::work`] must be `#[inline(always)]`, and so must be all that it calls: otherwise it is compiled once, for the least width.
///
/// ```
/// use windfall_os::vector::{Width, Work};
///
/// struct Sum<'a>(&'a [u32]);
///
/// impl Work for Sum<'_> {
///     type Output = u32;
///     #[inline(always)]
///     fn work(self) -> u32 {
///         self.0.iter().fold(0, |sum, one| sum.wrapping_add(*one))
///     }
/// }
///
/// for width in Width::ALL {
///     let sum = width.run(Sum(&[1, 2, 3]));
///     assert_eq!(sum, width.is_here().then_some(6));
/// }
/// ```
pub trait Work {
    /// Its result.
    type Output;

    /// Does it.
    fn work(self) -> Self::Output;
}

/// Which vector instructions work may use.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Width {
    /// The instructions that every processor of this architecture has: SSE2 on x86-64, NEON on
    /// aarch64.
    Least,
    /// AVX2 and FMA of x86-64: 256 bits.
    Avx2,
    /// AVX-512 (F, BW, DQ, VL) of x86-64: 512 bits.
    Avx512,
}

impl Width {
    /// From the narrowest to the widest.
    pub const ALL: [Width; 3] = [Width::Least, Width::Avx2, Width::Avx512];

    /// Whether this machine has it.
    #[must_use]
    pub fn is_here(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        let (avx2, avx512) = (
            is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
            is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl"),
        );
        #[cfg(not(target_arch = "x86_64"))]
        let (avx2, avx512) = (false, false);
        match self {
            Width::Least => true,
            Width::Avx2 => avx2,
            Width::Avx512 => avx2 && avx512,
        }
    }

    /// Does the work in instructions of this width; `None` where the machine has not got them.
    pub fn run<W: Work>(self, work: W) -> Option<W::Output> {
        if !self.is_here() {
            return None;
        }
        match self {
            Width::Least => Some(work.work()),
            // SAFETY: `is_here` has found AVX2 and FMA, and the function needs nothing else.
            #[cfg(target_arch = "x86_64")]
            Width::Avx2 => Some(unsafe { by_avx2(work) }),
            // SAFETY: `is_here` has found AVX2, FMA, and the four parts of AVX-512, and the function needs nothing else.
            #[cfg(target_arch = "x86_64")]
            Width::Avx512 => Some(unsafe { by_avx512(work) }),
            #[cfg(not(target_arch = "x86_64"))]
            _ => None,
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn by_avx2<W: Work>(work: W) -> W::Output {
    work.work()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl")]
fn by_avx512<W: Work>(work: W) -> W::Output {
    work.work()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sum([u32; 16]);

    impl Work for Sum {
        type Output = u32;

        #[inline(always)]
        fn work(self) -> u32 {
            self.0.iter().fold(0, |sum, word| sum.wrapping_add(*word))
        }
    }

    #[test]
    fn law_each_width_that_is_here_does_the_same_work() {
        let words = std::array::from_fn(|place| u32::try_from(place).unwrap() << 20);
        assert_eq!(Width::Least.run(Sum(words)), Some(120 << 20));
        for width in Width::ALL {
            let answer = width.is_here().then_some(120 << 20);
            assert_eq!(width.run(Sum(words)), answer, "{width:?}");
        }
    }
}
