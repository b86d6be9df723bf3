//! Sets of processors as the kernel writes them into files: hexadecimal words of 32 bits, the highest first.

use windfall_os::sched::Affinity;

/// Reads `ff` or `1,00000000`; `None` when it is something else.
#[must_use]
pub fn parse(text: &str) -> Option<Affinity> {
    let mut words = [0_u64; 16];
    for (at, word) in text.trim().rsplit(',').enumerate() {
        let word = u64::from(u32::from_str_radix(word, 16).ok()?);
        match words.get_mut(at / 2) {
            Some(place) => *place |= word << (32 * (at % 2)),
            None if word == 0 => {}
            None => return None,
        }
    }
    Some(Affinity::from_words(words))
}

/// Writes a set without leading zeros: the kernel refuses more words than it has processors for.
#[must_use]
pub fn print(set: &Affinity) -> String {
    let halves = set.words().into_iter().flat_map(|word| [word & 0xffff_ffff, word >> 32]);
    let words: Vec<u64> = halves.collect();
    let last = words.iter().rposition(|word| *word != 0).unwrap_or(0);
    let rest = words[..last].iter().rev().map(|word| format!(",{word:08x}"));
    std::iter::once(format!("{:x}", words[last])).chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_what_is_written_is_read_again() {
        for text in
            ["0", "1", "3", "ffffffff", "1,00000000", "80,00000000,00000001", "f,ffffffff,00000000"]
        {
            let set = parse(text).unwrap();
            assert_eq!(print(&set), text);
        }
        let high: Affinity = [0, 31, 32, 63, 64, 1023].into_iter().collect();
        assert_eq!(parse(&print(&high)), Some(high));
        assert_eq!(parse("00000000,00000003\n"), parse("3"));
    }

    #[test]
    fn refuses_what_is_no_set() {
        for text in ["", "x", "1-3", "1,,2", "123456789"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
