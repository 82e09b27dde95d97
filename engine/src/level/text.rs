//! Bytes to lines: byte order marks, line ends, NUL, quoting marks and encodings.

use std::borrow::Cow;

use super::error::{LevelError, LevelErrorKind};

/// One line of a file, without its end.
#[derive(Debug)]
pub(super) struct Line<'a> {
    /// Line number, from 1.
    pub(super) number: usize,
    /// Its bytes; leading quoting marks are blanks, so that columns stay what they are.
    pub(super) bytes: Cow<'a, [u8]>,
    /// How many quoting marks that were.
    pub(super) quotes: usize,
}

impl Line<'_> {
    /// Column, from 1, of the character at a byte offset.
    pub(super) fn column(&self, at: usize) -> usize {
        let before = &self.bytes[..at.min(self.bytes.len())];
        1 + decode(before).chars().count()
    }

    /// The character at a byte offset.
    pub(super) fn char_at(&self, at: usize) -> char {
        let rest = self.bytes.get(at..).unwrap_or_default();
        // Four bytes hold any character; the rest of a long line need not be decoded for it.
        let piece = rest.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
        piece.or_else(|| rest.first().map(|&byte| char::from(byte))).unwrap_or('\0')
    }

    /// The line as text, without blanks around it.
    pub(super) fn text(&self) -> String {
        decode(self.bytes.trim_ascii()).into_owned()
    }

    /// Whether nothing but blanks, tabs and NULs stands in it.
    pub(super) fn is_blank(&self) -> bool {
        self.bytes.iter().all(|byte| b" \t\0".contains(byte))
    }
}

/// UTF-8 if it is, else Latin-1, in which every byte is a character.
pub(super) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(bytes.iter().map(|&byte| char::from(byte)).collect()),
    }
}

/// Splits a file into lines. `\n`, `\r\n` and a bare `\r` end a line. A NUL
/// is blank on a line of its own, and elsewhere a character of no meaning.
pub(super) fn lines(bytes: &[u8]) -> Result<Vec<Line<'_>>, LevelError> {
    let foreign = |format| LevelError::of_file(None, LevelErrorKind::Foreign { format });
    if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
        return Err(foreign("UTF-16 text"));
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    if is_slc_xml(bytes) {
        return Err(foreign("an SLC file (XML, SokobanLev.dtd)"));
    }
    let mut lines = Vec::new();
    let mut rest = bytes;
    let mut number = 1;
    while !rest.is_empty() {
        let end = rest.iter().position(|&byte| byte == b'\n' || byte == b'\r');
        let (line, next) = match end {
            None => (rest, &rest[rest.len()..]),
            Some(end) if rest[end..].starts_with(b"\r\n") => (&rest[..end], &rest[end + 2..]),
            Some(end) => (&rest[..end], &rest[end + 1..]),
        };
        lines.push(unquoted(number, line));
        rest = next;
        number += 1;
    }
    Ok(lines)
}

/// A line whose leading `>` marks are made blanks.
fn unquoted(number: usize, bytes: &[u8]) -> Line<'_> {
    if bytes.first() != Some(&b'>') {
        return Line { number, bytes: Cow::Borrowed(bytes), quotes: 0 };
    }
    let mut bytes = bytes.to_vec();
    let mut quotes = 0;
    let mut at = 0;
    while let Some(b'>') = bytes.get(at) {
        bytes[at] = b' ';
        quotes += 1;
        at += 1;
        // "> >" quotes twice; blanks that no further mark follows belong to the row.
        if bytes.get(at) == Some(&b' ') && bytes.get(at + 1) == Some(&b'>') {
            at += 1;
        }
    }
    Line { number, bytes: Cow::Owned(bytes), quotes }
}

/// Whether the text starts as the XML format of many level collections does.
fn is_slc_xml(bytes: &[u8]) -> bool {
    let start = bytes.trim_ascii_start();
    let starts_with =
        |word: &[u8]| start.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word));
    starts_with(b"<?xml") || starts_with(b"<!doctype") || starts_with(b"<sokobanlevels")
}
