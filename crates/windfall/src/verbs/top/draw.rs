//! The screen: processors, the tree with a bar for each row, and what the marked row says.
//!
//! A bar is what was received lately; a tick in it stands at what was promised. Standings differ by
//! sign and word, not by colour alone.

use super::Screen;
use crate::verbs::live::{Row, percent, standing, tenths};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Wrap};
use windfall_linux::control::{Account, Listing, LiveStatus, Processor};

/// The bar's width on a narrow screen.
const NARROW: usize = 14;

/// Draws everything.
pub(super) fn draw(frame: &mut Frame<'_>, screen: &Screen) {
    let cpus = u16::try_from(screen.listing.cpus.len()).unwrap_or(1).min(frame.area().height / 3);
    let parts = [
        Constraint::Length(1),
        Constraint::Length(cpus),
        Constraint::Length(1),
        Constraint::Min(1),
        Constraint::Length(1 + u16::from(frame.area().height >= 16)),
        Constraint::Length(u16::from(frame.area().height >= 16)),
        Constraint::Length(1),
    ];
    let [head, processors, names, tree, detail, legend, foot] =
        Layout::vertical(parts).areas(frame.area());
    let columns = Columns::of(frame.area().width);
    frame.render_widget(Paragraph::new(title(screen)), head);
    let lines: Vec<Line<'_>> = screen
        .listing
        .cpus
        .iter()
        .map(|cpu| Line::raw(processor(&screen.listing, cpu, columns.wide)))
        .collect();
    frame.render_widget(Paragraph::new(lines), processors);
    let reversed = Style::new().add_modifier(Modifier::REVERSED);
    frame.render_widget(Paragraph::new(columns.head()).style(reversed), names);
    frame.render_widget(Paragraph::new(body(screen, &columns, tree)), tree);
    frame.render_widget(Paragraph::new(marked(screen)).wrap(Wrap { trim: true }), detail);
    let signs = "= kept  - not asking  + exceeded  ! missed  ? unknown    | promised";
    frame.render_widget(Paragraph::new(signs), legend);
    let keys = "q ends  arrows move  space pauses  s sorts by: ";
    frame.render_widget(Paragraph::new(format!("{keys}{}", screen.order.name())), foot);
}

fn title(screen: &Screen) -> Line<'static> {
    let Listing { name, now_ns, end_ns, decisions, lost, .. } = &screen.listing;
    let name = name.rsplit('/').next().unwrap_or(name).to_owned();
    let (now, end) = (now_ns / 1_000_000_000, end_ns / 1_000_000_000);
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let mut spans = vec![
        Span::styled(name, bold),
        Span::raw(format!("  {now} s of {end} s  {decisions} decisions")),
    ];
    if *lost {
        spans.push(Span::styled("  EVENTS LOST", coloured(screen, Color::Magenta)));
    }
    if screen.paused {
        spans.push(Span::styled("  paused", bold));
    }
    if screen.over.is_some() {
        spans.push(Span::styled("  it has ended", bold));
    }
    Line::from(spans)
}

fn processor(listing: &Listing, cpu: &Processor, wide: bool) -> String {
    let part = |account: &Account| percent(account.last_ns, listing.last_ns);
    let leaked = if wide { format!("  leaked {:>5}%", part(&cpu.leaked)) } else { String::new() };
    format!(
        "cpu {:<3} threads {:>5}%  deciding {:>4}%  stolen {:>4}%  rest {:>5}%{leaked}  {}",
        cpu.number,
        part(&cpu.received),
        part(&cpu.scheduling),
        part(&cpu.stolen),
        part(&cpu.rest),
        cpu.granted.as_deref().unwrap_or("-"),
    )
}

/// How wide each column is.
struct Columns {
    name: usize,
    sort: usize,
    promised: usize,
    bar: usize,
    wide: bool,
}

impl Columns {
    fn of(width: u16) -> Columns {
        let width = usize::from(width);
        let wide = width >= 110;
        // What is fixed: a sign, per cent, on, missed, and the spaces between.
        let room = width.saturating_sub(24);
        match wide {
            true => {
                Columns { name: 24, sort: 20, promised: 18, bar: room.saturating_sub(66), wide }
            }
            false => Columns {
                name: room.saturating_sub(NARROW + 18),
                sort: 0,
                promised: 16,
                bar: NARROW,
                wide,
            },
        }
    }

    fn head(&self) -> String {
        let Columns { name, sort, promised, bar, .. } = self;
        let sort = if self.wide { format!("{:sort$} ", "KIND OR STATE") } else { String::new() };
        format!(
            "{:name$} {sort}{:promised$} {:>5}  {:bar$} {:>6} {:>3}   ",
            "NAME", "PROMISED", "%CPU", "RECEIVED LATELY", "MISSED", "ON"
        )
    }
}

/// The rows that fit, with the marked one among them.
fn body<'a>(screen: &'a Screen, columns: &Columns, area: Rect) -> Vec<Line<'a>> {
    let height = usize::from(area.height).max(1);
    let first = screen.marked.saturating_sub(height / 2);
    let first = first.min(screen.rows.len().saturating_sub(height));
    let rows = screen.rows.iter().enumerate().skip(first).take(height);
    rows.map(|(at, row)| line(screen, row, columns, at == screen.marked)).collect()
}

