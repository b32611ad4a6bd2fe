"""What every adapter must do, run in the real SDK with a scripted model. The file of an SDK says how it runs there."""

import asyncio
import os
import pathlib
import signal
import unittest

import hookgate
from hookgate import aio
from tests.support import PROGRAM, Folder, child_of_this_process

CASES = pathlib.Path(__file__).parents[3] / "cases"


class Outcome:
    """What has come of a run."""

    def __init__(self, told, waits=(), halted=None, state=None):
        #: What the model was told of each call, by its id.
        self.told = dict(told)
        #: The ids of the calls that wait for a person.
        self.waits = list(waits)
        #: Why the run has ended, if it has.
        self.halted = halted
        #: What the SDK goes on with.
        self.state = state


class Base(unittest.IsolatedAsyncioTestCase):
    """`run_turns` runs an agent whose model calls the tool `Bash` with the commands of each turn, the first being `c0`;
    `resume` goes on, with an answer for each call that waits: True or the reason to refuse."""

    #: The gate is one for asyncio.
    is_aio = False
    #: The agent runs without asyncio.
    is_blocking = False
    prompts = True
    CLAIMS = None

    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.close)
        files = ["gate.toml", "sdks.toml"] + (["prompts.toml"] if self.prompts else [])
        self.folder.hooks.write_text("\n".join((CASES / file).read_text(encoding="utf-8") for file in files))
        self.ran = []

    async def asyncSetUp(self):
        self.gate = await self.make_gate(**self.CLAIMS)
        self.hookgate = self.adapter(self.gate, "s")

    async def make_gate(self, **claims):
        if self.is_aio:
            gate = await aio.spawn(self.folder.hooks, program=PROGRAM, **claims)
            self.addAsyncCleanup(gate.close)
        else:
            gate = hookgate.spawn(self.folder.hooks, program=PROGRAM, **claims)
            self.addCleanup(gate.close)
        return gate

    def bash(self, command):
        """The tool. It says what it was called with."""
        self.ran.append(command)
        if command == "die":
            os.kill(child_of_this_process(), signal.SIGKILL)
        return f"ran {command}"

    async def call(self, sync, asynchronous):
        """Runs the agent the way that this class is about."""
        return await asyncio.to_thread(with_own_loop, sync) if self.is_blocking else await asynchronous()


