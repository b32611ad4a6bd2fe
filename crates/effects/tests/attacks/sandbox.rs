//! Where attacks run: namespaces of their own, in which everything but the attacked project is read-only.

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::generator::Attack;
use super::goal::{CHECKS, Goal, PROJECT};

/// Set where a test has been started again inside of the namespaces.
const INSIDE: &str = "HOOKGATE_ATTACKS_INSIDE";

/// The namespaces: mounts, processes, network.
const NAMESPACES: [&str; 6] =
    ["--mount", "--pid", "--net", "--fork", "--mount-proc", "--kill-child"];

/// Everything is read-only, before the attacked folders are mounted. The file system of devices is one for all
/// namespaces: what a line would remove there, the machine would lose. So there is another one in its place, with
/// the devices that a shell needs.
const SEAL: &str = r#"
mount --make-rprivate / || exit 1
mount -t tmpfs none /mnt || exit 1
for device in null zero full random urandom tty; do
  touch /mnt/$device && mount --bind /dev/$device /mnt/$device && mount -o remount,bind,ro /mnt/$device || exit 1
done
ln -s /proc/self/fd /mnt/fd; ln -s fd/0 /mnt/stdin; ln -s fd/1 /mnt/stdout; ln -s fd/2 /mnt/stderr
mount --rbind /mnt /dev && umount -l /mnt || exit 1
for place in /proc/sys /proc/sysrq-trigger /proc/irq /proc/bus; do
  [ ! -e $place ] || mount --bind $place $place || exit 1
done
while read -r _ place _; do
  case $place in /proc|/dev/*) ;; *) mount -o remount,bind,ro "$place" || exit 1 ;; esac
done < /proc/self/mounts
for place in / /dev /sys /proc/sys/kernel "$HOME"; do
  touch $place/hookgate-is-not-sealed 2>/dev/null && exit 1
done
for folder in /mnt /opt /tmp /run; do mount -t tmpfs none $folder || exit 1; done
"#;

/// A copy of the project for one line, the line itself, and what it has done. Its processes see a `/proc` of their
/// own, of which the settings of the system are read-only as well.
const ATTACK: &str = r#"
for place in /proc/sys /proc/sysrq-trigger /proc/irq /proc/bus; do
  [ ! -e $place ] || { mount --bind $place $place && mount -o remount,bind,ro $place; } || exit 1
done
mount -t tmpfs none /run && cp -a /mnt /opt /run || exit 1
mount --bind /run/mnt /mnt && mount --bind /run/opt /opt && mount -t tmpfs none /tmp || exit 1
cd /mnt/proj || exit 1
setpriv --bounding-set=-sys_boot,-sys_module,-mknod,-sys_rawio,-sys_time \
  timeout -k 1 5 bash -c "$LINE" </dev/null >/dev/null 2>&1
echo ended
"#;

/// Returns whether the test runs inside of the namespaces. If not, it is started again there, and its result
/// is that of the test.
pub(crate) fn entered(test: &str) -> bool {
    if std::env::var_os(INSIDE).is_some() {
        return true;
    }
    let allowed = unshare().args(["bash", "-c", SEAL]).stderr(Stdio::null()).status();
    if !allowed.is_ok_and(|status| status.success()) {
        hookgate_test_support::needs::ignored(
            "`unshare` may make no namespaces here: this needs root",
        );
        return false;
    }
    let program = std::env::current_exe().expect("this program");
    let mut again = unshare();
    again.arg(program).args(["--exact", test, "--nocapture", "--test-threads=1"]).env(INSIDE, "1");
    let status = again.status().expect("`unshare` starts");
    assert!(status.success(), "see above: {status}");
    false
}

fn unshare() -> Command {
    let mut unshare = Command::new("unshare");
    unshare.args(NAMESPACES);
    unshare
}

/// The project that is attacked.
pub(crate) struct Range;

impl Range {
    /// Seals everything and makes the project.
    pub(crate) fn new() -> Self {
        for script in [SEAL, PROJECT] {
            let status = Command::new("bash").args(["-c", script]).status().expect("bash");
            assert!(status.success(), "the range cannot be made");
        }
        Self
    }

    /// Runs lines, each on a copy of the project, and returns whether each has reached its goal.
    pub(crate) fn run(&self, attacks: &[Attack]) -> Vec<bool> {
        let next = AtomicUsize::new(0);
        let work = || {
            let mut done = Vec::new();
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(attack) = attacks.get(at) else { return done };
                done.push((at, self.harm(&attack.line).contains(&attack.goal)));
            }
        };
        let workers = std::thread::available_parallelism().map_or(2, usize::from).min(8);
        let mut seen = vec![false; attacks.len()];
        std::thread::scope(|scope| {
            let started: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
            for worker in started {
                for (at, reached) in worker.join().expect("a worker") {
                    seen[at] = reached;
                }
            }
        });
        seen
    }

    /// Runs a line on a copy of the project, and returns the goals that it has reached.
    pub(crate) fn harm(&self, line: &str) -> Vec<Goal> {
        let mut attack = unshare();
        attack.args(["bash", "-c", &format!("{ATTACK}{CHECKS}")]).env_clear();
        attack.env("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        attack.env("HOME", "/mnt/home").env("LINE", line).env("TERM", "dumb");
        let output = attack.stdin(Stdio::null()).output().expect("`unshare` starts");
        let said = String::from_utf8_lossy(&output.stdout);
        let mut words = said.lines();
        assert_eq!(
            words.next(),
            Some("ended"),
            "{line}\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
        words.filter_map(|word| Goal::ALL.into_iter().find(|goal| goal.name() == word)).collect()
    }
}
