//! What somebody has agreed to for longer than once: the same action, asked about by the same hooks, in a session, a
//! project or anywhere, until it ends or is revoked.
//!
//! A grant answers a question; it never lifts a deny, since a step that is denied is no question. It is for exactly what
//! would happen ([`ApprovalRequest::action`]), or for what does no more than it names (`Approvals::grant_within`), never for
//! a tool by its name alone, and ends when the hooks that have asked are changed.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use hookgate::approval::ApprovalRequest;
use rusqlite::{Row, params};
use serde::Serialize;
use serde_json::Value;

use super::{Approval, ApprovalError, ApprovalState, Approvals, named};

/// Where a grant holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantScope {
    /// In the session in which it was given, as long as that works in the same folder.
    Session,
    /// In the folder in which the session works, whichever session it is.
    Project,
    /// In every session and folder: where the same step means another thing elsewhere, it is that other thing.
    User,
}

impl GrantScope {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Session, Self::Project, Self::User];

    /// Returns the name in the file and in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Project => "project",
            Self::User => "user",
        }
    }
}

impl fmt::Display for GrantScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text is the name of no [`GrantScope`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a grant holds for a session, a project or a user")]
pub struct ParseGrantScopeError;

impl FromStr for GrantScope {
    type Err = ParseGrantScopeError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|scope| scope.name() == name).ok_or(ParseGrantScopeError)
    }
}

/// What somebody has agreed to for longer than once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Grant {
    /// Its number.
    pub id: u64,
    /// Where it holds.
    pub scope: GrantScope,
    /// The session, if it holds in one only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The folder, if it holds in one only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Who has given it.
    pub person: String,
    /// The event.
    pub event: String,
    /// What was asked, without secrets.
    pub question: String,
    /// What may be done at most, if it is for more than exactly this action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<Value>,
    /// Since when, in milliseconds since 1970.
    pub since: u64,
    /// Until when.
    pub until: u64,
    /// When it was revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked: Option<u64>,
    /// How many questions it has answered.
    pub uses: u64,
}

const COLUMNS: &str =
    "id, scope, session, folder, person, event, question, since, until, revoked, uses, within";

impl Approvals {
    /// Agrees to what a question is about, for as long as it is said. The question itself is not answered by it. If it
    /// was parked, who grants it must be one who may answer it, alone.
    ///
    /// # Errors
    /// The scope is the project, and the question names no folder; it is not for this person, needs several, or has ended
    /// otherwise; or the file cannot be used.
    pub fn grant(
        &self,
        request: &ApprovalRequest,
        scope: GrantScope,
        person: &str,
        good_for: Duration,
    ) -> Result<Grant, ApprovalError> {
        self.give(request, scope, person, good_for, None)
    }

    /// Agrees to every step of the same tool that does no more than `at_most` says and that the same hooks ask about:
    /// `{"runs": ["cargo test"], "writes": ["target/**"]}`, see `AtMost` of `hookgate-effects`. What cannot be told before a step runs is asked
    /// about each time.
    ///
    /// # Errors
    /// As [`Approvals::grant`]; `at_most` cannot be read, or the question itself is about more than that.
    #[cfg(feature = "effects")]
    pub fn grant_within(
        &self,
        request: &ApprovalRequest,
        scope: GrantScope,
        person: &str,
        good_for: Duration,
        at_most: &Value,
    ) -> Result<Grant, ApprovalError> {
        if !super::within::is_within(request, at_most).map_err(ApprovalError::Within)? {
            return Err(ApprovalError::NotWithin);
        }
        self.give(request, scope, person, good_for, Some(at_most.to_string()))
    }

    /// Gives a grant: for exactly this action, or for what does no more than `within` says.
    fn give(
        &self,
        request: &ApprovalRequest,
        scope: GrantScope,
        person: &str,
        good_for: Duration,
        within: Option<String>,
    ) -> Result<Grant, ApprovalError> {
        let is_user = scope == GrantScope::User;
        let session = (scope == GrantScope::Session).then_some(&request.session_id);
        let folder = request.cwd.as_ref().filter(|_| !is_user);
        if scope == GrantScope::Project && folder.is_none() {
            return Err(ApprovalError::NoFolder);
        }
        let person = named(person)?;
        self.change(|write, _| {
            match self.find(write, &request.id) {
                Ok(question) => may_grant(&question, person)?,
                // It was never parked.
                Err(ApprovalError::Unknown(_)) => {}
                Err(error) => return Err(error),
            }
            let millis = u64::try_from(good_for.as_millis()).unwrap_or(u64::MAX);
            let since = self.store.now();
            // SQLite has no larger number.
            let until = since.saturating_add(millis).min(u64::MAX >> 1);
            self.sql(write.execute(
                "INSERT INTO approval_grant(action, asking, scope, session, folder, person, event, question, since, until, within, \
                 tool) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
                params![
                    request.action,
                    request.asking.to_string(),
                    scope.name(),
                    session,
                    folder,
                    person,
                    request.event,
                    self.store.cleaned(&request.question),
                    since,
                    until,
                    within,
                    tool(request),
                ],
            ))?;
            let select = format!("SELECT {COLUMNS} FROM approval_grant WHERE id = last_insert_rowid()");
            Ok(self.sql(write.query_row(&select, [], read))?)
        })
    }

