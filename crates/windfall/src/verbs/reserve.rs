//! `windfall reserve FILE`: the reservation that is enough for an application's threads (HLS 6.1).
//!
//! `case.rs` is what is asked, `found.rs` what comes of it, `show.rs` and `figure.rs` how it is told.

mod case;
mod figure;
mod found;
mod show;

pub(crate) use case::TaskText;

use crate::cli::ReserveArgs;
use crate::command_error::CommandError;
use crate::output::{Destination, Destinations, document, print};
use crate::{Answer, VerbError};
use case::Case;
use found::{Found, boundary, periods};
use std::io::Write;

pub(crate) fn run(args: &ReserveArgs) -> Result<Answer, CommandError> {
    let mut outputs = Destinations::new(args.force.force, args.file.as_deref())?;
    if args.json {
        outputs.claim_standard("`--json`")?;
    }
    let picture =
        args.picture.as_deref().map(|path| outputs.claim("--picture", path)).transpose()?;
    let png = picture.as_ref().map(is_png).transpose()?;
    let case = Case::of(args)?;
    let found = Found::of(&case, args)?;
    if let (Some(picture), Some(png)) = (&picture, png) {
        let swept = match args.period {
            Some(_) => &boundary(&case, args, &periods(&case, args)?)?,
            None => &found.boundary,
        };
        let scene = figure::scene(&case, &found, swept);
        let bytes = if png { scene.png() } else { scene.svg().into_bytes() };
        picture.write(|out| out.write_all(&bytes))?;
    }
    if args.json {
        print(&document(show::json(&case, &found, args)))?;
    } else {
        outputs.print(&show::text(&case, &found, args))?;
    }
    Ok(found.answer())
}

/// Whether a picture is to be a PNG; refused unless its name says what it is.
pub(crate) fn is_png(picture: &Destination) -> Result<bool, VerbError> {
    match picture.extension("svg") {
        "png" => Ok(true),
        "svg" => Ok(false),
        _ => Err(VerbError(format!(
            "windfall: cannot draw `{}`; end the name in `.svg` or `.png`",
            picture.name()
        ))),
    }
}
