//! A set of processors as it is written: a list of numbers, or a text as `0-2,5`.

use super::lax::{Lax, Raw};
use super::value_error::ValueError;
use core::fmt;
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use windfall_hierarchy::ProcessorSet;
use windfall_schedulers::parameters::ParameterValue;

/// The expected form, for messages.
pub(super) const WANTED: &str = "processors, as `[0, 1]`";

/// The value as written, with its error, if it has one.
pub(super) struct ProcessorList(pub(super) Lax<ParameterValue>);

struct ListVisitor;

impl<'de> Visitor<'de> for ListVisitor {
    type Value = ProcessorList;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of processors")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<ProcessorList, A::Error> {
        let mut numbers = Vec::new();
        while let Some(raw) = list.next_element::<Raw>()? {
            numbers.push(number(&raw));
        }
        Ok(ProcessorList(Lax(numbers.into_iter().collect::<Result<_, _>>().and_then(set))))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<ProcessorList, E> {
        Ok(ProcessorList(Lax(ranges(text).and_then(set))))
    }

    fn visit_bool<E: Error>(self, b: bool) -> Result<ProcessorList, E> {
        Ok(not_a_list(&Raw::Bool(b)))
    }

    fn visit_i64<E: Error>(self, n: i64) -> Result<ProcessorList, E> {
        Ok(not_a_list(&Raw::Integer(n)))
    }

    fn visit_f64<E: Error>(self, x: f64) -> Result<ProcessorList, E> {
        Ok(not_a_list(&Raw::Float(x)))
    }
}

impl<'de> Deserialize<'de> for ProcessorList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ProcessorList, D::Error> {
        deserializer.deserialize_any(ListVisitor)
    }
}

fn not_a_list(raw: &Raw) -> ProcessorList {
    ProcessorList(Lax(Err(ValueError::NotA(raw.show(), "a list of processors"))))
}

fn number(raw: &Raw) -> Result<i64, ValueError> {
    match raw {
        Raw::Integer(n) => Ok(*n),
        other => Err(ValueError::NotA(other.show(), "the number of a processor")),
    }
}

/// The numbers of a text as `0-2,5`.
fn ranges(text: &str) -> Result<Vec<i64>, ValueError> {
    let wrong = || ValueError::NotA(Raw::Text(text.to_owned()).show(), "a list of processors");
    let mut numbers = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| text.trim().parse::<u16>().map_err(|_| wrong());
        let (first, last) = (number(first)?, number(last)?);
        if first > last {
            return Err(ValueError::Reversed(part.trim().to_owned()));
        }
        numbers.extend((first..=last).map(i64::from));
    }
    Ok(numbers)
}

/// The set of these numbers, each named once.
fn set(mut numbers: Vec<i64>) -> Result<ParameterValue, ValueError> {
    numbers.sort_unstable();
    if numbers.is_empty() {
        return Err(ValueError::NoProcessors);
    }
    if let Some(pair) = numbers.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(ValueError::ProcessorTwice(pair[0]));
    }
    let whole = numbers.iter().map(|n| u16::try_from(*n).map_err(|_| ValueError::OutOfRange(*n)));
    let whole = whole.collect::<Result<Vec<u16>, ValueError>>()?;
    let set = ProcessorSet::of(whole).map_err(|n| ValueError::OutOfRange(n.into()))?;
    Ok(ParameterValue::Processors(set))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<u16>, String> {
        let list = ranges(text).and_then(set).map_err(|why| why.to_string())?;
        Ok(list.processors().unwrap().iter().collect())
    }

    #[test]
    fn accepts_ranges_and_single_processors() {
        assert_eq!(read("3"), Ok(vec![3]));
        assert_eq!(read("5, 0-2"), Ok(vec![0, 1, 2, 5]));
        assert_eq!(read("191"), Ok(vec![191]));
    }

    #[test]
    fn refuses_what_names_no_set_of_processors() {
        for (text, why) in [
            ("", "`` is not a list of processors"),
            ("a", "`a` is not a list of processors"),
            ("1,,2", "`1,,2` is not a list of processors"),
            ("-1", "`-1` is not a list of processors"),
            ("2-1", "`2-1`: the least is above the most"),
            ("0,2,0", "processor 0 is named twice"),
            ("0-2,2", "processor 2 is named twice"),
            ("0-65535", "`192` is out of range"),
        ] {
            assert_eq!(read(text), Err(why.to_owned()), "{text}");
        }
        assert_eq!(set(Vec::new()).unwrap_err().to_string(), "no processor is named");
        assert_eq!(set(vec![0, -4]).unwrap_err().to_string(), "`-4` is out of range");
    }
}
