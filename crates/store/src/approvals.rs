//! Questions that wait for a person, kept beside the runs: they outlive the process that asked, and are answered once, by
//! whichever process.
//!
//! ```text
//! park ─▶ pending ─┬─ enough persons agree ─▶ approved ──┐
//!                  ├─ one refuses ──────────▶ rejected ──┤
//!                  ├─ its time is over ─────▶ expired ───┼─▶ taken: once
//!                  └─ withdraw ─────────────▶ withdrawn ─┘
//! ```
//!
//! Every change is one transaction, so of two answers at the same moment one comes first, and the other is told. The step
//! that a question is about can hold secrets, so it is sealed, as what runs are done with is; it goes when the answer was
//! taken, or the question was withdrawn.

mod grants;
mod record;
#[cfg(feature = "effects")]
mod within;

use hookgate::approval::{ApprovalRequest, EditProblem, Parked};
use hookgate_contract::quote::Quoted;
use hookgate_contract::visible;
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde_json::{Map, Value};

use crate::key_file::Key;
use crate::runs::{RunError, RunStore, open_sealed, seal};
pub use grants::{Grant, GrantScope, ParseGrantScopeError};
pub use record::{
    Answered, Approval, ApprovalState, ParseApprovalStateError, PersonAnswer, Persons,
};

/// The questions of a file. A clone is the same.
///
/// ```
/// use std::time::Duration;
/// use hookgate::{Engine, Event, Gate, HandlerTable, Hook, HookEngine, StepContext, ToolUse, Verdict};
/// use hookgate_store::{ApprovalState, PersonAnswer, Persons, RunSettings, RunStore};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let folder = tempfile::tempdir()?;
/// let approvals = RunStore::open(RunSettings::new(folder.path().join("runs.db")))?.approvals();
/// let hook = Hook::sync("confirm", |_| Ok(Verdict::ask("really?"))).event(Event::PreToolUse);
/// let table = HandlerTable::builder().insert(hook).build()?;
/// let engine = Engine::new(table).with_approval_key(approvals.engine_key()?);
///
/// let context = StepContext::new("session-1");
/// let Gate::Asked(asked) = engine.dispatch(ToolUse::propose("Deploy", "{}")?, &context).await else { panic!() };
/// let parked = asked.park(&engine, &context, Duration::from_secs(3600))?;
/// let question = approvals.park(&parked, &Persons::default())?;
///
/// // Another process, such as `hookgate approvals approve`:
/// approvals.answer(&question.id, &PersonAnswer::approve("ada"))?;
///
/// // The runtime, perhaps after a restart:
/// let taken = approvals.take(&question.id)?.expect("it is answered");
/// assert_eq!(taken.approval.state, ApprovalState::Approved);
/// let asked = engine.resume::<ToolUse>(taken.parked.unwrap(), &context)?;
/// assert!(asked.approve(&engine, &context).await.is_cleared());
/// assert!(approvals.take(&question.id)?.is_none(), "it is taken once");
/// # Ok::<_, Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[derive(Debug, Clone)]
pub struct Approvals {
    store: RunStore,
}

/// An answer that a runtime has taken.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TakenApproval {
    /// What has become of the question.
    pub approval: Approval,
    /// What the step is to be changed to.
    pub edit: Option<Map<String, Value>>,
    /// The question, to go on with; `None` if it was withdrawn.
    pub parked: Option<Parked>,
}

