//! The file system that a line makes for itself.

use crate::{Effects, PathEffect, Surroundings};

fn effects(text: &str) -> Effects {
    let around =
        Surroundings { cwd: Some("/home/u/p".to_owned()), home: Some("/home/u".to_owned()) };
    Effects::of_command(text, &around)
}

fn has(list: &[PathEffect], path: &str) -> bool {
    list.iter().any(|effect| effect.path.written() == path)
}

#[test]
fn a_link_of_the_line_leads_where_it_leads() {
    for text in [
        "ln -s /opt l; echo x > l/app/conf",
        "ln -s /opt .; echo x > opt/app/conf",
        "ln -s /opt; echo x > ./opt/app/conf",
        "ln -sfn /opt l && tee l/app/conf",
        "ln -st . /opt; cp a opt/app/conf",
        "mkdir d; ln -s ../../../../opt d/l; echo x > d/l/app/conf",
        "ln -sr /opt/app d/l; : > d/l/conf",
        "ln -s /opt a; ln -s a b; echo x > b/app/conf",
        "ln -s /opt l; cd l; echo x > app/conf",
        "ln -s /opt l; cd l/app && echo x > conf",
        "ln -s /opt/app l; echo x > l/../app/conf",
        "ln -s /opt/app l; ln -s l/../app/conf c; echo x > c",
        "ln -s /opt/app l; mount --bind l/../app m; echo x > m/conf",
        "ln -s /opt l; for f in l/app/conf; do echo x > $f; done",
        "(ln -s /opt l); echo x > l/app/conf",
        "cp -s /opt/app/conf c; echo x > c",
        "ln /opt/app/conf c; echo x > c",
        "link /opt/app/conf c; truncate -s0 c",
        "cp -l /opt/app/conf c; echo x > c",
        "cp -rl /opt/app a; echo x > a/conf",
        "mount --bind /opt m; echo x > m/app/conf",
        "mount -o rw,bind /opt m; echo x > m/app/conf",
        "ln -s /opt l; mv l k; echo x > k/app/conf",
        "mkdir d; ln -s /opt d/l; mv d e; echo x > e/l/app/conf",
        "mkdir d; ln -s /opt d/l; cp -a d e; echo x > e/l/app/conf",
        "bash -c 'ln -s /opt l'; echo x > l/app/conf",
        "d=/opt; ln -s $d l; echo x > l/app/conf",
    ] {
        assert!(has(&effects(text).writes, "/opt/app/conf"), "{text}");
    }
}

#[test]
fn names_of_the_project_stay_in_it() {
    for text in [
        "ln -s src l; echo x > l/a",
        "cp -r /opt/app a; echo x > a/conf",
        "cp /opt/app/conf c; echo x > c",
        "ln -s /opt l; echo x > k/app/conf",
        "mv a b; echo x > b/c",
        "cat /opt/app/conf > c; echo x > c",
    ] {
        let writes = effects(text).writes;
        assert!(
            writes.iter().all(|write| write.path.written().starts_with("/home/u/p/")),
            "{text}"
        );
    }
}

#[test]
fn a_removal_takes_the_link_and_with_a_slash_what_it_leads_to() {
    let deletes = |text: &str| has(&effects(text).deletes, "/mnt/v");
    assert!(!deletes("ln -s /mnt/v l; rm -rf l"));
    assert!(!deletes("ln -s /mnt/v l; unlink l"));
    assert!(deletes("ln -s /mnt/v l; rm -rf l/"));
    assert!(deletes("ln -s /mnt l; rm -rf l/v"));
    assert!(deletes("ln -s /mnt l; rm -rf l?/v") || deletes("ln -s /mnt l; rm -rf l*/v"));
    assert!(deletes("mount --bind /mnt/v m; rm -rf m"));
    assert!(deletes("mkdir d; mount --bind /mnt/v d/m; rm -rf d"));
    assert!(deletes("cd /tmp; ln -s /mnt l; cd -; rm -rf /tmp/l/v"));
}

#[test]
fn a_program_by_another_name_is_that_program() {
    for text in [
        "cp /bin/rm ok; ./ok -rf /mnt/v",
        "ln -s /bin/rm ok; ./ok -rf /mnt/v",
        "ln /bin/rm ok; $PWD/ok -rf /mnt/v",
        "install /bin/rm ok; mv ok k; ./k -rf /mnt/v",
        "cat /bin/rm > ok; chmod +x ok; ./ok -rf /mnt/v",
        "cat < /bin/rm > ok; ./ok -rf /mnt/v",
        "dd if=/bin/rm of=ok; ./ok -rf /mnt/v",
        "ln -s /bin b; b/rm -rf /mnt/v",
        "mkdir b; ln -s /bin/rm b/ok; cp -a b c; c/ok -rf /mnt/v",
        "echo 'rm -rf /mnt/v' > a; cp a b; sh b",
        "echo 'rm -rf /mnt/v' > a; ln -s a b; . ./b",
    ] {
        assert!(has(&effects(text).deletes, "/mnt/v"), "{text}");
    }
    assert!(effects("cp src/ok.sh ok; ./ok").unclear.is_empty());
}

#[test]
fn git_may_put_hooks_in_place() {
    for text in [
        "git init --template=t",
        "git init --templat t .",
        "git -c init.templateDir=t init",
        "git config init.templateDir t; git init",
        "ln -s .git/hooks h; cp a h/pre-commit",
        "ln -s .git g; cp a g/hooks/pre-commit",
    ] {
        let writes = effects(text).writes;
        let is_hook = |write: &PathEffect| write.path.written().starts_with("/home/u/p/.git/hooks");
        assert!(writes.iter().any(is_hook), "{text}");
    }
    assert!(
        effects("git init --template= .")
            .writes
            .iter()
            .all(|write| !write.path.written().contains("hooks"))
    );
}
