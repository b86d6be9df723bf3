//! An outcome as `--json` prints it, read again.
//!
//! Invariant: it is of a run that reached its end, and has all that a comparison looks at.

use core::fmt;
use serde_json::Value;

/// An outcome of a run that reached its end, as `--json` prints it.
#[derive(Clone, PartialEq, Debug)]
pub struct OutcomeDocument(pub(super) Value);

/// Why a document is no outcome to compare.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum OutcomeError {
    /// A value is missing, or of another type.
    Missing {
        /// Where it belongs, as `threads/0/name`.
        place: String,
    },
    /// The run did not reach its end.
    Failed {
        /// Why, as the run said it.
        why: String,
    },
}

impl fmt::Display for OutcomeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OutcomeError::Missing { place } => {
                write!(f, "it is not an outcome: `{place}` is missing, or is of another type")
            }
            OutcomeError::Failed { why } => {
                write!(
                    f,
                    "the run did not reach its end, so nothing can be concluded from it: {why}"
                )
            }
        }
    }
}

impl std::error::Error for OutcomeError {}

/// Whether a value has its type.
type Is = fn(&Value) -> bool;

/// The lists of an outcome, and what a comparison looks at in each entry.
const LISTS: [(&str, &[(&str, Is)]); 3] = [
    ("threads", &[("name", Value::is_string), ("received_ns", Value::is_u64)]),
    (
        "promises",
        &[
            ("owner", Value::is_string),
            ("guarantee", Value::is_string),
            ("state", Value::is_string),
        ],
    ),
    (
        "expectations",
        &[
            ("what", Value::is_string),
            ("expected", Value::is_string),
            ("found", Value::is_string),
            ("held", Value::is_boolean),
        ],
    ),
];

impl OutcomeDocument {
    /// Takes a document for an outcome.
    ///
    /// # Errors
    /// Something that a comparison looks at is missing, or the run did not reach its end.
    pub fn read(document: Value) -> Result<OutcomeDocument, OutcomeError> {
        let missing = |place: String| OutcomeError::Missing { place };
        if !document["length_ns"].is_u64() {
            return Err(missing("length_ns".to_owned()));
        }
        for (list, keys) in LISTS {
            let entries = document[list].as_array().ok_or_else(|| missing(list.to_owned()))?;
            for (at, entry) in entries.iter().enumerate() {
                if let Some((key, _)) = keys.iter().find(|(key, is)| !is(&entry[*key])) {
                    return Err(missing(format!("{list}/{at}/{key}")));
                }
            }
        }
        let why = [document.get("failure"), document.pointer("/supervision/cut_short")];
        let why = why.into_iter().flatten().find(|why| !why.is_null());
        if let Some(why) = why {
            let why = why.as_str().map_or_else(|| why.to_string(), str::to_owned);
            return Err(OutcomeError::Failed { why });
        }
        Ok(OutcomeDocument(document))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn outcome() -> Value {
        json!({
            "length_ns": 5,
            "threads": [{ "name": "a", "received_ns": 5 }],
            "promises": [{ "owner": "a", "guarantee": "ALL", "state": "kept" }],
            "expectations": [{ "what": "a.missed", "expected": "0", "found": "0", "held": true }],
            "supervision": null,
            "failure": null,
        })
    }

    fn refused(place: &str, value: Value) -> Option<OutcomeError> {
        let mut document = outcome();
        *document.pointer_mut(place).expect(place) = value;
        OutcomeDocument::read(document).err()
    }

    #[test]
    fn accepts_an_outcome_of_a_run_that_reached_its_end() {
        assert!(OutcomeDocument::read(outcome()).is_ok());
        assert_eq!(refused("/supervision", json!({ "cut_short": null })), None);
    }

    #[test]
    fn refuses_a_run_that_did_not_reach_its_end() {
        let failed = |why: &str| Some(OutcomeError::Failed { why: why.to_owned() });
        assert_eq!(refused("/failure", json!("`a` is stuck")), failed("`a` is stuck"));
        assert_eq!(refused("/supervision", json!({ "cut_short": "late" })), failed("late"));
    }

    #[test]
    fn refuses_each_value_that_is_of_another_type_with_its_place() {
        let entries = LISTS
            .iter()
            .flat_map(|(list, keys)| keys.iter().map(move |(key, _)| format!("{list}/0/{key}")));
        let lists = LISTS.iter().map(|(list, _)| (*list).to_owned());
        for place in lists.chain(entries).chain(["length_ns".to_owned()]) {
            let told = refused(&format!("/{place}"), json!({}));
            assert_eq!(told, Some(OutcomeError::Missing { place }));
        }
        let numbers = refused("/threads", json!([1, 2]));
        assert_eq!(numbers, Some(OutcomeError::Missing { place: "threads/0/name".to_owned() }));
    }
}