/// A question cannot be kept, read or answered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApprovalError {
    /// The file cannot be used.
    #[error(transparent)]
    Store(#[from] RunError),
    /// There is no such question.
    #[error("there is no question `{0}`: `hookgate approvals list` shows those that are there")]
    Unknown(String),
    /// It has ended.
    #[error("the question `{id}` is {state} already")]
    Ended {
        /// The question.
        id: String,
        /// What has become of it.
        state: ApprovalState,
    },
    /// This person may not answer it.
    #[error("`{person}` may not answer this question: {} may", from.join(", "))]
    NotAsked {
        /// Who has tried.
        person: String,
        /// Who may.
        from: Vec<String>,
    },
    /// The person has said something else before.
    #[error("`{0}` has answered otherwise before")]
    AnsweredBefore(String),
    /// The step cannot be changed to that.
    #[error("the step cannot be changed like this: {0}")]
    Edit(#[from] EditProblem),
    /// Fewer persons may answer than have to agree.
    #[error("{need} persons have to agree, and {may} may answer")]
    TooFew {
        /// How many have to agree.
        need: u32,
        /// How many may answer.
        may: usize,
    },
    /// Another person agrees to another change of the step.
    #[error(
        "another person has agreed to another change of the step: see `hookgate approvals show`"
    )]
    OtherEdit,
    /// Nobody has such a name: it is empty, or has characters that cannot be seen.
    #[error("`{}` is the name of nobody: it is empty, or has characters that cannot be seen", Quoted(.0))]
    Nobody(String),
    /// A grant is given by one person, and the question needs several.
    #[error(
        "the question needs {0} persons, so nobody can grant it alone: it is answered each time"
    )]
    NeedsSeveral(u32),
    /// The question names no folder, so nothing can be granted for a project.
    #[error("the question names no folder, so it can be granted for a session or a user only")]
    NoFolder,
    /// What may be done at most cannot be read.
    #[error("what may be done at most: {0}")]
    Within(String),
    /// The question is about more than that.
    #[error(
        "the step of this question does more than that, or it cannot be told: see `hookgate approvals show`"
    )]
    NotWithin,
    /// There is no such grant.
    #[error("there is no grant {0}: `hookgate approvals grants` shows those that are there")]
    UnknownGrant(u64),
    /// What was kept cannot be read any more: it was changed, or its key is lost.
    #[error("the question `{0}` cannot be read: it was changed, or its key is lost")]
    Unreadable(String),
}

impl RunStore {
    /// Returns the questions that are kept beside the runs.
    #[must_use]
    pub fn approvals(&self) -> Approvals {
        Approvals { store: self.clone() }
    }
}

/// How long a question and a grant are kept after their end, in milliseconds: thirty days.
const KEEP_ENDED: u64 = 30 * 24 * 60 * 60 * 1000;

/// The columns of a question.
const COLUMNS: &str = "id, session, event, hooks, question, asked, expires, state, why, need, persons, \
                       edit IS NOT NULL, taken";

impl Approvals {
    /// Returns the key by which the engines of this user sign parked questions: that of the file, so each process that
    /// opens the file has the same.
    ///
    /// # Errors
    /// The file cannot be used.
    pub fn engine_key(&self) -> Result<[u8; 32], RunError> {
        self.store.with_key(|key| key.seal(&[b"engine"]))
    }

    /// Keeps a question, and returns it as it is kept. One that is known already is left as it is: a step that is asked
    /// about again after a restart has the answer that was given meanwhile. One whose answer was taken is asked anew, since
    /// an answer is for once: what persons have said to it is forgotten.
    ///
    /// # Errors
    /// Fewer persons may answer than have to agree, or the file cannot be used.
    pub fn park(&self, parked: &Parked, persons: &Persons) -> Result<Approval, ApprovalError> {
        let request = parked.request();
        persons.check()?;
        let text = serde_json::to_vec(parked).map_err(|_| unreadable(&request.id))?;
        self.change(|write, key| {
            let sealed = self.sealed(key, &request.id, &text)?;
            self.forget_old(write)?;
            self.forget_taken(write, &request.id)?;
            let mut insert = self.sql(write.prepare_cached(
                "INSERT OR IGNORE INTO approval(id, session, event, hooks, question, asked, expires, state, need, \
                 persons, sealed) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'pending', ?8, ?9, ?10)",
            ))?;
            self.sql(insert.execute(params![
                request.id,
                request.session_id,
                request.event,
                texts(request.by.iter().map(|by| by.as_str())),
                self.store.cleaned(&request.question),
                request.asked,
                parked.expires(),
                persons.need,
                texts(persons.from.iter().map(String::as_str)),
                sealed,
            ]))?;
            self.find(write, &request.id)
        })
    }

    /// Forgets questions and grants that have ended long ago.
    fn forget_old(&self, write: &Connection) -> Result<(), RunError> {
        let before = self.store.now().saturating_sub(KEEP_ENDED);
        for old in [
            "DELETE FROM approval_answer WHERE approval IN (SELECT id FROM approval WHERE expires < ?1)",
            "DELETE FROM approval WHERE expires < ?1",
            "DELETE FROM approval_grant WHERE until < ?1",
        ] {
            self.sql(write.execute(old, params![before]))?;
        }
        Ok(())
    }

