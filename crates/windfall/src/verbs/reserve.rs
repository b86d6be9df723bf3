//! `windfall reserve FILE`: the reservation that is enough for an application's threads (HLS 6.1).

mod requested;

pub(crate) use requested::TaskText;

use crate::cli::ReserveArgs;
use crate::command_error::CommandError;
use crate::output::{Destination, Destinations};
use crate::{Answer, VerbError};
use std::io::Write;
use windfall_report::reserve::{self, Basis};

pub(crate) fn run(args: &ReserveArgs) -> Result<Answer, CommandError> {
    let mut outputs = Destinations::new(args.force.force, args.file.as_deref())?;
    if args.json {
        outputs.claim_standard("`--json`")?;
    }
    let picture =
        args.picture.as_deref().map(|path| outputs.claim("--picture", path)).transpose()?;
    let png = picture.as_ref().map(is_png).transpose()?;
    let ((case, cost_by), search) = (requested::case(args)?, requested::search(args));
    let found = case.find(&search)?;
    if let (Some(picture), Some(png)) = (&picture, png) {
        let swept = match search.period {
            Some(_) => &case.sweep(&search)?,
            None => &found.boundary,
        };
        let scene = reserve::scene(&case, &found, swept);
        let bytes = if png { scene.png() } else { scene.svg().into_bytes() };
        picture.write(|out| out.write_all(&bytes))?;
    }
    let requested = Basis { search: &search, cost_by };
    outputs.show(
        args.json,
        || reserve::json(&case, &found, &requested),
        |width| reserve::text(&case, &found, &requested, width),
    )?;
    Ok(if found.is_enough() { Answer::Yes } else { Answer::No })
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
