//! The live screen of a run: processors, the tree with a bar for each row, and details of the selected row.
//!
//! A bar shows time received lately; a tick in it marks the promise. Standings differ by
//! sign and word, not by colour alone. Absent on purpose: a terminal, and keys.

use super::{Row, accused, percent, rows, standing, tenths};
use crate::terminal::figures;
use crate::votes;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Widget, Wrap};
use windfall_scenario::listing::{Account, Listing, LiveStatus, Processor};

/// The order of the rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// As they stand in the tree.
    Tree,
    /// Most time received lately first.
    Received,
    /// Most misses first.
    Missed,
}

impl Order {
    /// The next one, for a key that goes round.
    #[must_use]
    pub const fn next(self) -> Order {
        match self {
            Order::Tree => Order::Received,
            Order::Received => Order::Missed,
            Order::Missed => Order::Tree,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Order::Tree => "tree",
            Order::Received => "received",
            Order::Missed => "missed",
        }
    }
}

/// The live view: processors, the tree, and details of the selected row. It draws itself as a widget.
#[derive(Clone, Debug)]
pub struct Screen {
    listing: Listing,
    rows: Vec<Row>,
    order: Order,
    /// The row that is marked.
    marked: usize,
    /// Whether nothing newer is wanted.
    pub paused: bool,
    /// Why there is nothing newer.
    pub over: Option<String>,
    /// Whether standings are shown in colour, too.
    colour: bool,
}

impl Screen {
    /// A run, in the order of its tree.
    #[must_use]
    pub fn new(listing: Listing, colour: bool) -> Screen {
        let (rows, order) = (rows(&listing), Order::Tree);
        Screen { listing, rows, order, paused: false, marked: 0, over: None, colour }
    }

    /// Shows what is newer.
    pub fn show(&mut self, listing: Listing) {
        self.listing = listing;
        self.sort();
    }

    /// Sorts by the next order.
    pub fn sort_otherwise(&mut self) {
        self.order = self.order.next();
        self.sort();
    }

    /// Marks the row so many rows above the marked one, or the first.
    pub fn up(&mut self, rows: usize) {
        self.marked = self.marked.saturating_sub(rows);
    }

    /// Marks the row so many rows below the marked one, or the last.
    pub fn down(&mut self, rows: usize) {
        self.marked = self.marked.saturating_add(rows).min(self.rows.len().saturating_sub(1));
    }

    /// How far a row stands to the right.
    fn indent(&self, row: &Row) -> usize {
        if self.order == Order::Tree { 2 * row.depth } else { 0 }
    }

    fn sort(&mut self) {
        self.rows = rows(&self.listing);
        match self.order {
            Order::Tree => {}
            Order::Received => self.rows.sort_by_key(|row| std::cmp::Reverse(row.received.last_ns)),
            Order::Missed => self.rows.sort_by_key(|row| {
                let missed = row.promised.as_ref().map(|p| p.standing == LiveStatus::Missed);
                std::cmp::Reverse((missed, row.missed))
            }),
        }
        self.marked = self.marked.min(self.rows.len().saturating_sub(1));
    }
}

/// The least width of the bar.
const BAR: usize = 8;
/// The width of per cent, missed and status, with the spaces between all columns but `ON`.
const FIXED: usize = 23;
/// The least width at which all figures of a processor fit beside their names.
const ROOMY: usize = 80;

impl Widget for &Screen {
    fn render(self, area: Rect, buffer: &mut Buffer) {
        draw(self, area, buffer);
    }
}

/// Draws everything.
fn draw(screen: &Screen, area: Rect, buffer: &mut Buffer) {
    let cpus = u16::try_from(screen.listing.cpus.len()).unwrap_or(1).min(area.height / 3);
    let accused = accused(&screen.listing);
    let lines =
        |sentence: &String| sentence.chars().count().div_ceil(usize::from(area.width.max(1)));
    let said = u16::try_from(accused.iter().map(lines).sum::<usize>());
    let said = said.map_or(area.height / 6, |all| all.min(area.height / 6));
    let parts = [
        Constraint::Length(1),
        Constraint::Length(cpus),
        Constraint::Length(1),
        Constraint::Min(1),
        Constraint::Length(said),
        Constraint::Length(1 + u16::from(area.height >= 16) + u16::from(area.height >= 24)),
        Constraint::Length(u16::from(area.height >= 16)),
        Constraint::Length(1),
    ];
    let [head, processors, names, tree, voters, detail, legend, foot] =
        Layout::vertical(parts).areas(area);
    let columns = Columns::of(screen, area.width);
    Paragraph::new(title(screen)).render(head, buffer);
    let lines: Vec<Line<'_>> = screen
        .listing
        .cpus
        .iter()
        .map(|cpu| {
            Line::raw(processor(&screen.listing, cpu, usize::from(area.width), columns.wide))
        })
        .collect();
    Paragraph::new(lines).render(processors, buffer);
    let reversed = Style::new().add_modifier(Modifier::REVERSED);
    Paragraph::new(columns.head()).style(reversed).render(names, buffer);
    Paragraph::new(body(screen, &columns, tree)).render(tree, buffer);
    let accused: Vec<Line<'_>> = accused.into_iter().map(Line::raw).collect();
    let bold = Style::new().add_modifier(Modifier::BOLD);
    Paragraph::new(accused).style(bold).wrap(Wrap { trim: false }).render(voters, buffer);
    Paragraph::new(marked(screen)).wrap(Wrap { trim: true }).render(detail, buffer);
    Paragraph::new(signs(area.width.into())).render(legend, buffer);
    let keys = "q ends  arrows move  space pauses  s sorts by: ";
    Paragraph::new(format!("{keys}{}", screen.order.name())).render(foot, buffer);
}

