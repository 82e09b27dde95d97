//! The secret that a coordinator shares with those who may give it jobs.

use std::fmt;
use std::sync::Arc;

use subtle::ConstantTimeEq;
use tonic::metadata::{Ascii, MetadataMap, MetadataValue};
use tonic::service::Interceptor;
use tonic::{Request, Status};

use crate::Refusal;

/// The header that carries it, and what stands before it there.
const HEADER: &str = "authorization";
const SCHEME: &str = "Bearer ";

/// Fewest and most characters of a token: too many to be tried out, few enough for a header.
const LENGTH: std::ops::RangeInclusive<usize> = 16..=1024;

/// A secret that a coordinator shares with its submitters and workers.
///
/// It says who may use the coordinator, and nothing more: it is not tied to a connection, so whoever can
/// listen to one that is not encrypted can take it.
#[derive(Clone)]
pub struct Token(Arc<str>);

/// Text that is no token. Never shows the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// Too short to be a secret, or too long for a header.
    #[error(
        "a token of {found} characters, expected {} to {}",
        LENGTH.start(), LENGTH.end()
    )]
    Length {
        /// Its characters.
        found: usize,
    },
    /// A character that a header cannot carry.
    #[error("character {place} of the token is no visible character of ASCII")]
    Character {
        /// Its place, from 1.
        place: usize,
    },
}

impl Token {
    /// Takes a token as it stands in a file: blanks and line ends around it do not count.
    ///
    /// # Errors
    ///
    /// If it is too short or too long, or a header could not carry it.
    pub fn new(text: &str) -> Result<Self, TokenError> {
        let text = text.trim();
        if let Some(place) = text.chars().position(|c| !c.is_ascii_graphic()) {
            return Err(TokenError::Character { place: place + 1 });
        }
        if !LENGTH.contains(&text.len()) {
            return Err(TokenError::Length { found: text.len() });
        }
        Ok(Self(text.into()))
    }

    /// Whether a call brings this token. Takes the same time wherever a wrong one of the same length
    /// differs.
    ///
    /// # Errors
    ///
    /// If it brings none, or another one.
    pub fn check(&self, metadata: &MetadataMap) -> Result<(), Refusal> {
        let Some(value) = metadata.get(HEADER) else {
            return Err(Refusal::Unauthenticated("a job token is missing".to_owned()));
        };
        let found = value.as_bytes().strip_prefix(SCHEME.as_bytes()).unwrap_or_default();
        if bool::from(found.ct_eq(self.0.as_bytes())) {
            Ok(())
        } else {
            Err(Refusal::Unauthenticated("the job token is another one".to_owned()))
        }
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// Puts a token into every call of a client; does nothing where there is none.
#[derive(Clone, Debug, Default)]
pub struct Bearer(Option<MetadataValue<Ascii>>);

impl From<Option<&Token>> for Bearer {
    fn from(token: Option<&Token>) -> Self {
        let value = token.and_then(|Token(token)| {
            // Every token has passed for visible ASCII.
            let mut value: MetadataValue<Ascii> = format!("{SCHEME}{token}").parse().ok()?;
            value.set_sensitive(true);
            Some(value)
        });
        Self(value)
    }
}

impl Interceptor for Bearer {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(value) = &self.0 {
            request.metadata_mut().insert(HEADER, value.clone());
        }
        Ok(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn carried(token: &Token) -> MetadataMap {
        Bearer::from(Some(token)).call(Request::new(())).unwrap().metadata().clone()
    }

    #[test]
    fn only_the_same_token_passes() {
        let token = Token::new(" 0123456789abcdef\n").unwrap();
        assert_eq!(token.check(&carried(&token)), Ok(()));
        for other in ["0123456789abcdeF", "0123456789abcdef0", "1123456789abcdef"] {
            let refusal = token.check(&carried(&Token::new(other).unwrap())).unwrap_err();
            assert!(matches!(refusal, Refusal::Unauthenticated(_)), "{other}");
        }
        let refusal = token.check(&MetadataMap::new()).unwrap_err();
        assert_eq!(refusal, Refusal::Unauthenticated("a job token is missing".to_owned()));
        let mut basic = MetadataMap::new();
        basic.insert(HEADER, "Basic 0123456789abcdef".parse().unwrap());
        assert!(token.check(&basic).is_err());
        let none = Bearer::default().call(Request::new(())).unwrap();
        assert!(none.metadata().is_empty());
    }

    #[test]
    fn what_is_no_secret_is_refused_without_being_shown() {
        assert_eq!(Token::new("short\n").unwrap_err(), TokenError::Length { found: 5 });
        assert_eq!(Token::new("").unwrap_err(), TokenError::Length { found: 0 });
        assert!(Token::new(&"x".repeat(1025)).is_err());
        let error = Token::new("0123456789 abcdef").unwrap_err();
        assert_eq!(error, TokenError::Character { place: 11 });
        let shown = format!("{:?}", Token::new("0123456789abcdef").unwrap());
        assert!(!shown.contains("0123"), "{shown}");
    }
}
