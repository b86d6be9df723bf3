//! `windfall lab validate`: what this machine can be trusted with.

use crate::cli::ValidateArgs;
use crate::output::{Destinations, errors_are_read, input_name, is_standard, print_error};
use crate::verbs::keep::is_page;
use crate::{Answer, VerbError, signals};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;
use windfall_lab::validate::{Earlier, Incidents, Options, page, results, validate};
use windfall_time::{Instant, Span};

/// For how long it is measured under load where nothing is said, and where it is to be quick.
const LENGTH: (Span, Span) = (Span::from_secs(120), Span::from_secs(24));

pub(super) fn run(args: &ValidateArgs) -> Result<Answer, VerbError> {
    let inputs = args.against.iter().chain(&args.incidents).map(PathBuf::as_path);
    let mut outputs = Destinations::new(args.force.force, inputs)?;
    if args.json {
        outputs.claim_standard("`--json`")?;
    }
    let report = args.report.as_deref().map(|path| outputs.claim("--report", path)).transpose()?;
    report.as_ref().map_or(Ok(()), is_page)?;
    let earlier = args.against.as_deref().map(earlier).transpose()?;
    let incidents = args.incidents.as_deref().map(incidents).transpose()?;
    let stopped = signals::stop_flag()?;
    let read = errors_are_read();
    let progress = move |what: &str| {
        if read {
            print_error(&format!("{what}\n"));
        }
    };
    let usual = if args.quick { LENGTH.1 } else { LENGTH.0 };
    let mut found = validate(&Options {
        length: args.length.unwrap_or(usual),
        quick: args.quick,
        parts: args.part.clone(),
        needs: args.need.clone(),
        limits: args.limit.clone(),
        incidents,
        progress: Arc::new(progress),
        stopped,
    })?;
    if let Some(earlier) = &earlier {
        found.compare(earlier);
    }
    // It took minutes: one that cannot be written takes the other with it in no case.
    let shown =
        outputs.show(args.json, || results::json(&found), |width| results::text(&found, width));
    if let Some(report) = report {
        let page = page(&found);
        report.write(|out| out.write_all(page.as_bytes()))?;
    }
    shown?;
    if found.is_stopped {
        let why =
            "windfall: ended by a signal before all was measured; the results are of what was";
        return Err(VerbError(why.to_owned()));
    }
    Ok(if found.is_sound() { Answer::Yes } else { Answer::No })
}

/// A file's name and text.
fn read(path: &Path) -> Result<(String, String), VerbError> {
    let name = input_name(path);
    let text = if is_standard(path) {
        std::io::read_to_string(std::io::stdin())
    } else {
        std::fs::read_to_string(path)
    };
    let text = text.map_err(|why| VerbError(format!("windfall: cannot read {name}: {why}")))?;
    Ok((name, text))
}

fn earlier(path: &Path) -> Result<Earlier, VerbError> {
    let (name, text) = read(path)?;
    Earlier::read(&name, &text).map_err(|why| VerbError(format!("windfall: {name}: {why}")))
}

/// The time since 1970.
fn now() -> Instant {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Instant::saturating_from_nanos(since.as_nanos())
}

fn incidents(path: &Path) -> Result<(String, Incidents), VerbError> {
    let (name, text) = read(path)?;
    let incidents = Incidents::read(&text).and_then(|all| all.seen_by(now()));
    match incidents {
        Ok(incidents) => Ok((name, incidents)),
        Err(why) => Err(VerbError(format!("windfall: {name}: {why}"))),
    }
}
