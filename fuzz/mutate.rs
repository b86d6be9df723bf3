//! Mutated inputs for a target, on a stable compiler: what the fuzz targets do without cargo-fuzz.
//!
//! A target has sound inputs, and a folder of those that once broke a law, `fuzz/corpus/TARGET`. All are
//! checked as they are, and then mutated for `WINDFALL_FUZZ_SECONDS` (2 unless set) from the seed
//! `WINDFALL_FUZZ_SEED` (1 unless set). An input that panics is printed with its seed and round, which make it
//! again, and kept in `target/fuzz/TARGET`; put it into the corpus.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Pieces that mean something to some parser.
const PIECES: [&[u8]; 28] = [
    b"0",
    b"-1",
    b"9",
    b"[",
    b"]",
    b"(",
    b")",
    b":",
    b".",
    b"=",
    b" ",
    b"\n",
    b"\0",
    b"\xff",
    b"/",
    b"+",
    b"|",
    b"\"",
    b"{",
    b"}",
    b",",
    b"\x1b[2J",
    b"\xf0\x9f\x98\x80",
    b" ==> ",
    b"99999999999999999999",
    b"18446744073709551615",
    b"1.5",
    b"#",
];

/// Calls `check` with `sound` inputs and those of a target's corpus, and with mutations of them until the time is up.
pub(crate) fn fuzz(target: &str, sound: &[&[u8]], check: impl FnMut(&[u8])) {
    fuzz_with(target, sound, &PIECES, check);
}

/// [`fuzz`] with the words of a language as pieces.
pub(crate) fn fuzz_with(
    target: &str,
    sound: &[&[u8]],
    pieces: &[&[u8]],
    mut check: impl FnMut(&[u8]),
) {
    let sound = sound.iter().map(|input| (PathBuf::from("sound"), input.to_vec()));
    let corpus: Vec<(PathBuf, Vec<u8>)> = sound.chain(corpus(target)).collect();
    assert!(!corpus.is_empty(), "{target}: nothing to mutate");
    for (name, input) in &corpus {
        let _report = Report { target, place: format!("{name:?}"), input };
        check(input);
    }
    let limit = Duration::from_secs(setting("WINDFALL_FUZZ_SECONDS", 2));
    let seed = setting("WINDFALL_FUZZ_SEED", 1);
    let (begin, mut round) = (Instant::now(), 0_u64);
    while begin.elapsed() < limit {
        round += 1;
        let mut dice = Dice(seed.wrapping_mul(0x1_0000_0001).wrapping_add(round));
        let input = mutation(&corpus, pieces, &mut dice);
        let _report =
            Report { target, place: format!("seed {seed}, round {round}"), input: &input };
        check(&input);
    }
    eprintln!("{target}: {round} inputs");
    assert!(limit.is_zero() || round > 10, "{round} rounds only");
}

/// What is kept for a target, in order of the names; a target that never broke a law has no folder.
fn corpus(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let Ok(entries) = std::fs::read_dir(root().join("fuzz/corpus").join(target)) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a folder").path()).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), std::fs::read(path).expect("a file"))).collect()
}

/// The project's root: the first folder above the crate's that holds the corpus.
fn root() -> &'static Path {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut above = crates.filter(|folder| folder.join("fuzz/corpus").is_dir());
    above.next().expect("fuzz/corpus is in the repository")
}

fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

/// A small generator whose numbers are the same everywhere.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Less than `end`, which may be 0.
    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % (end.max(1) as u64)).expect("less than end")
    }
}

/// Says how to make an input again when its check panics, and keeps it.
struct Report<'a> {
    target: &'a str,
    place: String,
    input: &'a [u8],
}

impl Drop for Report<'_> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return;
        }
        let text = String::from_utf8_lossy(self.input);
        eprintln!("{}: {}, input:\n{}", self.target, self.place, text.escape_debug());
        let folder = root().join("target/fuzz").join(self.target);
        let name = self.place.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        let kept = std::fs::create_dir_all(&folder)
            .and_then(|()| std::fs::write(folder.join(name), self.input));
        if let Err(why) = kept {
            eprintln!("not kept: {}: {why}", folder.display());
        }
    }
}

fn mutation(corpus: &[(PathBuf, Vec<u8>)], pieces: &[&[u8]], dice: &mut Dice) -> Vec<u8> {
    let good = &corpus[dice.below(corpus.len())].1;
    let lines: Vec<&[u8]> = good.split_inclusive(|byte| *byte == b'\n').collect();
    let line = |dice: &mut Dice| lines.get(dice.below(lines.len())).copied().unwrap_or_default();
    let mut out: Vec<u8> = match dice.below(4) {
        0 | 1 => good.clone(),
        2 => (0..dice.below(30)).flat_map(|_| line(dice).to_vec()).collect(),
        _ => line(dice).to_vec(),
    };
    for _ in 0..=dice.below(6) {
        let (a, b) = (dice.below(out.len()), dice.below(out.len()));
        let (from, to) = (a.min(b), a.max(b).min(a.min(b) + 40));
        match dice.below(7) {
            _ if out.is_empty() => {}
            0 => out[a] ^= 1 << dice.below(8),
            1 => drop(out.splice(a..a, pieces[dice.below(pieces.len())].to_vec())),
            2 => drop(out.splice(from..to, pieces[dice.below(pieces.len())].to_vec())),
            3 => out.truncate(a),
            4 => drop(out.drain(from..to)),
            5 => {
                let part = out[from..to].to_vec();
                let place = dice.below(out.len());
                drop(out.splice(place..place, part));
            }
            _ => {
                let line = line(dice);
                let part = line[dice.below(line.len())..].to_vec();
                drop(out.splice(a..a, part));
            }
        }
    }
    out
}