    /// Forgets a question whose answer was taken.
    fn forget_taken(&self, write: &Connection, id: &str) -> Result<(), RunError> {
        let taken = "DELETE FROM approval_answer WHERE approval = (SELECT id FROM approval WHERE id = ?1 AND taken)";
        self.sql(write.execute(taken, params![id]))?;
        self.sql(write.execute("DELETE FROM approval WHERE id = ?1 AND taken", params![id]))?;
        Ok(())
    }

    /// Returns a question.
    ///
    /// # Errors
    /// There is no such question, or the file cannot be used.
    pub fn approval(&self, id: &str) -> Result<Approval, ApprovalError> {
        self.change(|write, _| self.find(write, id))
    }

    /// Returns the questions in some states (in any, if none is named), the oldest first.
    ///
    /// # Errors
    /// The file cannot be used.
    pub fn list(&self, states: &[ApprovalState]) -> Result<Vec<Approval>, ApprovalError> {
        self.change(|write, _| {
            let select = format!("SELECT {COLUMNS} FROM approval ORDER BY asked, id");
            let mut select = self.sql(write.prepare_cached(&select))?;
            let rows = self.sql(select.query_map([], read))?;
            let all = self.sql(rows.collect::<rusqlite::Result<Vec<Approval>>>())?;
            let all =
                all.into_iter().filter(|one| states.is_empty() || states.contains(&one.state));
            all.map(|approval| self.with_answers(write, approval)).collect()
        })
    }

    /// Returns what a question is about, for who is to answer it: with whatever the step has, secrets included.
    ///
    /// # Errors
    /// There is no such question, it cannot be read, or the file cannot be used.
    pub fn request(&self, id: &str) -> Result<ApprovalRequest, ApprovalError> {
        let parked = self.change(|write, key| {
            drop(self.find(write, id)?);
            self.parked(write, key, id)
        })?;
        Ok(parked.request().clone())
    }

    /// Returns what persons have changed a step to, as [`request`](Self::request) returns the step: the values of some of its
    /// fields. `None` if nobody has, or the answer was taken.
    ///
    /// # Errors
    /// There is no such question, it cannot be read, or the file cannot be used.
    pub fn edit_of(&self, id: &str) -> Result<Option<Map<String, Value>>, ApprovalError> {
        self.change(|write, key| {
            drop(self.find(write, id)?);
            let text = self.edit(write, key, id)?;
            text.map(|text| serde_json::from_str(&text).map_err(|_| unreadable(id))).transpose()
        })
    }

    /// Answers a question as a person, and returns what has become of it. The same answer of the same person again changes
    /// nothing.
    ///
    /// # Errors
    /// It has ended, this person may not answer it or has said something else, or another one has agreed to another
    /// change. Then nothing changes.
    pub fn answer(&self, id: &str, answer: &PersonAnswer) -> Result<Approval, ApprovalError> {
        self.change(|write, key| {
            let approval = self.find(write, id)?;
            let PersonAnswer { person, approves, edit, note } = answer;
            let person = named(person)?;
            let edit = edit.as_ref().map(|edit| Value::Object(edit.clone()).to_string());
            let known = self.edit(write, key, id)?;
            if let Some(before) = approval.answers.iter().find(|before| is_same_name(&before.person, person)) {
                let is_same = before.approves == *approves && (!approves || known == edit);
                return match is_same {
                    true => Ok(approval),
                    false => Err(ApprovalError::AnsweredBefore(person.to_owned())),
                };
            }
            if approval.state != ApprovalState::Pending {
                return Err(ApprovalError::Ended { id: id.to_owned(), state: approval.state });
            }
            approval.admit(person)?;
            let agreed = approval.answers.iter().filter(|answer| answer.approves).count();
            if *approves && agreed > 0 && known != edit {
                return Err(ApprovalError::OtherEdit);
            }
            if let Some(edit) = edit.filter(|_| *approves) {
                let request = self.parked(write, key, id)?.request().clone();
                answer.edit.iter().try_for_each(|edit| request.check_edit(edit))?;
                let sealed = self.sealed(key, id, edit.as_bytes())?;
                self.sql(write.execute(
                    "UPDATE approval SET edit = ?2 WHERE id = ?1",
                    params![id, sealed],
                ))?;
            }
            let note = note.as_ref().map(|note| self.store.cleaned(note));
            self.sql(write.execute(
                "INSERT INTO approval_answer(approval, person, approves, note, at) VALUES (?1, ?2, ?3, ?4, ?5)",
                params![id, person, approves, note, self.store.now()],
            ))?;
            let need = usize::try_from(approval.need).unwrap_or(usize::MAX);
            let state = match approves {
                false => ApprovalState::Rejected,
                true if agreed + 1 >= need => ApprovalState::Approved,
                true => ApprovalState::Pending,
            };
            self.sql(write.execute(
                "UPDATE approval SET state = ?2 WHERE id = ?1",
                params![id, state.name()],
            ))?;
            self.find(write, id)
        })
    }