/// The meanings of the signs, as far as the width allows.
fn signs(width: usize) -> String {
    let tick = if width < ROOMY { "" } else { "  | promised" };
    let of = |excused: &str| {
        format!("= kept  - unused  ~ {excused}  + exceeded  ! missed  ? unknown{tick}")
    };
    let whole = of("stolen or overhead");
    if whole.len() <= width { whole } else { of("stolen") }
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

fn processor(listing: &Listing, cpu: &Processor, width: usize, wide: bool) -> String {
    let part = |account: &Account| percent(account.last_ns, listing.last_ns);
    if width < ROOMY {
        return format!(
            "cpu {} threads {}% deciding {}% stolen {}% rest {}%",
            cpu.number,
            part(&cpu.received),
            part(&cpu.scheduling),
            part(&cpu.stolen),
            part(&cpu.rest),
        );
    }
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
    /// Whether there is room for the processor.
    on: bool,
}

impl Columns {
    /// Names and promises as wide as they are; the bar takes the rest, and [`BAR`] before names are whole.
    fn of(screen: &Screen, width: u16) -> Columns {
        let width = usize::from(width);
        let (wide, on) = (width >= 110, width >= ROOMY);
        let length = |text: &str| text.chars().count();
        let rows = screen.rows.iter();
        let names = rows.clone().map(|row| length(&row.name) + screen.indent(row)).max();
        let promises = rows.filter_map(|row| Some(length(&row.promised.as_ref()?.guarantee))).max();
        let sort = if wide { 20 } else { 0 };
        let room = width.saturating_sub(FIXED + if on { 4 } else { 0 } + sort + usize::from(wide));
        let promised = promises.unwrap_or(0).clamp(8, 24);
        let name = names.unwrap_or(0).clamp(4, room.saturating_sub(promised + BAR).max(4));
        Columns { name, sort, promised, bar: room.saturating_sub(promised + name), wide, on }
    }

    fn head(&self) -> String {
        let Columns { name, sort, promised, bar, .. } = *self;
        let sort = if self.wide { format!("{:sort$} ", "KIND OR STATE") } else { String::new() };
        let received = if bar < 15 { "RECEIVED" } else { "RECEIVED LATELY" };
        let on = if self.on { format!("{:>3} ", "ON") } else { String::new() };
        format!(
            "{:name$} {sort}{:promised$} {:>5}  {} {:>6} {on}STATUS",
            "NAME",
            "PROMISED",
            "%CPU",
            cut(received, bar),
            "MISSED",
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
    let title = cut(&format!("{}{}", " ".repeat(screen.indent(row)), row.name), name);
    let kind = match columns.wide {
        true => format!("{} ", cut(&row.sort, sort)),
        false => String::new(),
    };
    let requested = row.promised.as_ref().map_or(String::new(), |p| p.guarantee.clone());
    let missed = if row.is_thread { row.missed.to_string() } else { String::new() };
    let on = row.cpu.map_or_else(String::new, |cpu| cpu.to_string());
    let on = if columns.on { format!("{on:>3} ") } else { String::new() };
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
            cut(&requested, promised),
            percent(row.received.last_ns, screen.listing.last_ns)
        )),
        Span::styled(
            bar(received, share.map(|ppm| u128::from(ppm) / 1_000), whole, width),
            colour(screen, found),
        ),
        Span::raw(format!(" {missed:>6} {on}")),
        Span::styled(sign(found), colour(screen, found).add_modifier(Modifier::BOLD)),
    ])
}

/// A bar for time received, with a tick at the promise; both in thousandths of a processor.
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
        Some(LiveStatus::Unused | LiveStatus::NotTested) => "-",
        Some(LiveStatus::Over) => "+",
        Some(LiveStatus::Stolen | LiveStatus::Overhead) => "~",
        Some(LiveStatus::Missed) => "!",
        Some(LiveStatus::Unknown) => "?",
    }
}

fn colour(screen: &Screen, found: Option<LiveStatus>) -> Style {
    let colour = match found {
        None => Color::Blue,
        Some(LiveStatus::Met) => Color::Green,
        Some(LiveStatus::Unused | LiveStatus::NotTested) => Color::Gray,
        Some(LiveStatus::Stolen | LiveStatus::Overhead) => Color::Yellow,
        Some(LiveStatus::Over | LiveStatus::Missed) => Color::Red,
        Some(LiveStatus::Unknown) => Color::Magenta,
    };
    coloured(screen, colour)
}

/// A colour where people want one.
fn coloured(screen: &Screen, colour: Color) -> Style {
    if screen.colour { Style::new().fg(colour) } else { Style::new() }
}

/// Details of the selected row.
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
    let counted = match votes::others(&row.counted).as_slice() {
        [] => String::new(),
        counted => format!("; counted: {}", figures(counted)),
    };
    format!("{} ({}), {share}% in all: {promise}{counted}", row.name, row.sort)
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
mod tests;
