//! Scripts of the project: what they do is what the command does.

use std::fs;

use hookgate_contract::Truth;
use serde_json::json;

use super::world::World;
use super::{condition, holds};

const WORLD: &str = r#"
mkdir -p p/.git p/sub out
printf '#!/bin/bash\nset -e\ncd sub\nrm -rf build\n' > p/clean.sh
printf '#!/usr/bin/env python3\nimport os\n' > p/run.py
printf 'rm -rf "$1"\n' > p/first.sh
printf './clean.sh\n' > p/outer.sh
printf './self.sh; rm x\n' > p/self.sh
printf 'exec bash -c "$CODE"\n' > p/any.sh
printf 'echo hello\n' > p/hello.sh
printf 'rm -rf x\n' > out/far.sh
printf 'git push origin HEAD:main\n' > p/push
ln -s ../out/far.sh p/far.sh
head -c 70000 /dev/zero | tr '\0' '#' > p/long.sh
printf '\177ELF\0\0rm x' > p/program
mkfifo p/pipe.sh
chmod +x p/*.sh p/run.py p/program p/push
"#;

const REMOVES: &[(&str, Truth)] = &[
    ("bash clean.sh", Truth::True),
    ("./clean.sh", Truth::True),
    ("sh -e ./clean.sh", Truth::True),
    (". ./clean.sh", Truth::True),
    ("source clean.sh", Truth::True),
    ("cd sub && ../clean.sh", Truth::True),
    ("timeout 5 ./clean.sh", Truth::True),
    ("./outer.sh", Truth::True),
    ("./self.sh", Truth::True),
    ("bash first.sh a", Truth::True),
    ("bash hello.sh", Truth::False),
    ("./hello.sh", Truth::False),
    ("echo 'rm x' > new.sh; bash new.sh", Truth::True),
    ("echo 'echo hi' > hello.sh; bash hello.sh", Truth::False),
    ("cp clean.sh other.sh && ./other.sh", Truth::True),
    ("sed -i s/hello/rm/ hello.sh; bash hello.sh", Truth::Unknown),
    ("python3 -c \"open('hello.sh','w').write('rm x')\"; bash hello.sh", Truth::Unknown),
    ("bash any.sh", Truth::Unknown),
    ("bash long.sh", Truth::Unknown),
    ("bash pipe.sh", Truth::Unknown),
    // Not read: another language, a program, what lies outside of the project, what is not there.
    ("./run.py", Truth::False),
    ("./program", Truth::False),
    ("bash ../out/far.sh", Truth::False),
    ("bash far.sh", Truth::False),
    ("bash none.sh", Truth::False),
    ("cat clean.sh", Truth::False),
];

#[test]
fn a_script_of_the_project_is_read() {
    let world = World::new(WORLD);
    let removes = condition("runs", &json!("rm"), &world.path("home"));
    let cwd = world.path("w/p");
    for (line, expected) in REMOVES {
        assert_eq!(holds(&removes, line, &cwd), *expected, "{line}");
    }
    let deletes = condition("deletes", &json!("sub/build"), &world.path("home"));
    assert_eq!(holds(&deletes, "./clean.sh", &cwd), Truth::True, "the folder in the script counts");
    let pushes = condition("pushes", &json!("main"), &world.path("home"));
    assert_eq!(holds(&pushes, "./push", &cwd), Truth::True);
    // What is judged is what lies there at each step.
    fs::write(world.path("w/p/hello.sh"), "rm x").unwrap();
    assert_eq!(holds(&removes, "bash hello.sh", &cwd), Truth::True);
}

#[test]
fn scripts_that_run_scripts_come_to_an_end() {
    let world = World::new("mkdir -p p/.git");
    for at in 0..40 {
        let calls: String =
            (0..40).map(|next| format!("./s{next}.sh; bash s{next}.sh\n")).collect();
        fs::write(world.path(&format!("w/p/s{at}.sh")), calls + &"# ".repeat(8000)).unwrap();
    }
    let removes = condition("runs", &json!("rm"), &world.path("home"));
    let begun = std::time::Instant::now();
    assert_eq!(holds(&removes, "./s0.sh", &world.path("w/p")), Truth::Unknown);
    assert!(begun.elapsed().as_secs() < 20);
}

/// Statements in files of the project.
const STATEMENTS: &[(&str, Truth)] = &[
    ("psql -f drop.sql", Truth::True),
    ("psql app < drop.sql", Truth::True),
    ("mysql -f app < drop.sql", Truth::True),
    ("mysql app -e 'source drop.sql'", Truth::True),
    ("sqlite3 app.db '.read drop.sql'", Truth::True),
    ("psql -c '\\i outer.sql'", Truth::True),
    ("echo 'drop table x' > new.sql && psql -f new.sql", Truth::True),
    ("echo 'drop table x' | psql -f -", Truth::True),
    ("psql -f - <<< 'drop table x'", Truth::True),
    ("cqlsh -e 'drop table x'", Truth::True),
    ("psql -f select.sql", Truth::False),
    ("psql app < select.sql", Truth::False),
    ("psql -f loop.sql", Truth::Unknown),
    ("psql -f long.sql", Truth::Unknown),
    ("psql -f none.sql", Truth::False),
    ("psql -f select.sql -o drop.sql", Truth::False),
];

#[test]
fn a_file_of_statements_is_read() {
    let world = World::new(
        "mkdir -p p/.git\ncd p\necho 'select 1; drop table x;' > drop.sql\necho 'select 1;' > select.sql\n\
         echo '\\i drop.sql' > outer.sql\necho '\\i loop.sql' > loop.sql\n\
         head -c 70000 /dev/zero | tr '\\0' ' ' > long.sql",
    );
    let drops = condition("runs", &json!("sql drop"), &world.path("home"));
    let cwd = world.path("w/p");
    for (line, expected) in STATEMENTS {
        assert_eq!(holds(&drops, line, &cwd), *expected, "{line}");
    }
}