    /// Ends a question that needs no answer any more, and forgets its step.
    ///
    /// # Errors
    /// There is no such question, it has ended, or the file cannot be used.
    pub fn withdraw(&self, id: &str, why: &str) -> Result<Approval, ApprovalError> {
        self.change(|write, _| {
            let state = self.find(write, id)?.state;
            if state != ApprovalState::Pending {
                return Err(ApprovalError::Ended { id: id.to_owned(), state });
            }
            self.sql(write.execute(
                "UPDATE approval SET state = 'withdrawn', why = ?2, sealed = NULL, edit = NULL WHERE id = ?1",
                params![id, self.store.cleaned(why)],
            ))?;
            self.find(write, id)
        })
    }

    /// Takes the answer of a question that has ended, and forgets its step: once, of all processes together. `None` if it
    /// still waits, or was taken before.
    ///
    /// # Errors
    /// There is no such question, it cannot be read, or the file cannot be used.
    pub fn take(&self, id: &str) -> Result<Option<TakenApproval>, ApprovalError> {
        self.change(|write, key| {
            let mut approval = self.find(write, id)?;
            if approval.state == ApprovalState::Pending || approval.taken {
                return Ok(None);
            }
            let parked = match approval.state {
                ApprovalState::Withdrawn => None,
                _ => Some(self.parked(write, key, id)?),
            };
            let edit = match self.edit(write, key, id)? {
                None => None,
                Some(text) => Some(serde_json::from_str(&text).map_err(|_| unreadable(id))?),
            };
            self.sql(write.execute(
                "UPDATE approval SET taken = 1, sealed = NULL, edit = NULL WHERE id = ?1",
                params![id],
            ))?;
            approval.taken = true;
            Ok(Some(TakenApproval { approval, edit, parked }))
        })
    }

    /// Has something done in one transaction, in which what is over is over.
    fn change<T>(
        &self,
        act: impl FnOnce(&Connection, &Key) -> Result<T, ApprovalError>,
    ) -> Result<T, ApprovalError> {
        let mut refused = None;
        let done = self.store.write(|write, key| {
            let now = self.store.now();
            self.sql(write.execute(
                "UPDATE approval SET state = 'expired' WHERE state = 'pending' AND expires < ?1",
                params![now],
            ))?;
            // What is refused changes nothing but that.
            match act(write, key) {
                Ok(done) => Ok(Some(done)),
                Err(ApprovalError::Store(error)) => Err(error),
                Err(error) => {
                    refused = Some(error);
                    Ok(None)
                }
            }
        })?;
        match (done, refused) {
            (Some(done), _) => Ok(done),
            (None, Some(error)) => Err(error),
            (None, None) => Err(unreadable("")),
        }
    }

    fn find(&self, write: &Connection, id: &str) -> Result<Approval, ApprovalError> {
        let select = format!("SELECT {COLUMNS} FROM approval WHERE id = ?1");
        let mut select = self.sql(write.prepare_cached(&select))?;
        let found = self.sql(select.query_row(params![id], read).optional())?;
        let approval = found.ok_or_else(|| ApprovalError::Unknown(id.to_owned()))?;
        self.with_answers(write, approval)
    }

