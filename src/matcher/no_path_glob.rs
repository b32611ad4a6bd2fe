//! In the place of [`path_glob`](super::path_glob) in a build without the feature `globs`: a glob for a folder is a mistake
//! that is told when the table is built.

use super::characters::shown;
use super::error::MatchError;
use super::truth::Truth;

/// No globs.
#[derive(Debug, Default)]
pub(super) struct PathGlobs;

impl PathGlobs {
    /// Refuses each of them.
    pub(super) fn compile(
        patterns: &[String],
        errors: &mut Vec<(&'static str, MatchError)>,
    ) -> Self {
        let problem = "this program was built without the feature `globs` of hookgate";
        errors.extend(patterns.iter().map(|pattern| {
            let glob = shown(pattern);
            ("cwd_glob", MatchError::Folder { glob, problem: problem.to_owned() })
        }));
        Self
    }

    #[expect(clippy::unused_self, reason = "as with globs")]
    pub(super) const fn is_empty(&self) -> bool {
        true
    }

    /// Nothing is asked of a folder.
    #[expect(clippy::unused_self, reason = "as with globs")]
    pub(super) const fn hold(&self, _: Option<&str>) -> Truth {
        Truth::True
    }
}
