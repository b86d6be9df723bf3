//! Tables that fit a terminal: long cells go on below, between words, and columns for which there is no room stand in
//! a second table with the first column once more.
//!
//! Invariant: a cell holds nothing that steers a terminal, and no number is broken.

use super::paragraph;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};
use std::ops::Range;
use windfall_trace::escape::escaped;

/// Spaces between two columns.
const BETWEEN: usize = 2;

/// A cell has at most so many lines where its column is narrow; otherwise two tables are easier to read.
const FOLDS: usize = 2;

/// Columns of fewer characters are narrow: no place for sentences.
const NARROW: usize = 19;

/// Heads of at most so many characters stand in one line.
const HEAD: usize = 16;

/// A table; columns after the first `left` are aligned to the right. Lines have at most `width` characters, if that is
/// said. Where that is too few for all columns, those with nothing but `-` are left out.
#[must_use]
pub fn table(head: &[&str], left: usize, rows: Vec<Vec<String>>, width: Option<usize>) -> String {
    table_with(head, left, 0..0, rows, width)
}

/// The same; the columns of `together` stand in one table.
#[must_use]
pub fn table_with(
    head: &[&str],
    left: usize,
    together: Range<usize>,
    rows: Vec<Vec<String>>,
    width: Option<usize>,
) -> String {
    let cells = Cells { head, left, together, rows };
    let all: Vec<usize> = (0..head.len()).collect();
    let Some(width) = width else { return cells.draw(&all, None) };
    let parts = cells.parts(width);
    let parts =
        parts.iter().map(|columns| cells.draw(columns, Some(&cells.widths(columns, width))));
    parts.collect::<Vec<_>>().join("\n")
}

struct Cells<'a> {
    head: &'a [&'a str],
    left: usize,
    together: Range<usize>,
    rows: Vec<Vec<String>>,
}

