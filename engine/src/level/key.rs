//! Lines around boards: remarks, `Key: value` lines, and headings of solutions.

use super::text::{Line, decode};

/// What a line is that belongs to no board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Remark {
    /// A `;` line: a title if a board follows, else a remark.
    Title(String),
    /// A `::` line, which never names anything.
    Raw,
    /// `Comment:`, which hides everything up to `Comment-End:` if there is one.
    Comment,
    /// `Comment-End:`.
    CommentEnd,
    /// `Title: value`.
    Name(String),
    /// `Solution: moves`.
    Solution(String),
    /// Any other key.
    Other,
}

/// Longest key; longer words before a colon are prose.
const MAX_KEY: usize = 40;

/// Reads a line as a remark or key, if it is one.
pub(super) fn read(line: &Line<'_>) -> Option<Remark> {
    let bytes = line.bytes.trim_ascii();
    if bytes.starts_with(b"::") {
        return Some(Remark::Raw);
    }
    if let Some(rest) = bytes.strip_prefix(b";") {
        return Some(Remark::Title(decode(rest.trim_ascii()).into_owned()));
    }
    let colon = bytes.iter().take(MAX_KEY + 1).position(|&byte| byte == b':')?;
    let (key, value) = (&bytes[..colon], &bytes[colon + 1..]);
    let is_key = key.first().is_some_and(u8::is_ascii_alphabetic)
        && key.iter().all(|byte| byte.is_ascii_alphabetic() || b" -_".contains(byte));
    if !is_key {
        return None;
    }
    let key: String = key.iter().map(|byte| char::from(byte.to_ascii_lowercase())).collect();
    let value = decode(value.trim_ascii());
    Some(match key.replace(['_', ' '], "-").as_str() {
        "comment" => Remark::Comment,
        "comment-end" => Remark::CommentEnd,
        "title" if !value.is_empty() => Remark::Name(value.into_owned()),
        "solution" => Remark::Solution(value.into_owned()),
        _ => Remark::Other,
    })
}

/// Whether a line announces moves, and whether these are a solution rather than a saved game.
pub(super) fn heading(line: &Line<'_>) -> Option<bool> {
    let bytes = line.bytes.trim_ascii();
    let starts = |word: &str| {
        bytes.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word.as_bytes()))
    };
    if ["solution", "best solution"].into_iter().any(starts) {
        return Some(true);
    }
    ["snapshot", "savegame", "save game", "saved game"].into_iter().any(starts).then_some(false)
}

/// Whether a line is made of what move strings are made of.
pub(super) fn is_moves(line: &Line<'_>) -> bool {
    let known = |byte: &u8| b"lurdLURD*[](){} \t".contains(byte) || byte.is_ascii_digit();
    line.bytes.iter().all(known) && line.bytes.iter().any(|byte| b"lurdLURD*".contains(byte))
}

/// Whether a line of moves holds a letter, so that it can be no row of a board.
pub(super) fn has_step(line: &Line<'_>) -> bool {
    line.bytes.iter().any(|byte| b"lurdLURD".contains(byte))
}
