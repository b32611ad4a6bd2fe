//! What all requests share.

use std::path::PathBuf;

use hookgate_store::Reader;
use minijinja::Environment;
use serde::Serialize;

use crate::abort::Abort;
use crate::bearer_token::BearerToken;
use crate::config::ConfigArgs;
use crate::html::{self, VIEW, View};
use crate::journal;

const PAGE: (&str, &str) = ("page.html", include_str!("templates/page.html"));
const FILTER: (&str, &str) = ("filter.html", include_str!("templates/filter.html"));
const ANSWER: (&str, &str) = ("answer.html", include_str!("templates/answer.html"));

/// The page, of one run of the program.
pub(super) struct Site {
    pub(super) token: BearerToken,
    pub(super) port: u16,
    /// The file, which may not be there yet.
    pub(super) journal: PathBuf,
    pub(super) config: ConfigArgs,
    environment: Environment<'static>,
}

impl Site {
    pub(super) fn new(port: u16, journal: PathBuf, config: ConfigArgs) -> Result<Self, Abort> {
        let environment = html::environment(&[PAGE, FILTER, ANSWER, VIEW])?;
        Ok(Self { token: BearerToken::random()?, port, journal, config, environment })
    }

    /// Opens the journal, for one request.
    pub(super) fn open(&self) -> Result<Reader, Abort> {
        journal::open_to_read(&self.journal)
    }

    /// Returns the page without any data: who has no token sees this and no more.
    pub(super) fn page(&self) -> Result<String, Abort> {
        html::render(&self.environment, PAGE.0, ())
    }

    /// Returns a view as HTML.
    pub(super) fn view(&self, view: View) -> Result<String, Abort> {
        html::render(&self.environment, VIEW.0, view)
    }

    /// Returns the form with the filters of decisions.
    pub(super) fn filter(&self, filter: impl Serialize) -> Result<String, Abort> {
        html::render(&self.environment, FILTER.0, filter)
    }

    /// Returns the form that answers a question.
    pub(super) fn answer(&self, question: impl Serialize) -> Result<String, Abort> {
        html::render(&self.environment, ANSWER.0, question)
    }
}
