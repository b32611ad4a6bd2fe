"""Promise: nothing runs that was not cleared, whatever becomes of the server."""

import os
import signal
import threading
import time
import unittest

import hookgate
from tests.support import EVENTS, PROGRAM, Folder, child_of_this_process, stop


class GateTest(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.close)

    def spawn(self, **more):
        given = {"events": EVENTS, "program": PROGRAM, **more}
        gate = hookgate.spawn(self.folder.hooks, **given)
        self.addCleanup(gate.close)
        return gate

    def connect(self, **more):
        gate = hookgate.connect(self.folder.socket, **{"events": EVENTS, **more})
        self.addCleanup(gate.close)
        return gate

    def test_what_was_judged_is_what_runs(self):
        session = self.spawn().session("s")
        with session.tool("Bash", {"command": "ls"}) as permit:
            self.assertEqual(permit.run(lambda step: step["tool_input"]), {"command": "ls"})
        with session.tool("Bash", {"command": "npm install"}) as permit:
            self.assertEqual(permit.input, {"command": "pnpm install"})
            self.assertEqual(permit.report["patched"], ["tool_input"])
        ran = session.tool("Bash", {"command": "npm install"}).run(lambda step: step["tool_input"]["command"])
        self.assertEqual(ran, "pnpm install")

    def test_a_step_that_is_not_cleared_is_raised_and_nothing_runs(self):
        session, ran = self.spawn().session("s"), []
        for command, kind, by in [
            ("git push --force", hookgate.Denied, ["no-force-push"]),
            ("cargo publish", hookgate.Asked, ["confirm"]),
            ("stop it", hookgate.Halted, ["enough"]),
            ("date", hookgate.Answered, ["cached"]),
        ]:
            with self.assertRaises(kind) as raised:
                session.tool("Bash", {"command": command}).run(ran.append)
            self.assertEqual(raised.exception.by, by)
            self.assertIsInstance(raised.exception, hookgate.NotCleared)
        self.assertEqual(raised.exception.answer["content"], "today")
        self.assertEqual(ran, [])

    def test_a_permit_is_good_for_one_action_inside_of_its_with(self):
        session = self.spawn().session("s")
        with session.tool("Bash", {"command": "ls"}) as permit:
            permit.run(lambda step: None)
            with self.assertRaises(hookgate.PermitUsed):
                permit.run(lambda step: None)
        for use in (lambda: permit.payload, lambda: permit.input, lambda: permit.run(print)):
            with self.assertRaises(hookgate.PermitUsed):
                use()

    def test_a_person_approves_changes_or_rejects(self):
        session = self.spawn().session("s")

        def ask():
            with self.assertRaises(hookgate.Asked) as raised:
                session.tool("Bash", {"command": "cargo publish"}).run(print)
            return raised.exception

        asked = ask()
        self.assertEqual(asked.step["tool_input"], {"command": "cargo publish"})
        with asked.approve() as permit:
            self.assertEqual(permit.input, {"command": "cargo publish"})
        with self.assertRaises(hookgate.Refused) as raised:
            asked.approve().run(print)
        self.assertEqual(raised.exception.name, "question_refused")
        with ask().approve_with({"tool_input": {"command": "cargo publish --dry-run"}}) as permit:
            self.assertEqual(permit.input, {"command": "cargo publish --dry-run"})
        with self.assertRaises(hookgate.Denied):
            ask().approve_with({"tool_input": {"command": "publish; push --force"}}).run(print)
        with self.assertRaises(hookgate.Denied) as raised:
            ask().reject("not today").run(print)
        self.assertEqual(raised.exception.reason, "not today")

    def test_a_killed_server_is_a_deny_within_the_deadline(self):
        gate = self.spawn(deadline=20.0)
        session, ran, raised = gate.session("s"), [], []

        def step():
            try:
                session.tool("Bash", {"command": "slow"}).run(ran.append)
            except hookgate.NotCleared as error:
                raised.append(error)

        waiting = threading.Thread(target=step)
        waiting.start()
        began = time.monotonic()
        time.sleep(0.3)
        os.kill(child_of_this_process(), signal.SIGKILL)
        waiting.join(15)
        self.assertLess(time.monotonic() - began, 10)
        self.assertEqual([type(error) for error in raised], [hookgate.Lost])
        # Every step that comes later is told so, too.
        with self.assertRaises(hookgate.Lost):
            session.tool("Bash", {"command": "ls"}).run(ran.append)
        self.assertEqual(ran, [])

    def test_a_server_that_hangs_is_a_deny_after_the_deadline(self):
        server = self.folder.listen()
        session = self.connect(deadline=0.5).session("s")
        session.tool("Bash", {"command": "ls"}).run(lambda step: None)
        stop(server)
        began = time.monotonic()
        # Large enough that not even the sending comes to an end.
        for text in ("ls", "x" * 3_000_000):
            with self.assertRaises(hookgate.DeadlinePassed):
                session.tool("Bash", {"command": text}).run(self.fail)
        self.assertLess(time.monotonic() - began, 10)
        server.send_signal(signal.SIGCONT)

    def test_a_hook_that_takes_too_long_is_a_deny(self):
        session = self.spawn().session("s")
        with self.assertRaises(hookgate.Denied) as raised:
            session.tool("Bash", {"command": "slow"}, deadline=0.2).run(self.fail)
        self.assertIn(getattr(raised.exception, "name", ""), ("deadline_passed", ""))

    def test_a_server_that_was_started_again_is_found_with_the_hooks_of_the_session(self):
        server = self.folder.listen()
        session = self.connect().session("s")
        deny = {"id": "mine", "event": "pre_tool_use", "tool": "Bash",
                "builtin": {"name": "deny", "reason": "no shell in this session"}}
        self.assertEqual(session.override([deny]), ["mine"])
        with self.assertRaises(hookgate.Denied):
            session.tool("Bash", {"command": "ls"}).run(self.fail)
        server.kill()
        server.wait()
        with self.assertRaises(hookgate.Lost):
            session.tool("Bash", {"command": "ls"}).run(self.fail)
        self.folder.listen()
        with self.assertRaises(hookgate.Denied) as raised:
            session.tool("Bash", {"command": "ls"}).run(self.fail)
        self.assertEqual(raised.exception.by, ["scope/mine"])
        session.tool("Read", {"path": "a"}).run(lambda step: None)
        session.override(disable=["mine"])
        session.tool("Bash", {"command": "ls"}).run(lambda step: None)

    def test_steps_keep_their_order(self):
        session = self.spawn().session("s")
        verdicts = []
        for _ in range(5):
            try:
                session.tool("Count", {}).run(lambda step: verdicts.append("ran"))
            except hookgate.Denied:
                verdicts.append("denied")
        self.assertEqual(verdicts, ["ran", "ran", "denied", "denied", "denied"])
        session.observe({"hook_event_name": "session_end", "reason": "done"})
        session.end()
        with self.assertRaises(hookgate.Denied):
            session.tool("Count", {}).run(self.fail)

    def test_many_threads_use_one_gate(self):
        gate, wrong = self.spawn(), []

        def steps(number):
            session = gate.session(f"s{number}")
            for at in range(20):
                try:
                    with session.tool("Bash", {"command": f"echo {number} {at}"}) as permit:
                        if permit.input != {"command": f"echo {number} {at}"}:
                            wrong.append(permit.input)
                    session.tool("Bash", {"command": "git push --force"}).run(wrong.append)
                except hookgate.Denied as denied:
                    if denied.by != ["no-force-push"]:
                        wrong.append(denied)

        threads = [threading.Thread(target=steps, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_what_is_no_step_is_a_deny(self):
        session = self.spawn().session("s")
        for step in (
            {},
            {"hook_event_name": "pre_tol_use"},
            {"hook_event_name": "stop"},
            {"hook_event_name": "pre_tool_use", "tool_name": "Bash", "tool_input": {"n": float("nan")}},
            {"hook_event_name": "pre_tool_use", "tool_name": "Bash", "tool_input": {"n": "\ud800"}},
            {"hook_event_name": "pre_tool_use", "tool_name": "Bash", "tool_input": {"n": object()}},
        ):
            with self.assertRaises(hookgate.Refused):
                session.step(step).run(self.fail)
        session.tool("Bash", {"command": "ls"}).run(lambda step: None)

    def test_a_host_that_does_not_enforce_a_guard_gets_no_gate(self):
        with self.assertRaises(hookgate.Refused) as raised:
            self.spawn(events=["post_tool_use"])
        self.assertEqual(raised.exception.name, "unenforced")
        self.assertIn("no-force-push", [one["hook"] for one in raised.exception.more["unenforced"]])
        with self.assertRaises(ValueError):
            self.spawn(lost="allow")

    def test_a_gate_says_what_the_host_has_claimed(self):
        gate = self.spawn(enforces=["patch", "deny", "halt", "ask", "answer"])
        self.assertEqual(gate.claims, {"events": sorted(EVENTS), "enforces": ["answer", "ask", "deny", "halt", "patch"]})

    def test_a_gate_that_is_closed_clears_nothing(self):
        gate = self.spawn()
        gate.close()
        with self.assertRaises(hookgate.Lost):
            gate.session("s").tool("Bash", {"command": "ls"}).run(self.fail)


class AnswerTest(unittest.TestCase):
    """What a server could say that is no verdict."""

    def test_only_a_whole_verdict_clears(self):
        from hookgate import _protocol as protocol

        report = {"reason": None, "by": [], "decision": "allow"}
        self.assertEqual(protocol.permit({"verdict": "pass", "step": {"a": 1}, "report": report}, None).payload, {"a": 1})
        for judged in (
            {},
            {"verdict": None, "step": {}, "report": report},
            {"verdict": "pass", "step": {}, "report": {**report, "decision": "deny"}},
            {"verdict": "pass", "report": report},
            {"verdict": "pass", "step": None, "report": report},
            {"verdict": "allow", "step": {}},
            {"verdict": "allowed", "step": {}, "report": report},
            {"verdict": "ask", "step": {}, "report": report},
            {"verdict": "deny", "step": {}, "report": report},
            {"verdict": "halt", "step": {}, "report": report},
            {"verdict": "answered", "step": {}, "report": report},
        ):
            with self.assertRaises(hookgate.NotCleared):
                protocol.permit(judged, None)
        # A person has refused it, whatever the server makes of that.
        with self.assertRaises(hookgate.Denied):
            protocol.permit({"verdict": "allow", "step": {}, "report": report}, None, {"reject": "no"})
        # The server could not say of which request it cannot read the line.
        with self.assertRaises(hookgate.Denied):
            protocol.frame(1, "judge", {"text": "x" * (17 << 20)})
        for response in ({}, {"result": None}, {"result": 7}, {"error": {}}, {"error": None, "result": []}):
            with self.assertRaises(hookgate.Denied):
                protocol.result(response)
        for line in (b"", b"{", b"[]", b'{"id":1}', b'{"jsonrpc":"2.0","id":1,"id":2}', b'{"jsonrpc":"2.0","id":null,"error":{}}', b"\xff"):
            with self.assertRaises(ValueError):
                protocol.parse(line)