impl Cells<'_> {
    /// The longest of what `length` says of each cell of a column, and of its head.
    fn longest(&self, column: usize, length: fn(&str) -> usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column)).map(|cell| escaped(cell));
        let head = self.head[column];
        let head = if whole(head) > HEAD { length(head) } else { whole(head) };
        cells.map(|cell| length(&cell)).chain([head]).max().unwrap_or(0)
    }

    /// The columns of each table that is drawn, with the first one in each: the fewest tables, but of whole cells where that
    /// takes no more of them; none has a narrow column with a cell of more than [`FOLDS`] lines, if that can be.
    fn parts(&self, width: usize) -> Vec<Vec<usize>> {
        let all: Vec<usize> = (0..self.head.len()).collect();
        let sum =
            |length| all.iter().map(|one| self.longest(*one, length) + BETWEEN).sum::<usize>();
        if sum(whole) <= width + BETWEEN {
            return vec![all];
        }
        let says =
            |column: usize| self.rows.iter().any(|row| row.get(column).is_none_or(|it| it != "-"));
        let group_says = self.together.clone().any(says);
        let stays = |column: &usize| match self.together.contains(column) {
            true => group_says, // the first one's head is about all
            false => *column == 0 || self.rows.is_empty() || says(*column),
        };
        let columns: Vec<usize> = all.into_iter().filter(stays).collect();
        let [word, half, whole] =
            [word, half, whole].map(|length| self.split(&columns, width, length));
        let reads_well = |parts: &[Vec<usize>]| {
            let folds = |part: &Vec<usize>| self.folds(part, &self.widths(part, width));
            parts.iter().all(|part| folds(part) <= FOLDS)
        };
        let few = [&word, &half].into_iter().find(|parts| reads_well(parts));
        let fewest = few.unwrap_or(&whole).len();
        [&whole, &half, &word]
            .into_iter()
            .find(|parts| parts.len() == fewest)
            .unwrap_or(&whole)
            .clone()
    }

    /// How many lines the highest cell of a narrow column has.
    fn folds(&self, columns: &[usize], widths: &[usize]) -> usize {
        let narrow = || columns.iter().zip(widths).filter(|(_, wide)| **wide < NARROW);
        let cells = |row| narrow().map(move |(column, wide)| (row, *column, *wide));
        let lines = |(row, column, wide): (&Vec<String>, usize, usize)| {
            row.get(column).map_or(1, |cell| paragraph("", 0, &escaped(cell), wide).lines().count())
        };
        self.rows.iter().flat_map(cells).map(lines).max().unwrap_or(1)
    }

    /// As many of these columns as fit, in order, in each table.
    fn split(&self, columns: &[usize], width: usize, length: fn(&str) -> usize) -> Vec<Vec<usize>> {
        let wide = |column: usize| self.longest(column, length).min(width / 2) + BETWEEN;
        let (mut parts, mut used) = (vec![Vec::new()], 0);
        for column in columns.iter().copied() {
            let beside =
                |one: &&usize| column == self.together.start && self.together.contains(one);
            let beside: usize = columns.iter().filter(beside).map(|one| wide(*one)).sum();
            let needed = beside.max(wide(column));
            if used + needed > width + BETWEEN && parts.last().is_some_and(|part| part.len() > 1) {
                used = wide(0);
                parts.push(vec![0]);
            }
            used += wide(column);
            parts.last_mut().expect("there is one from the beginning").push(column);
        }
        parts
    }

    /// How wide each of these columns is: enough for its words, then evenly more, up to whole cells.
    fn widths(&self, columns: &[usize], width: usize) -> Vec<usize> {
        let mut widths: Vec<usize> =
            columns.iter().map(|column| self.longest(*column, word).min(width / 2)).collect();
        let used: usize = widths.iter().map(|wide| wide + BETWEEN).sum();
        let mut room = (width + BETWEEN).saturating_sub(used);
        let wholes: Vec<usize> =
            columns.iter().map(|column| self.longest(*column, whole)).collect();
        // What is left goes round, so that no column is folded more than others.
        while room > 0 && widths.iter().zip(&wholes).any(|(wide, whole)| wide < whole) {
            for (wide, _) in widths.iter_mut().zip(&wholes).filter(|(wide, whole)| **wide < **whole)
            {
                if room > 0 {
                    *wide += 1;
                    room -= 1;
                }
            }
        }
        widths
    }

    fn draw(&self, columns: &[usize], widths: Option<&[usize]>) -> String {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        let arrangement = match widths {
            Some(_) => ContentArrangement::Dynamic,
            None => ContentArrangement::Disabled,
        };
        table.set_content_arrangement(arrangement);
        table.set_header(columns.iter().map(|column| self.head[*column]));
        for row in &self.rows {
            let cell = |column: &usize| row.get(*column).map_or("", String::as_str);
            table.add_row(columns.iter().map(|column| escaped(cell(column)).into_owned()));
        }
        for (place, column) in table.column_iter_mut().enumerate() {
            column.set_padding((0, 2));
            if columns[place] >= self.left {
                column.set_cell_alignment(CellAlignment::Right);
            }
            if let Some(wide) =
                widths.and_then(|widths| u16::try_from(widths[place] + BETWEEN).ok())
            {
                column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(wide)));
            }
        }
        let lines: Vec<String> =
            table.to_string().lines().map(|line| line.trim_end().to_owned()).collect();
        lines.join("\n") + "\n"
    }
}

fn whole(cell: &str) -> usize {
    cell.chars().count()
}

/// Half a cell, where that is more than its longest word.
fn half(cell: &str) -> usize {
    word(cell).max(whole(cell).div_ceil(2))
}

