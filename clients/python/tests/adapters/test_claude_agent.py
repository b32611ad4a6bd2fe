"""Promise: the callbacks for the Claude Agent SDK answer what was judged. They are called with inputs of its types; its agent is
not run here."""

import os
import signal
import unittest

from claude_agent_sdk import ClaudeAgentOptions, HookMatcher, PermissionResultAllow, PermissionResultDeny
from claude_agent_sdk.types import ToolPermissionContext

import hookgate
from hookgate.adapters import claude_agent
from tests.adapters.scenarios import Base
from tests.support import child_of_this_process

#: Hooks on results are refused; this host says that it knows.
ACCEPTED = ["no-secrets", "masked", "halt-after", "no-keys"]
COMMON = {"session_id": "s", "transcript_path": "/tmp/t", "cwd": "/tmp"}


class Tests(Base):
    CLAIMS = claude_agent.CLAIMS

    @staticmethod
    def adapter(gate, session, **more):
        return claude_agent.Hookgate(gate, lambda given: given["session_id"], **more)

    async def asyncSetUp(self):
        claims = {**self.CLAIMS, "accept_unenforced": ACCEPTED}
        self.gate = await self.make_gate(**claims)
        self.hookgate = self.adapter(self.gate, "s")
        self.seen = []
        self.answer = PermissionResultAllow()
        self.options = self.hookgate.options(ClaudeAgentOptions(can_use_tool=self.person))

    async def person(self, name, given, context):
        self.seen.append(given)
        return self.answer

    async def pre(self, command, number="c0"):
        call = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": number}
        given = {**COMMON, "hook_event_name": "PreToolUse", **call}
        (matcher,) = self.options.hooks["PreToolUse"]
        self.assertEqual((matcher.matcher, matcher.on_failure), (None, "block"))
        self.assertGreater(matcher.timeout, self.gate.deadline)
        return await matcher.hooks[0](given, number, {"signal": None})

    async def may_use(self, command, number="c0"):
        return await self.options.can_use_tool("Bash", {"command": command}, ToolPermissionContext(tool_use_id=number))

    async def test_a_tool_is_denied_rewritten_or_left_to_the_permissions_of_the_agent(self):
        own = {"hookEventName": "PreToolUse"}
        self.assertEqual(await self.pre("ls"), {})
        denied = {**own, "permissionDecision": "deny", "permissionDecisionReason": "force push is not allowed here"}
        self.assertEqual(await self.pre("git push --force"), {"hookSpecificOutput": denied})
        rewritten = {**own, "updatedInput": {"command": "pnpm install"}}
        self.assertEqual(await self.pre("npm install"), {"hookSpecificOutput": rewritten})
        # It has no place for a result of a hook.
        self.assertEqual((await self.pre("date"))["hookSpecificOutput"]["permissionDecision"], "deny")

    async def test_a_halt_ends_the_run(self):
        out = await self.pre("stop it")
        self.assertEqual((out["continue_"], out["stopReason"]), (False, "enough"))
        self.assertEqual(out["hookSpecificOutput"]["permissionDecision"], "deny")

    async def test_a_person_approves_what_was_judged(self):
        out = (await self.pre("release"))["hookSpecificOutput"]
        self.assertEqual((out["permissionDecision"], out["updatedInput"]), ("ask", {"command": "publish --dry-run"}))
        answer = await self.may_use("publish --dry-run")
        self.assertIsInstance(answer, PermissionResultAllow)
        self.assertEqual([answer.updated_input, *self.seen], [{"command": "publish --dry-run"}] * 2)
        # Once: what was not judged is not permitted.
        answer = await self.may_use("publish --dry-run")
        self.assertEqual((answer.behavior, answer.message), ("deny", "denied: the call was not judged"))

    async def test_a_person_refuses(self):
        await self.pre("cargo publish")
        asked = self.hookgate._steps.asked(self.gate.session("s"), "c0")
        self.answer = PermissionResultDeny(message="not today")
        self.assertEqual((await self.may_use("cargo publish")).message, "not today")
        self.assertIn("denied", await self.hookgate._answer(asked.approve()))

    async def test_what_a_person_changes_is_judged_again(self):
        for first, good in (("cargo publish", "publish --dry-run"), ("ls", "pwd")):
            for changed, kind in ((good, PermissionResultAllow), ("push --force", PermissionResultDeny)):
                await self.pre(first)
                self.answer = PermissionResultAllow(updated_input={"command": changed})
                answer = await self.may_use(first)
                self.assertIsInstance(answer, kind)
                if kind is PermissionResultAllow:
                    self.assertEqual(answer.updated_input, {"command": changed})

    async def test_an_approval_of_other_bytes_is_asked_about_again_and_denied(self):
        await self.pre("cargo publish")
        self.assertIsInstance(await self.may_use("npm publish"), PermissionResultDeny)

    async def test_a_lost_server_is_a_deny(self):
        await self.pre("cargo publish", "c1")
        os.kill(child_of_this_process(), signal.SIGKILL)
        self.assertEqual((await self.pre("ls"))["hookSpecificOutput"]["permissionDecision"], "deny")
        self.assertIsInstance(await self.may_use("cargo publish", "c1"), PermissionResultDeny)

    async def test_a_prompt_is_blocked(self):
        (matcher,) = self.options.hooks["UserPromptSubmit"]
        prompt = {**COMMON, "hook_event_name": "UserPromptSubmit", "prompt": "hello"}
        self.assertEqual(await matcher.hooks[0](prompt, None, {"signal": None}), {})
        out = await matcher.hooks[0]({**prompt, "prompt": "write malware"}, None, {"signal": None})
        self.assertEqual((out["decision"], out["reason"]), ("block", "not here"))

    async def test_options_that_could_not_keep_it_are_refused(self):
        with self.assertRaisesRegex(ValueError, "PreToolUse"):
            self.hookgate.options(ClaudeAgentOptions(hooks={"PreToolUse": [HookMatcher()]}, can_use_tool=self.person))
        with self.assertRaisesRegex(ValueError, "can_use_tool"):
            self.hookgate.options(ClaudeAgentOptions())

    async def test_a_guard_on_results_is_refused_by_the_server(self):
        with self.assertRaises(hookgate.Refused) as raised:
            await self.make_gate(**self.CLAIMS)
        self.assertIn("no-secrets", [one["hook"] for one in raised.exception.more["unenforced"]])

    async def test_a_gate_that_claims_more_is_refused(self):
        gate = hookgate.spawn(self.folder.hooks, program=os.environ["HOOKGATE"], events=[*self.CLAIMS["events"], "post_tool_use"])
        self.addCleanup(gate.close)
        with self.assertRaisesRegex(ValueError, "answer, post_tool_use"):
            self.adapter(gate, "s")

    async def test_a_person_is_asked_in_place(self):
        gate = await self.make_gate(**self.CLAIMS, accept_unenforced=ACCEPTED)
        ask = lambda asked: "not today" if "no" in asked.step["tool_input"]["command"] else True  # noqa: E731
        self.hookgate = self.adapter(gate, "s", ask=ask)
        self.options = self.hookgate.options(ClaudeAgentOptions())
        self.assertEqual(await self.pre("publish"), {})
        out = (await self.pre("publish no"))["hookSpecificOutput"]
        self.assertEqual((out["permissionDecision"], out["permissionDecisionReason"]), ("deny", "not today"))


class AioGateTest(Tests):
    is_aio = True


if __name__ == "__main__":
    unittest.main()
