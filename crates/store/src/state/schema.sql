-- What is kept: a value for whose it is (`scope`: a session, or an owner over all sessions), what keeps it and its owner.
-- `version` is the number of the change that wrote it.
CREATE TABLE state(
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  owner TEXT NOT NULL,
  version INTEGER NOT NULL,
  seal BLOB NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY(scope, key, owner)
);
-- When something of a scope was changed last, in seconds, and the digest of the seals of its values.
CREATE TABLE scope(name TEXT PRIMARY KEY, at INTEGER NOT NULL, digest BLOB NOT NULL) WITHOUT ROWID;
-- How many changes there were, and a seal over that and all scopes.
CREATE TABLE head(id INTEGER PRIMARY KEY CHECK (id = 1), changes INTEGER NOT NULL, seal BLOB NOT NULL);
