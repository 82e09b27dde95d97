//! The flag that names the job token, the same on every command.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use sokohive_proto::{Token, TokenError};

/// The variable that may hold the token itself.
const VARIABLE: &str = "SOKOHIVE_JOB_TOKEN";

/// Where the job token comes from.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct TokenArgs {
    /// File with the secret that a coordinator shares with its clients and workers
    ///
    /// Without the flag it is what the variable SOKOHIVE_JOB_TOKEN holds; without both there is none.
    #[arg(long, value_name = "FILE", env = "SOKOHIVE_JOB_TOKEN_FILE")]
    job_token_file: Option<PathBuf>,
}

/// Why there is no job token, though there should be one.
#[derive(Debug, thiserror::Error)]
pub enum TokenArgsError {
    /// The file cannot be read.
    #[error("--job-token-file {}: {source}", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// What is there is no token.
    #[error("{place}: {problem}")]
    Content {
        /// The flag and its file, or the variable.
        place: String,
        /// What is wrong with it.
        problem: TokenError,
    },
}

impl TokenArgs {
    /// The token, if there is one.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or what is there is no token.
    pub fn token(&self) -> Result<Option<Token>, TokenArgsError> {
        match (&self.job_token_file, env::var(VARIABLE)) {
            (Some(file), _) => read(file).map(Some),
            (None, Ok(text)) => {
                let bad = |problem| TokenArgsError::Content { place: VARIABLE.to_owned(), problem };
                Token::new(&text).map(Some).map_err(bad)
            }
            (None, Err(_)) => Ok(None),
        }
    }
}

fn read(file: &Path) -> Result<Token, TokenArgsError> {
    let text = fs::read_to_string(file)
        .map_err(|source| TokenArgsError::File { file: file.to_owned(), source })?;
    let place = format!("--job-token-file {}", file.display());
    Token::new(&text).map_err(|problem| TokenArgsError::Content { place, problem })
}
