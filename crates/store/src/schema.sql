-- What is recorded, in the order in which it was. `hash` chains it to the row before.
CREATE TABLE record(
  seq INTEGER PRIMARY KEY,
  text TEXT NOT NULL,
  body_digest BLOB,
  hash BLOB NOT NULL
);
-- What a record says at length. It may go: the chain knows its digest only.
CREATE TABLE body(seq INTEGER PRIMARY KEY, text TEXT NOT NULL);
-- The hooks that decided, failed or rewrote.
CREATE TABLE spoke(hook TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY(hook, seq)) WITHOUT ROWID;
-- A record is written once, also if a process has died before it knew that it was.
CREATE UNIQUE INDEX record_once ON record(
  text ->> '$.report.session_id', text ->> '$.report.step_id', text ->> '$.report.event', text ->> '$.end',
  ifnull(text ->> '$.attempt', 1)
);
CREATE INDEX record_time ON record(text ->> '$.time');
CREATE INDEX record_event ON record(text ->> '$.report.event');
CREATE INDEX record_tool ON record(text ->> '$.tool_name');
CREATE INDEX record_config ON record(text ->> '$.config_hash') WHERE text ->> '$.kind' = 'config';
CREATE INDEX record_refused ON record(text ->> '$.report.decision') WHERE text ->> '$.report.decision' <> 'allow';
