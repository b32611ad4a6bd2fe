-- A grant for whatever does no more than that: `within` says what may be done at most, as JSON, by the tool `tool`.
ALTER TABLE approval_grant ADD COLUMN within TEXT;
ALTER TABLE approval_grant ADD COLUMN tool TEXT;
