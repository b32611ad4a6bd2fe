-- Questions that wait for a person. `sealed` is the whole question with the step, `edit` what the step was changed to.
CREATE TABLE approval(
  id TEXT PRIMARY KEY,
  session TEXT NOT NULL,
  event TEXT NOT NULL,
  hooks TEXT NOT NULL,
  question TEXT NOT NULL,
  asked INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  state TEXT NOT NULL,
  why TEXT,
  need INTEGER NOT NULL,
  persons TEXT NOT NULL,
  taken INTEGER NOT NULL DEFAULT 0,
  edit BLOB,
  sealed BLOB
) WITHOUT ROWID;
CREATE INDEX approval_state ON approval(state, asked);
-- What each person has said. Nobody says twice.
CREATE TABLE approval_answer(
  approval TEXT NOT NULL,
  person TEXT NOT NULL,
  approves INTEGER NOT NULL,
  note TEXT,
  at INTEGER NOT NULL,
  PRIMARY KEY(approval, person)
) WITHOUT ROWID;
-- What somebody has agreed to for longer than once. `asking` is what the hooks were made of that have asked.
CREATE TABLE approval_grant(
  id INTEGER PRIMARY KEY,
  action TEXT NOT NULL,
  asking TEXT NOT NULL,
  scope TEXT NOT NULL,
  session TEXT,
  folder TEXT,
  person TEXT NOT NULL,
  event TEXT NOT NULL,
  question TEXT NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER NOT NULL,
  revoked INTEGER,
  uses INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX approval_grant_action ON approval_grant(action, asking);
