//! The program kind `voting`: what may be written for it.

use windfall_nmr::process::KIND;
use windfall_programs::Node;
use windfall_programs::catalogue::{Settings, Value};

/// Why this cannot be; `None` if it can.
fn refused(settings: &[(&str, Value<'_>)]) -> Option<String> {
    KIND.build(&Settings(settings), Node(0)).err().map(|error| error.to_string())
}

#[test]
fn accepts_remedies_of_three() {
    for remedy in ["none", "restart", "replace", "retire", "end"] {
        assert_eq!(refused(&[("remedy", Value::Word(remedy))]), None, "{remedy}");
    }
    let replaced = [("remedy", Value::Word("replace")), ("spares", Value::Integer(16))];
    assert_eq!(refused(&replaced), None);
    for words in 1..=4 {
        assert_eq!(refused(&[("words", Value::Integer(words))]), None, "{words}");
    }
    for remedy in ["none", "end"] {
        let two = [("replicas", Value::Integer(2)), ("remedy", Value::Word(remedy))];
        assert_eq!(refused(&two), None, "{remedy}");
    }
}

#[test]
fn refuses_remedies_that_cannot_be() {
    let error = refused(&[("remedy", Value::Word("repair"))]).expect("no such remedy");
    assert!(error.contains("`none`, `restart`, `replace`, `retire`, `end`"), "{error}");
    for remedy in ["restart", "replace", "retire"] {
        let two = [("replicas", Value::Integer(2)), ("remedy", Value::Word(remedy))];
        let error = refused(&two).expect("nobody knows which of two is wrong");
        assert!(
            error.starts_with("setting `replicas`: 2") && error.contains("3 or more"),
            "{error}"
        );
    }
    for remedy in ["none", "restart", "retire", "end"] {
        let spares = [("spares", Value::Integer(1)), ("remedy", Value::Word(remedy))];
        let error = refused(&spares).expect("nobody uses it");
        assert!(error.starts_with("setting `spares`: 1") && error.contains("replace"), "{error}");
    }
    for words in [0, 5] {
        let error = refused(&[("words", Value::Integer(words))]).expect("no such message");
        assert!(error.starts_with("setting `words`") && error.contains("from 1 to 4"), "{error}");
    }
    let error = refused(&[("fault-lives", Value::Integer(0))]).expect("in no life");
    assert!(error.contains("from 1 to 1000000"), "{error}");
}