    /// Returns the grant that answers a question, and counts its use; `None` if there is none.
    ///
    /// # Errors
    /// The file cannot be used.
    pub fn granted(&self, request: &ApprovalRequest) -> Result<Option<Grant>, ApprovalError> {
        self.change(|write, _| {
            let select = format!(
                "SELECT {COLUMNS} FROM approval_grant WHERE ((within IS NULL AND action = ?1) OR (within IS NOT NULL AND \
                 event = ?6 AND tool IS ?7)) AND asking = ?2 AND revoked IS NULL AND until >= ?3 AND since <= ?3 AND \
                 (scope = 'user' OR (folder IS ?5 AND (scope = 'project' OR session = ?4))) \
                 ORDER BY within IS NOT NULL, id"
            );
            let mut select = self.sql(write.prepare_cached(&select))?;
            let found = select.query_map(
                params![
                    request.action,
                    request.asking.to_string(),
                    self.store.now(),
                    request.session_id,
                    request.cwd,
                    request.event,
                    tool(request),
                ],
                read,
            );
            let found: Vec<Grant> = self.sql(self.sql(found)?.collect())?;
            let mut found = found.into_iter();
            let Some(mut grant) = found.find(|grant| covers(grant, request)) else { return Ok(None) };
            self.sql(write.execute(
                "UPDATE approval_grant SET uses = uses + 1 WHERE id = ?1",
                params![grant.id],
            ))?;
            grant.uses += 1;
            Ok(Some(grant))
        })
    }

    /// Returns all grants, ended ones included, the oldest first.
    ///
    /// # Errors
    /// The file cannot be used.
    pub fn grants(&self) -> Result<Vec<Grant>, ApprovalError> {
        self.change(|write, _| {
            let select = format!("SELECT {COLUMNS} FROM approval_grant ORDER BY id");
            let mut select = self.sql(write.prepare_cached(&select))?;
            let rows = self.sql(select.query_map([], read))?;
            Ok(self.sql(rows.collect())?)
        })
    }

    /// Ends a grant at once. One that was revoked before stays so.
    ///
    /// # Errors
    /// There is no such grant, or the file cannot be used.
    pub fn revoke(&self, grant: u64) -> Result<(), ApprovalError> {
        self.change(|write, _| {
            let changed = self.sql(write.execute(
                "UPDATE approval_grant SET revoked = coalesce(revoked, ?2) WHERE id = ?1",
                params![grant, self.store.now()],
            ))?;
            if changed == 0 { Err(ApprovalError::UnknownGrant(grant)) } else { Ok(()) }
        })
    }
}

/// Returns the tool of the step; `None` if it is no call of one.
fn tool(request: &ApprovalRequest) -> Option<&str> {
    request.step.get("tool_name").and_then(Value::as_str)
}

/// Returns whether a grant that holds here is for this step. One that cannot be read any more is for none.
#[cfg(feature = "effects")]
fn covers(grant: &Grant, request: &ApprovalRequest) -> bool {
    let within = grant.within.as_ref();
    within.is_none_or(|within| super::within::is_within(request, within).unwrap_or(false))
}

/// A program that knows nothing of effects asks.
#[cfg(not(feature = "effects"))]
const fn covers(grant: &Grant, _: &ApprovalRequest) -> bool {
    grant.within.is_none()
}

/// Checks that a person can agree to a question for longer than once.
fn may_grant(question: &Approval, person: &str) -> Result<(), ApprovalError> {
    question.admit(person)?;
    if question.need > 1 {
        return Err(ApprovalError::NeedsSeveral(question.need));
    }
    match question.state {
        ApprovalState::Pending | ApprovalState::Approved => Ok(()),
        state => Err(ApprovalError::Ended { id: question.id.clone(), state }),
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<Grant> {
    let scope: String = row.get(1)?;
    let unknown = |_| rusqlite::Error::InvalidColumnName(scope.clone());
    Ok(Grant {
        id: row.get(0)?,
        scope: scope.parse().map_err(unknown)?,
        session: row.get(2)?,
        folder: row.get(3)?,
        person: row.get(4)?,
        event: row.get(5)?,
        question: row.get(6)?,
        since: row.get(7)?,
        until: row.get(8)?,
        revoked: row.get(9)?,
        uses: row.get(10)?,
        // What cannot be read covers nothing.
        within: row.get::<_, Option<String>>(11)?.map(|text| text.parse().unwrap_or_default()),
    })
}
