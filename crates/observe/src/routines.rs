//! Start routines of threads by names that hold across runs (HLS 8.5.1): the file that a process has mapped there, and the
//! symbol in it, or where its tables name none, the offset in the file. Rust's symbols stand there as their author wrote them,
//! without the hash that changes from one compilation to the next.
//!
//! No thread is stopped: the kernel reports which address `pthread_create` was given, `/proc` what is mapped there. Absent on purpose:
//! routines of code that no file holds, and of threads that are made without the C library.

use crate::image::{Image, found};
use object::read::ReadCache;
use object::{Object, ObjectSegment, ObjectSymbol, SymbolKind};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::env::consts::ARCH;
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The function that makes threads.
pub const MAKER: &str = "pthread_create";

type Elf<'a> = object::File<'a, &'a ReadCache<File>>;

/// Names addresses, and keeps the tables of the files that it has read.
#[derive(Default)]
pub struct Routines {
    /// By device and inode.
    files: HashMap<(String, String), Option<Functions>>,
    /// Routines named so far, by process. Its next threads may start there, too, and the process may have ended
    /// when their events are read.
    named: HashMap<i32, HashMap<u64, String>>,
}

/// A mapped part of a file.
struct Mapping {
    path: PathBuf,
    file: (String, String),
    /// Where the address that was looked for lies in the file.
    offset: u64,
}

/// The functions of a file.
struct Functions {
    /// Where each part lies in the file, how long it is, and its address in the tables.
    segments: Vec<(u64, u64, u64)>,
    /// By that address.
    names: BTreeMap<u64, String>,
}

impl Routines {
    /// The name of what lies at an address of a process; `None` when no file lies there, or it has ended and that address was
    /// not asked for before.
    pub fn name(&mut self, pid: i32, address: u64) -> Option<String> {
        if let Some(name) = self.named.get(&pid).and_then(|known| known.get(&address)) {
            return Some(name.clone());
        }
        let name = self.look_up(pid, address)?;
        self.named.entry(pid).or_default().insert(address, name.clone());
        Some(name)
    }

    /// A process is another one, or executes another program.
    pub fn forget(&mut self, pid: i32) {
        self.named.remove(&pid);
    }

    /// The name of what lies at an address of a process that is there.
    pub fn look_up(&mut self, pid: i32, address: u64) -> Option<String> {
        let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).ok()?;
        let Mapping { path, file, offset } = maps.lines().find_map(|line| at(line, address))?;
        let inside = seen_from(pid, &path);
        let functions = self.files.entry(file).or_insert_with(|| read(&inside, Functions::of));
        let name = path.file_name()?.to_string_lossy().into_owned();
        let name = name.trim_end_matches(" (deleted)");
        Some(match functions.as_ref().and_then(|functions| functions.at(offset)) {
            Some(symbol) => format!("{name}:{symbol}"),
            None => format!("{name}+{offset:#x}"),
        })
    }
}

/// A symbol as it was written, if it is one of Rust's.
fn readable(symbol: &str) -> String {
    rustc_demangle::try_demangle(symbol)
        .map_or_else(|_| symbol.to_owned(), |written| format!("{written:#}"))
}

/// The language that starts all its threads with this routine, if it is known that one does: the routine says nothing about
/// the thread then.
#[must_use]
pub fn language_of(routine: &str) -> Option<&'static str> {
    let (file, symbol) = routine.split_once(':').or_else(|| routine.rsplit_once('+'))?;
    let written = symbol.trim_start_matches('<'); // `<std::..::Thread>::new::thread_start`
    if written.starts_with("std::") && symbol.ends_with("::thread_start") {
        Some("Rust")
    } else if file.starts_with("libstdc++.so") || symbol == "execute_native_thread_routine" {
        Some("C++")
    } else if file.starts_with("python") || file.starts_with("libpython") {
        Some("Python")
    } else {
        None
    }
}

/// The files that define [`MAKER`] for this architecture, of those that processes have mapped, or programs are likely to map. Each
/// file is named once.
#[must_use]
pub fn makers(programs: &[&str], pids: &[i32]) -> BTreeSet<PathBuf> {
    let mapped = |pid: i32| {
        let image = Image::of(pid).into_iter();
        image.flat_map(move |Image { executable, mut libraries }| {
            libraries.insert(executable);
            libraries.into_iter().map(move |path| seen_from(pid, &path))
        })
    };
    let own = std::process::id().cast_signed();
    let musl = PathBuf::from(format!("/lib/ld-musl-{ARCH}.so.1"));
    let programs = programs.iter().filter_map(|program| found(program));
    let mut files: BTreeSet<PathBuf> = mapped(own).chain([musl]).chain(programs).collect();
    files.extend(pids.iter().copied().flat_map(mapped));
    // Processes that share a library see it by paths of their own.
    let mut met = HashSet::new();
    let is_another =
        |path: &PathBuf| path.metadata().is_ok_and(|file| met.insert((file.dev(), file.ino())));
    let defines = |path: &PathBuf| {
        let defined = read(path, |file| {
            let mut symbols = file.dynamic_symbols().chain(file.symbols());
            symbols.any(|symbol| symbol.is_definition() && symbol.name() == Ok(MAKER))
        });
        defined == Some(true)
    };
    files.into_iter().filter(is_another).filter(defines).collect()
}