fn line<'a>(screen: &Screen, row: &Row, columns: &Columns, marked: bool) -> Line<'a> {
    let Columns { name, sort, promised, bar: width, .. } = *columns;
    let depth = if screen.order == super::Order::Tree { row.depth } else { 0 };
    let title = cut(&format!("{}{}", "  ".repeat(depth), row.name), name);
    let kind = match columns.wide {
        true => format!("{} ", cut(&row.sort, sort)),
        false => String::new(),
    };
    let asked = row.promised.as_ref().map_or(String::new(), |p| p.guarantee.clone());
    let missed = if row.is_thread { row.missed.to_string() } else { String::new() };
    let on = row.cpu.map_or_else(String::new, |cpu| cpu.to_string());
    let found = row.promised.as_ref().map(|promised| promised.standing);
    let mut style = Style::new();
    if !row.is_thread {
        style = style.add_modifier(Modifier::BOLD);
    }
    if marked {
        style = style.add_modifier(Modifier::UNDERLINED);
    }
    let share = row.promised.as_ref().and_then(|promised| promised.share_ppm);
    let received = tenths(row.received.last_ns, screen.listing.last_ns);
    let whole = 1_000 * (screen.listing.cpus.len() as u128).max(1);
    let whole = if row.is_thread { 1_000 } else { whole };
    Line::from(vec![
        Span::styled(format!("{title} {kind}"), style),
        Span::raw(format!(
            "{} {:>5}  ",
            cut(&asked, promised),
            percent(row.received.last_ns, screen.listing.last_ns)
        )),
        Span::styled(
            bar(received, share.map(|ppm| u128::from(ppm) / 1_000), whole, width),
            colour(screen, found),
        ),
        Span::raw(format!(" {missed:>6} {on:>3} ")),
        Span::styled(sign(found), colour(screen, found).add_modifier(Modifier::BOLD)),
    ])
}

/// What was received, with a tick at what was promised; both in thousandths of a processor.
fn bar(received: u128, promised: Option<u128>, whole: u128, width: usize) -> String {
    let cells = |thousandths: u128| {
        let cells = thousandths.saturating_mul(width as u128).saturating_add(whole / 2) / whole;
        usize::try_from(cells).unwrap_or(width).min(width)
    };
    let filled = cells(received);
    let tick = promised.map(|promised| cells(promised).clamp(1, width.max(1)) - 1);
    let cell = |at: usize| match (tick == Some(at), at < filled) {
        (true, _) => '|',
        (false, true) => '█',
        (false, false) => '·',
    };
    (0..width).map(cell).collect()
}

const fn sign(found: Option<LiveStatus>) -> &'static str {
    match found {
        None => " ",
        Some(LiveStatus::Met) => "=",
        Some(LiveStatus::NotAsking) => "-",
        Some(LiveStatus::Over) => "+",
        Some(LiveStatus::Missed) => "!",
        Some(LiveStatus::Unknown) => "?",
    }
}

fn colour(screen: &Screen, found: Option<LiveStatus>) -> Style {
    let colour = match found {
        None => Color::Blue,
        Some(LiveStatus::Met) => Color::Green,
        Some(LiveStatus::NotAsking) => Color::Gray,
        Some(LiveStatus::Over) => Color::Yellow,
        Some(LiveStatus::Missed) => Color::Red,
        Some(LiveStatus::Unknown) => Color::Magenta,
    };
    coloured(screen, colour)
}

/// A colour where people want one.
fn coloured(screen: &Screen, colour: Color) -> Style {
    if screen.colour { Style::new().fg(colour) } else { Style::new() }
}

/// What there is to say of the marked row.
fn marked(screen: &Screen) -> String {
    let Some(row) = screen.rows.get(screen.marked) else { return String::new() };
    let promise = row.promised.as_ref().map_or_else(
        || "nothing promised".to_owned(),
        |promised| {
            let why = promised.why.as_ref().map_or_else(String::new, |why| format!(": {why}"));
            let granted = if promised.granted { "" } else { " (not granted)" };
            format!("{}{granted} {}{why}", promised.guarantee, standing(promised.standing))
        },
    );
    let share = percent(row.received.ns, screen.listing.now_ns);
    format!("{} ({}), {share}% in all: {promise}", row.name, row.sort)
}

/// A text in exactly so many columns.
fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return format!("{text:width$}");
    }
    let short: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{short}~")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn law_a_bar_is_as_wide_as_it_should_be_and_shows_its_tick() {
        assert_eq!(bar(500, None, 1_000, 10), "█████·····");
        assert_eq!(bar(500, Some(300), 1_000, 10), "██|██·····");
        assert_eq!(bar(100, Some(300), 1_000, 10), "█·|·······");
        assert_eq!(bar(9_000, Some(9_000), 1_000, 4), "███|");
        assert_eq!(bar(0, Some(0), 1_000, 0), "");
    }

    #[test]
    fn law_a_cell_has_its_width_whatever_is_in_it() {
        assert_eq!((cut("ab", 3), cut("abcd", 3)), ("ab ".to_owned(), "ab~".to_owned()));
    }
}
