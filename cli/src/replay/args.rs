//! What the verbs that judge recorded steps are asked alike.

use crate::journal::FilterArgs;
use crate::terminal::stdout::OutputArgs;

use super::external::ExternalArgs;
use super::known::Change;

/// How recorded steps are read and judged, and what is told of them. The steps themselves are an argument `steps` of
/// the verb.
#[derive(Debug, clap::Args)]
pub(crate) struct JudgingArgs {
    /// Read files as this agent writes them: what it sends to its hooks, or the transcripts of claude
    #[arg(long, value_name = "NAME", requires = "steps")]
    pub(crate) agent: Option<String>,
    /// Exit with 2 if there is such a change
    #[arg(long, value_name = "CHANGE", value_delimiter = ',')]
    pub(crate) fail_on: Vec<Change>,
    /// Print no summary and no progress bar
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) external: ExternalArgs,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
}