/// Looks into a program or library of this architecture.
fn read<T>(path: &Path, look: impl FnOnce(&Elf<'_>) -> T) -> Option<T> {
    let cache = ReadCache::new(File::open(path).ok()?);
    let file = Elf::parse(&cache).ok()?;
    let own = format!("{:?}", file.architecture()).eq_ignore_ascii_case(ARCH);
    own.then(|| look(&file))
}

/// A path as a process sees it, which may have another root.
fn seen_from(pid: i32, path: &Path) -> PathBuf {
    PathBuf::from(format!("/proc/{pid}/root{}", path.display()))
}

/// The mapping in a line of `/proc/PID/maps`, if it holds the address.
fn at(line: &str, address: u64) -> Option<Mapping> {
    let mut words = line.split_ascii_whitespace();
    let (first, last) = words.next()?.split_once('-')?;
    let number = |text: &str| u64::from_str_radix(text, 16).ok();
    let before = address.checked_sub(number(first)?).filter(|_| number(last) > Some(address))?;
    let offset = number(words.nth(1)?)?.checked_add(before)?;
    let file = (words.next()?.to_owned(), words.next()?.to_owned());
    let path = PathBuf::from(line.get(line.find('/')?..)?);
    Some(Mapping { path, file, offset })
}

impl Functions {
    fn of(file: &Elf<'_>) -> Functions {
        let segments = file.segments().map(|part| {
            let (offset, length) = part.file_range();
            (offset, length, part.address())
        });
        let mut names: BTreeMap<u64, (bool, &str)> = BTreeMap::new();
        for symbol in file.symbols().chain(file.dynamic_symbols()) {
            let Ok(name) = symbol.name() else { continue };
            if symbol.kind() == SymbolKind::Text && symbol.is_definition() {
                // Of several names, always the same one, and one that others may use if there is one.
                let this = (!symbol.is_global(), name);
                let kept = names.entry(symbol.address()).or_insert(this);
                *kept = this.min(*kept);
            }
        }
        let names = names.into_iter().map(|(at, (_, name))| (at, readable(name))).collect();
        Functions { segments: segments.collect(), names }
    }

    /// The function that begins at an offset of the file.
    fn at(&self, offset: u64) -> Option<&str> {
        self.segments.iter().find_map(|(from, length, address)| {
            let inside = offset.checked_sub(*from).filter(|inside| inside < length)?;
            self.names.get(&address.checked_add(inside)?).map(String::as_str)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Unlike any other, so that no linker makes it one with another.
    extern "C" fn windfall_test_routine() -> i32 {
        0x57ee7
    }

    #[test]
    fn paper_a_routine_is_known_by_its_file_and_symbol() {
        let own = std::process::id().cast_signed();
        let address = windfall_test_routine as *const () as usize as u64;
        let name = Routines::default().name(own, address).unwrap();
        let program = std::env::current_exe().unwrap();
        let program = program.file_name().unwrap().to_str().unwrap();
        assert!(name.starts_with(&format!("{program}:")), "{name}");
        assert!(name.contains("windfall_test_routine"), "{name}");
        // What is no function's beginning has a place in its file all the same.
        let beside = Routines::default().name(own, address + 1).unwrap();
        assert!(beside.starts_with(&format!("{program}+0x")), "{beside}");
        assert_eq!(Routines::default().name(own, 1), None);
    }

    #[test]
    fn paper_symbols_of_rust_stand_as_they_were_written() {
        assert_eq!(readable("_ZN6player6decode17h0123456789abcdefE"), "player::decode");
        assert_eq!(readable("_RNvC6player6decode"), "player::decode");
        assert_eq!(readable("decode"), "decode");
        assert_eq!(readable("_ZN6player6decodeEv"), "_ZN6player6decodeEv", "of C++");
    }

    #[test]
    fn refuses_no_routine_that_a_program_wrote_itself() {
        for own in ["player:decode", "player:player::thread_start", "player+0x20", "libx264.so:run"]
        {
            assert_eq!(language_of(own), None, "{own}");
        }
        for (routine, language) in [
            ("player:<std::sys::thread::unix::Thread>::new::thread_start", "Rust"),
            ("libstdc++.so.6.0.30+0xd4490", "C++"),
            ("game:execute_native_thread_routine", "C++"),
            ("libpython3.11.so.1.0:pythread_wrapper", "Python"),
        ] {
            assert_eq!(language_of(routine), Some(language));
        }
    }

    #[test]
    fn law_a_name_outlives_its_process_and_not_its_program() {
        let (ended, address) = (i32::MAX, 7);
        let mut routines = Routines::default();
        assert_eq!(routines.name(ended, address), None);
        routines.named.entry(ended).or_default().insert(address, "a:b".to_owned());
        assert_eq!(routines.name(ended, address).as_deref(), Some("a:b"));
        routines.forget(ended);
        assert_eq!(routines.name(ended, address), None);
    }

    #[test]
    fn accepts_the_c_library_that_this_program_has_mapped() {
        if !cfg!(target_env = "gnu") {
            return windfall_skips::skip(
                windfall_skips::Needs::Other,
                "this program brings its C library along",
            );
        }
        let found = makers(&[], &[]);
        let again = makers(&[], &[std::process::id().cast_signed(); 2]);
        assert_eq!(again, found, "each file once");
        let named = |path: &PathBuf| path.to_string_lossy().contains("/lib");
        assert!(!found.is_empty() && found.iter().any(named), "{found:?}");
    }

    #[test]
    fn refuses_a_line_that_is_of_another_address() {
        let line = "7f00-8000 r-xp 00000100 fe:01 42                         /usr/lib/a b.so";
        let found = at(line, 0x7f10).unwrap();
        assert_eq!((found.offset, found.path), (0x110, PathBuf::from("/usr/lib/a b.so")));
        assert_eq!(found.file, ("fe:01".to_owned(), "42".to_owned()));
        assert!(at(line, 0x8000).is_none() && at(line, 0x7eff).is_none());
        assert!(at("7f00-8000 r-xp 00000000 00:00 0", 0x7f10).is_none());
        assert!(at("", 0).is_none());
    }
}
