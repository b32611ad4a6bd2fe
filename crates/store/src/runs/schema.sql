-- What hooks have to do later, or without anybody waiting for it. `key` names the work: it is taken in once. `holder` is the
-- process that does it, `epoch` counts the claims, `beat` the signs of life of the holder.
CREATE TABLE run(
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  visibility TEXT NOT NULL,
  scope TEXT NOT NULL,
  session TEXT NOT NULL,
  step TEXT NOT NULL,
  event TEXT NOT NULL,
  hook TEXT NOT NULL,
  hook_hash TEXT NOT NULL,
  config TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  allowed INTEGER NOT NULL,
  max_attempts INTEGER NOT NULL,
  backoff TEXT NOT NULL,
  timeout_ms INTEGER NOT NULL,
  queued INTEGER NOT NULL,
  due INTEGER NOT NULL,
  started INTEGER,
  ended INTEGER,
  holder TEXT,
  epoch INTEGER NOT NULL DEFAULT 0,
  beat INTEGER NOT NULL DEFAULT 0,
  until INTEGER,
  stop INTEGER NOT NULL DEFAULT 0,
  input_hash TEXT NOT NULL,
  contributions TEXT,
  class TEXT,
  why TEXT
);
CREATE INDEX run_due ON run(scope, due) WHERE state = 'queued';
CREATE INDEX run_running ON run(holder) WHERE state = 'running';
CREATE INDEX run_state ON run(state, id);
CREATE INDEX run_session ON run(session, id);
CREATE INDEX run_hook ON run(hook, id);
-- What the work is done with, sealed. It goes when the run has ended, unless it can be tried again.
CREATE TABLE input(run INTEGER PRIMARY KEY, sealed BLOB NOT NULL);
-- Each claim, written before the work begins.
CREATE TABLE attempt(
  run INTEGER NOT NULL,
  number INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  holder TEXT NOT NULL,
  started INTEGER NOT NULL,
  took_us INTEGER,
  outcome TEXT,
  class TEXT,
  why TEXT,
  PRIMARY KEY(run, epoch)
) WITHOUT ROWID;
-- What became of a run, in order, and what hooks have said for the audit.
CREATE TABLE audit(id INTEGER PRIMARY KEY, run INTEGER NOT NULL, time INTEGER NOT NULL, what TEXT NOT NULL, detail TEXT);
CREATE INDEX audit_run ON audit(run);
