-- What is recorded, in the order in which it was. `hash` chains `text` to the row before; the columns between are what
-- rows are found by, taken of the text.
CREATE TABLE record(
  seq INTEGER PRIMARY KEY,
  time INTEGER NOT NULL,
  kind TEXT NOT NULL,
  session TEXT,
  step TEXT,
  event TEXT,
  ending TEXT,
  attempt INTEGER NOT NULL,
  tool TEXT,
  decision TEXT,
  config TEXT,
  text TEXT NOT NULL,
  body_digest BLOB,
  hash BLOB NOT NULL
);
-- What a record says at length. It may go: the chain knows its digest only.
CREATE TABLE body(seq INTEGER PRIMARY KEY, text TEXT NOT NULL);
-- The hooks that decided, failed or rewrote.
CREATE TABLE spoke(hook TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY(hook, seq)) WITHOUT ROWID;
-- A record is written once, also if a process has died before it knew that it was.
CREATE UNIQUE INDEX record_once ON record(session, step, event, ending, attempt);
CREATE INDEX record_time ON record(time);
CREATE INDEX record_event ON record(event);
CREATE INDEX record_tool ON record(tool);
CREATE INDEX record_config ON record(config);
CREATE INDEX record_refused ON record(decision) WHERE decision <> 'allow';