/// The longest word, with what a cell is indented by.
fn word(cell: &str) -> usize {
    let indent = cell.len() - cell.trim_start_matches(' ').len();
    cell.split_whitespace().map(whole).max().unwrap_or(0) + indent
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<Vec<String>> {
        let row = |cells: [&str; 5]| cells.map(str::to_owned).to_vec();
        vec![
            row([
                "audio-src",
                "RESBH 3ms 10ms",
                "800.0ms",
                "34.08ms",
                "it waited for a lock that others held",
            ]),
            row(["  cc1 (116 threads)", "-", "8.151s", "287.9ms", "cc1 6.511s (77.45%)"]),
        ]
    }

    #[test]
    fn law_no_line_is_wider_than_the_terminal_and_no_word_is_broken() {
        let head = ["THREAD", "PROMISED", "RECEIVED", "LONGEST", "MOSTLY"];
        for width in [36, 60, 80, 120] {
            let text = table(&head, 2, rows(), Some(width));
            assert!(text.lines().all(|line| line.chars().count() <= width), "{width}:\n{text}");
            let words = |text: &str| {
                let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
                words.sort();
                words.dedup();
                words
            };
            assert_eq!(words(&text), words(&table(&head, 2, rows(), None)), "{width}:\n{text}");
        }
    }

    #[test]
    fn limit_a_table_that_just_fits_is_as_wide_as_it_is_and_one_in_two_parts_repeats_the_first_column()
     {
        let head = ["NAME", "A", "B"];
        let rows = || vec![vec!["x".repeat(10), "1".repeat(10), "2".repeat(10)]];
        let plain = table(&head, 1, rows(), None);
        let widest = plain.lines().map(whole).max().unwrap();
        assert_eq!(widest, 34);
        assert_eq!(table(&head, 1, rows(), Some(widest)), plain);
        let split = table(&head, 1, rows(), Some(widest - 1));
        assert_eq!(split.matches("NAME").count(), 2, "{split}");
        assert_eq!(split.matches(&"x".repeat(10)).count(), 2, "{split}");
    }

    #[test]
    fn law_columns_that_belong_together_are_in_one_table_and_cells_of_several_tables_are_whole() {
        let head = ["THREAD", "PROMISED", "RECEIVED", "p50", "p99", "MAX"];
        let row = ["t1", "RESBH 200us 500us", "800.0ms", "34.08ms", "38.00ms", "38.00ms"];
        let rows = || vec![row.map(str::to_owned).to_vec()];
        let text = |width| table_with(&head, 2, 3..6, rows(), Some(width));
        for width in [40, 48, 52] {
            let text = text(width);
            assert_eq!(text.matches("THREAD").count(), 2, "{width}:\n{text}");
            assert!(text.contains("RESBH 200us 500us"), "{width}:\n{text}");
            assert!(text.lines().any(|line| line.ends_with("p50      p99      MAX")), "{text}");
        }
        let folded = text(60);
        assert!(!folded.contains("RESBH 200us 500us"), "folded in one table:\n{folded}");
        assert_eq!(folded.matches("THREAD").count(), 1, "{folded}");
        // Of the ways to make two tables, the one that folds nothing.
        let row = ["name", "aaaa bbbb", "cccccccc", "dddddddd"].map(str::to_owned).to_vec();
        let text = table(&["N", "A", "C", "D"], 1, vec![row], Some(24));
        assert!(text.contains("aaaa bbbb") && text.matches("name").count() == 2, "{text}");
    }

    #[test]
    fn law_a_column_of_dashes_is_left_out_where_room_is_short() {
        let head = ["THREAD", "PROMISED", "RECEIVED"];
        let rows = || vec![["a-long-name", "-", "800.0ms"].map(str::to_owned).to_vec()];
        let widest = table(&head, 2, rows(), None).lines().map(whole).max().unwrap();
        let has = |width| table(&head, 2, rows(), Some(width)).contains("PROMISED");
        assert!(has(widest) && !has(widest - 1));
    }

    #[test]
    fn accepts_a_name_that_is_wider_than_the_terminal() {
        let text = table(&["NAME", "A"], 1, vec![vec!["n".repeat(300), "1".to_owned()]], Some(60));
        assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
    }
}