    fn with_answers(
        &self,
        write: &Connection,
        mut approval: Approval,
    ) -> Result<Approval, ApprovalError> {
        let mut select = self.sql(write.prepare_cached(
            "SELECT person, approves, note, at FROM approval_answer WHERE approval = ?1 ORDER BY at, person",
        ))?;
        let rows = self.sql(select.query_map(params![approval.id], |row| {
            let (person, approves, note, at) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
            Ok(Answered { person, approves, note, at })
        }))?;
        approval.answers = self.sql(rows.collect())?;
        Ok(approval)
    }

    fn parked(&self, write: &Connection, key: &Key, id: &str) -> Result<Parked, ApprovalError> {
        let text = self.unsealed(write, key, id, "sealed")?.ok_or_else(|| unreadable(id))?;
        Parked::from_json(&text).map_err(|_| unreadable(id))
    }

    fn edit(
        &self,
        write: &Connection,
        key: &Key,
        id: &str,
    ) -> Result<Option<String>, ApprovalError> {
        let text = self.unsealed(write, key, id, "edit")?;
        text.map(|text| String::from_utf8(text).map_err(|_| unreadable(id))).transpose()
    }

    fn sealed(&self, key: &Key, id: &str, text: &[u8]) -> Result<Vec<u8>, RunError> {
        let file = || self.store.settings().file.clone();
        seal(key, &name(id), text).map_err(|error| RunError::File { file: file(), error })
    }

    /// Returns what is sealed in a column; `None` if there is nothing.
    fn unsealed(
        &self,
        write: &Connection,
        key: &Key,
        id: &str,
        column: &str,
    ) -> Result<Option<Vec<u8>>, ApprovalError> {
        let select = format!("SELECT {column} FROM approval WHERE id = ?1");
        let mut select = self.sql(write.prepare_cached(&select))?;
        let sealed =
            self.sql(select.query_row(params![id], |row| row.get::<_, Option<Vec<u8>>>(0)))?;
        let open =
            |sealed: Vec<u8>| open_sealed(key, &name(id), &sealed).ok_or_else(|| unreadable(id));
        sealed.map(open).transpose()
    }

    fn sql<T>(&self, done: rusqlite::Result<T>) -> Result<T, RunError> {
        done.map_err(|error| self.store.refused(error))
    }
}

/// Returns the name of a person as it is kept.
fn named(person: &str) -> Result<&str, ApprovalError> {
    let name = person.trim_matches(' ');
    match name.is_empty() || name.chars().any(visible::is_hidden) {
        true => Err(ApprovalError::Nobody(person.to_owned())),
        false => Ok(name),
    }
}

/// Whether two names are spellings of one, so that nobody is two persons.
fn is_same_name(one: &str, other: &str) -> bool {
    one == other || one.to_lowercase() == other.to_lowercase()
}

impl Approval {
    /// Checks that a person may answer.
    fn admit(&self, person: &str) -> Result<(), ApprovalError> {
        if self.from.is_empty() || self.from.iter().any(|name| name.trim_matches(' ') == person) {
            return Ok(());
        }
        Err(ApprovalError::NotAsked { person: person.to_owned(), from: self.from.clone() })
    }
}

/// Returns the name under which something of a question is sealed.
fn name(id: &str) -> String {
    format!("approval {id}")
}

fn unreadable(id: &str) -> ApprovalError {
    ApprovalError::Unreadable(id.to_owned())
}

fn texts<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    texts.map(Value::from).collect::<Value>().to_string()
}

fn read(row: &Row<'_>) -> rusqlite::Result<Approval> {
    let texts = |index: usize| -> rusqlite::Result<Vec<String>> {
        let text: String = row.get(index)?;
        Ok(serde_json::from_str(&text).unwrap_or_default())
    };
    let state: String = row.get(7)?;
    let unknown = |_| rusqlite::Error::InvalidColumnName(state.clone());
    Ok(Approval {
        id: row.get(0)?,
        session: row.get(1)?,
        event: row.get(2)?,
        by: texts(3)?.into_iter().map(Into::into).collect(),
        question: row.get(4)?,
        asked: row.get(5)?,
        expires: row.get(6)?,
        state: state.parse().map_err(unknown)?,
        why: row.get(8)?,
        need: row.get(9)?,
        from: texts(10)?,
        answers: Vec::new(),
        edited: row.get(11)?,
        taken: row.get(12)?,
    })
}