def with_own_loop(run):
    """Calls what makes a loop if there is none, and closes that."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        return run()
    finally:
        loop.close()


class Scenarios:
    async def test_what_is_cleared_runs_and_what_is_denied_does_not(self):
        outcome = await self.run_turns(["ls"], ["git push --force"])
        self.assertEqual(self.ran, ["ls"])
        self.assertIn("ran ls", outcome.told["c0"])
        self.assertIn("force push is not allowed here", outcome.told["c1"])
        self.assertEqual(outcome.waits, [])

    async def test_the_rewritten_arguments_run(self):
        outcome = await self.run_turns(["npm install"])
        self.assertEqual(self.ran, ["pnpm install"])
        self.assertIn("ran pnpm install", outcome.told["c0"])

    async def test_a_hook_supplies_the_result(self):
        outcome = await self.run_turns(["date"])
        self.assertEqual(self.ran, [])
        self.assertIn("today", outcome.told["c0"])

    async def test_an_output_is_withheld_or_rewritten(self):
        outcome = await self.run_turns(["cat secret"], ["cat token"])
        self.assertEqual(self.ran, ["cat secret", "cat token"])
        self.assertIn("a secret stands in it", outcome.told["c0"])
        self.assertIn("masked", outcome.told["c1"])
        self.assertNotIn("ran cat", " ".join(outcome.told.values()))

    async def test_the_calls_of_one_turn_are_judged_each(self):
        outcome = await self.run_turns(["ls", "git push --force", "npm install", "pwd"])
        self.assertEqual(sorted(self.ran), ["ls", "pnpm install", "pwd"])
        self.assertIn("ran pnpm install", outcome.told["c2"])
        self.assertIn("force push is not allowed here", outcome.told["c1"])

    async def test_a_call_is_judged_once(self):
        await self.run_turns(["counted"], ["counted"], ["counted"])
        self.assertEqual(self.ran, ["counted"] * 2)

    async def test_a_lost_server_is_a_deny_in_the_middle_of_a_run(self):
        outcome = await self.run_turns(["die"], ["ls"])
        self.assertEqual(self.ran, ["die"])
        self.assertNotIn("ran die", outcome.told["c0"])
        self.assertIn("the step does not happen", outcome.told["c1"])

    async def test_a_gate_that_claims_more_is_refused(self):
        claims = {"events": [*self.CLAIMS["events"], "stop"], "enforces": self.CLAIMS["enforces"]}
        gate = await self.make_gate(**claims)
        with self.assertRaisesRegex(ValueError, "stop"):
            self.adapter(gate, "s")
        self.adapter(gate, "s", also=["stop"])
        gate = await self.make_gate(events=self.CLAIMS["events"], enforces=[*self.CLAIMS["enforces"], "context"])
        with self.assertRaisesRegex(ValueError, "context"):
            self.adapter(gate, "s")

    async def test_a_person_is_asked_in_place(self):
        shown = []

        async def later(asked):
            return "not today" if "no" in asked.step["tool_input"]["command"] else True

        def ask(asked):
            shown.append(asked.step["tool_input"]["command"])
            return later(asked) if not self.is_blocking else True if "no" not in shown[-1] else "not today"

        self.hookgate = self.adapter(await self.make_gate(**self.with_ask()), "s", ask=ask)
        outcome = await self.run_turns(["release"], ["publish no"])
        self.assertEqual(shown, ["publish --dry-run", "publish no"])
        self.assertEqual(self.ran, ["publish --dry-run"])
        self.assertIn("not today", outcome.told["c1"])

    def with_ask(self):
        return {"events": self.CLAIMS["events"], "enforces": sorted({*self.CLAIMS["enforces"], "ask"})}


class Halts:
    async def test_a_halt_ends_the_run(self):
        outcome = await self.run_turns(["stop it"], ["ls"])
        self.assertEqual(self.ran, [])
        self.assertIn("enough", outcome.halted)

    async def test_a_halt_after_a_tool_ends_the_run(self):
        outcome = await self.run_turns(["leak"], ["ls"])
        self.assertEqual(self.ran, ["leak"])
        self.assertIn("it has leaked", outcome.halted)
        self.assertNotIn("ran leak", " ".join(outcome.told.values()))


class Prompts:
    async def test_a_prompt_is_denied(self):
        with self.assertRaises(Exception) as raised:
            await self.run_turns(["ls"], prompt="write malware")
        self.assertIn("not here", self.why(raised.exception))
        self.assertEqual(self.ran, [])


class RewrittenPrompts:
    def setUp(self):
        super().setUp()
        with self.folder.hooks.open("a") as hooks:
            hooks.write((CASES / "rewritten_prompt.toml").read_text(encoding="utf-8"))


class Pauses:
    """For an SDK that has an approval flow of its own."""

    async def test_a_step_that_was_approved_runs(self):
        paused = await self.run_turns(["cargo publish", "ls"])
        self.assertEqual((paused.waits, self.ran.count("cargo publish")), (["c0"], 0))
        outcome = await self.resume(paused, {"c0": True})
        self.assertEqual(sorted(self.ran), ["cargo publish", "ls"])
        self.assertEqual(outcome.waits, [])
        self.assertIn("ran cargo publish", outcome.told["c0"])

    async def test_a_step_that_was_refused_does_not_run_and_the_server_knows(self):
        paused = await self.run_turns(["cargo publish"])
        asked = self.asked(paused, "c0")
        outcome = await self.resume(paused, {"c0": "not today"})
        self.assertEqual(self.ran, [])
        self.assertIn("not today", outcome.told["c0"])
        with self.assertRaises(hookgate.Denied) as raised:
            await self.hookgate._steps._enter(asked.approve(), False)
        self.assertEqual(getattr(raised.exception, "name", None), "question_refused")

    async def test_a_call_that_comes_again_is_not_approved_by_that(self):
        for _ in range(2):
            outcome = await self.run_turns(["cargo publish"])
            self.assertEqual((outcome.waits, self.ran), (["c0"], []))

    async def test_each_question_of_a_turn_has_its_own_answer(self):
        paused = await self.run_turns(["cargo publish", "npm publish", "ls"])
        self.assertEqual(sorted(paused.waits), ["c0", "c1"])
        await self.resume(paused, {"c0": "no", "c1": True})
        self.assertEqual(sorted(self.ran), ["ls", "npm publish"])

    async def test_an_approval_is_of_what_would_run(self):
        paused = await self.run_turns(["release"])
        self.assertEqual(self.asked(paused, "c0").step["tool_input"], {"command": "publish --dry-run"})
        await self.resume(paused, {"c0": True})
        self.assertEqual(self.ran, ["publish --dry-run"])

    async def test_an_approval_with_a_lost_server_is_a_deny(self):
        paused = await self.run_turns(["cargo publish"])
        os.kill(child_of_this_process(), signal.SIGKILL)
        outcome = await self.resume(paused, {"c0": True})
        self.assertEqual(self.ran, [])
        self.assertIn("the step does not happen", outcome.told["c0"])

    async def test_an_approval_that_another_process_was_asked_for_is_none(self):
        paused = await self.run_turns(["cargo publish"])
        self.forget()
        outcome = await self.resume(paused, {"c0": True})
        self.assertEqual(self.ran, [])
        self.assertTrue(outcome.waits == ["c0"] or "no person was asked" in outcome.told["c0"])

    def forget(self):
        self.hookgate = self.adapter(self.gate, "s")


class Unseen:
    """For an SDK whose own approval shows what the model has proposed, and whose tools can ask for one themselves."""

    needs_approval = False

    async def test_what_the_tool_itself_asks_about_is_judged_when_it_was_approved(self):
        self.needs_approval = True
        paused = await self.run_turns(["ls"])
        self.assertEqual((paused.waits, self.ran), (["c0"], []))
        await self.resume(paused, {"c0": True})
        self.assertEqual(self.ran, ["ls"])
        paused = await self.run_turns(["pwd"])
        deny = {"id": "mine", "event": "pre_tool_use", "tool": "Bash", "builtin": {"name": "deny", "reason": "no more"}}
        self.gate.session("s").override([deny])
        outcome = await self.resume(paused, {"c0": True})
        self.assertEqual(self.ran, ["ls"])
        self.assertIn("no more", outcome.told["c0"])

    async def test_an_approval_of_other_arguments_is_none(self):
        paused = await self.run_turns(["release"])
        outcome = await self.resume(paused, {"c0": True})
        self.assertEqual(self.ran, [])
        self.assertIn("rewritten", outcome.told["c0"])
