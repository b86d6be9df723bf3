//! Reads scenarios that are spoilt, and looks at what is told of them.

use windfall_scenario::{Diagnostics, Scenario};

/// A sound scenario, to be spoilt.
pub(crate) const GOOD: &str = r#"schema = 2
seed = 7
length = "10 s"

[schedulers.root]
scheduler = "rez"
parent = "top"

[threads.a]
parent = "root"
guarantee = "RESBH 3ms 10ms"
periodic = "3ms/20ms"
"#;

/// The mistakes in it.
pub(crate) fn mistakes(text: &str) -> Diagnostics {
    match Scenario::parse("e.toml", text) {
        Err(mistakes) => mistakes,
        Ok(scenario) => match scenario.build() {
            Err(mistakes) => mistakes,
            Ok(_) => panic!("accepted:\n{text}"),
        },
    }
}

/// Line, and the beginnings of message and help, of each.
#[track_caller]
pub(crate) fn tells(text: &str, expected: &[(usize, &str, &str)]) {
    let mistakes = mistakes(text);
    let shown = mistakes.render(false);
    let found = mistakes.list();
    assert_eq!(found.len(), expected.len(), "{shown}");
    for (found, (line, message, help)) in found.iter().zip(expected) {
        assert_eq!(found.line, *line, "{shown}");
        assert!(found.message.contains(message), "{message}\n{shown}");
        assert!(found.help.as_deref().unwrap_or("").contains(help), "{help}\n{shown}");
    }
}

/// `GOOD` with something after it.
pub(crate) fn with(more: &str) -> String {
    format!("{GOOD}{more}")
}
