//! Which statements a command line gives to databases.

use crate::effects::{Effects, Surroundings};
use crate::patterns::{RunPatterns, Truth};

fn effects(text: &str) -> Effects {
    let around = Surroundings { cwd: Some("/home/u/proj".into()), home: Some("/home/u".into()) };
    Effects::of_command(text, &around)
}

/// The statements and what else runs, reads and writes.
fn shown(text: &str) -> String {
    let found = effects(text);
    let mut all = Vec::new();
    for run in found.runs.iter().skip(1) {
        let mut words = vec![run.program.written()];
        words.extend(run.args.iter().map(crate::word::Word::written));
        all.push(words.join(" "));
    }
    let is_database = |path: &str| path.ends_with(".db");
    let reads = found.reads.iter().map(|effect| effect.path.written());
    all.extend(reads.filter(|path| !is_database(path)).map(|path| format!("reads {path}")));
    let writes = found.writes.iter().map(|effect| effect.path.written());
    all.extend(writes.filter(|path| !is_database(path)).map(|path| format!("writes {path}")));
    all.extend(found.unclear.iter().map(|unclear| format!("?{}", unclear.what.name())));
    all.join(" | ")
}

#[test]
fn statements_are_found_where_programs_take_them() {
    for (text, expected) in [
        ("psql -c 'DROP TABLE users'", "sql drop table users"),
        ("psql -h db.example -U me app -c \"SELECT 'drop table x'\"", "sql select | ?connects"),
        ("psql --command='delete from t'", "sql delete t --all"),
        ("mysql -u root -e \"TRUNCATE t\" app", "sql truncate t"),
        ("sqlite3 app.db 'DROP TABLE t'", "sql drop table t"),
        ("sqlite3 app.db \"select 1; delete from t where id = 1\"", "sql select | sql delete t"),
        ("duckdb -c 'drop view v'", "sql drop view v"),
        ("clickhouse-client -q 'ALTER TABLE t DROP COLUMN c'", "sql alter table t drop column c"),
        ("bq query --use_legacy_sql=false 'DELETE FROM d.t WHERE true'", "sql delete d.t --all"),
        (
            "psql <<'E'\nselect 1;\ndrop schema s cascade;\nE",
            "sql select | sql drop schema s cascade",
        ),
        ("echo 'DROP DATABASE prod' | psql", "psql | sql drop database prod"),
        ("psql -c \"DROP TABLE $T\"", "sql drop table $T"),
        ("psql -f /dev/stdin <<< 'drop table t'", "sql drop table t"),
        ("usql pg://x -c 'drop table t'", "sql drop table t"),
        ("sqlplus u/p@db <<< 'drop table t;'", "sql drop table t"),
        ("spanner-cli -p p -i i -d d -e 'DROP TABLE t'", "sql drop table t"),
        ("wrangler d1 execute prod --remote --command 'DROP TABLE t'", "sql drop table t"),
        (
            "npx wrangler d1 execute prod --command='DROP TABLE t'",
            "wrangler d1 execute prod --command=DROP TABLE t | sql drop table t",
        ),
        ("turso db shell prod 'drop table t'", "sql drop table t"),
        ("aws athena start-query-execution --query-string 'DROP TABLE t'", "sql drop table t"),
        ("aws rds-data execute-statement --sql 'delete from t'", "sql delete t --all"),
        ("gcloud spanner databases execute-sql d --sql='DROP TABLE t'", "sql drop table t"),
        ("impala-shell -q 'drop table t'", "sql drop table t"),
        // What else services are told is no statement, and what they read is none.
        ("echo 'drop table t' | aws s3 cp - s3://b/k", "aws s3 cp - s3://b/k"),
        ("turso db create prod", ""),
        ("sqlite3 app.db '.shell rm -rf /etc'", "rm -rf /etc"),
        ("sqlite3 app.db '.sh rm x'", "rm x"),
        ("sqlite3 app.db '.output /etc/x' 'select 1'", "sql select | writes /etc/x"),
        ("sqlite3 app.db '.read .env'", "reads /home/u/proj/.env"),
        ("sqlite3 app.db .tables", ""),
        ("psql -c '\\! rm -rf /etc'", "rm -rf /etc"),
        ("psql -c '\\o /etc/x'", "writes /etc/x"),
        ("psql -c \"\\copy t from program 'rm x'\"", "rm x"),
        ("psql -c \"COPY t FROM PROGRAM 'rm x'\"", "sql copy t from program | rm x"),
        ("psql -c '\\dt'", ""),
    ] {
        let found = shown(text).replace(" | ?connects", "");
        let found: Vec<&str> =
            found.split(" | ").filter(|part| !part.starts_with("deletes")).collect();
        assert_eq!(found.join(" | "), expected.replace(" | ?connects", ""), "{text}");
    }
}

#[test]
fn patterns_ask_for_statements() {
    let loss = RunPatterns::parse(&[
        "sql drop|truncate",
        "sql delete|update --all",
        "sql alter ** drop **",
    ])
    .unwrap();
    for (text, expected) in [
        ("psql -c 'DROP TABLE users'", Truth::True),
        ("psql -c 'DELETE FROM users'", Truth::True),
        ("psql -c 'ALTER TABLE users DROP COLUMN a'", Truth::True),
        ("psql -c 'DELETE FROM users WHERE id = 1'", Truth::False),
        ("psql -c \"SELECT 'drop table x'\"", Truth::False),
        ("psql -c \"INSERT INTO log VALUES ('delete from users')\"", Truth::False),
        ("psql -c \"$SQL\"", Truth::Unknown),
        ("psql -c 'FROB x DROP y z'", Truth::Unknown),
        ("psql -c 'FROB x'", Truth::False),
        ("echo 'drop table x'", Truth::False),
    ] {
        assert_eq!(loss.find(&effects(text)).truth, expected, "{text}");
    }
}
