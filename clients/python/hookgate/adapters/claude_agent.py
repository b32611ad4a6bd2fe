"""hookgate in the Claude Agent SDK: hook callbacks and a permission callback for `ClaudeAgentOptions`.

The permit ends with the callback, before the agent runs the tool: that it runs what the callback has answered is up to the agent.
A result cannot be withheld here (the agent keeps the result of its own tools if the replacement has another shape) nor supplied,
so such guards are refused by the server. The package's types are all that this was tested with."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from typing import Any, Callable, Dict, Iterable, Literal, Optional, Union, cast

from claude_agent_sdk import ClaudeAgentOptions, HookMatcher, PermissionResultAllow, PermissionResultDeny
from claude_agent_sdk.types import CanUseTool, HookContext, HookInput, HookJSONOutput, PermissionResult
from claude_agent_sdk.types import PreToolUseHookInput, PreToolUseHookSpecificOutput, SyncHookJSONOutput
from claude_agent_sdk.types import ToolPermissionContext, UserPromptSubmitHookInput

from .._errors import Asked, Denied, Halted, NotCleared
from ._steps import REFUSED, WAITING, Ask, Gate, Session, Steps
from ._values import told

CLAIMS = {"events": ("pre_tool_use", "user_prompt_submit"), "enforces": ("deny", "ask", "halt", "patch")}

#: For how many seconds a person may be asked, where `ask` does that.
DAY = 24 * 3600.0


class Hookgate:
    """`options(...)` are the options whose agent is judged. `session` is a name, or says it of the input of a hook."""

    def __init__(
        self, gate: Gate, session: Union[str, Callable[[Any], str]], *, ask: Optional[Ask] = None, also: Iterable[str] = ()
    ) -> None:
        self._steps = Steps(gate, session, CLAIMS, ask, also)
        self._asks, self._can_ask = ask is not None, "ask" in gate.claims["enforces"]
        self._timeout = DAY if self._asks else gate.deadline + 5.0
        self._sessions: "OrderedDict[str, Session]" = OrderedDict()

    def options(self, options: ClaudeAgentOptions) -> ClaudeAgentOptions:
        """The options with hooks that judge, and with a `can_use_tool` that answers questions."""
        hooks = dict(options.hooks or {})
        if hooks.get("PreToolUse"):
            raise ValueError("the options have hooks at PreToolUse, which could change what was judged: have hookgate call them")
        if self._can_ask and not self._asks and options.can_use_tool is None:
            raise ValueError(
                "nobody can be asked: give the options a `can_use_tool`, or hookgate an `ask`, or make the gate without `ask`"
            )
        ours = (self.pre_tool_use, self.user_prompt_submit)
        both = [HookMatcher(hooks=[hook], timeout=self._timeout, on_failure="block") for hook in ours]
        hooks["PreToolUse"] = both[:1]
        hooks["UserPromptSubmit"] = [*hooks.get("UserPromptSubmit", []), *both[1:]]
        can_use_tool = None if options.can_use_tool is None else self.can_use_tool(options.can_use_tool)
        return replace(options, hooks=hooks, can_use_tool=can_use_tool)

    async def pre_tool_use(self, given: HookInput, tool_use_id: Optional[str], context: HookContext) -> HookJSONOutput:
        """The callback at PreToolUse. Without an opinion it leaves the tool to the permissions of the agent."""
        call = cast(PreToolUseHookInput, given)
        session, number = self._steps.session(call), call["tool_use_id"]
        self._sessions[number] = session
        while len(self._sessions) > WAITING:
            self._sessions.popitem(last=False)
        step = session.tool(call["tool_name"], call["tool_input"], tool_use_id=number)
        try:
            async with self._steps.cleared(step) as permit:
                return {} if permit.input == call["tool_input"] else self._decided(None, judged=permit.input)
        except Asked as asked:
            judged = asked.step["tool_input"]
            self._steps.wait(session, number, (call["tool_name"], judged), asked)
            return self._decided("ask", asked.reason, judged)
        except Halted as halted:
            return {**self._decided("deny", halted.reason), "continue_": False, "stopReason": halted.reason}
        except NotCleared as denied:
            return self._decided("deny", denied.reason)

    def can_use_tool(self, original: CanUseTool) -> CanUseTool:
        """The callback that asks a person. It is shown what would run, and its answer goes back to hookgate."""

        async def can_use_tool(name: str, given: Dict[str, Any], context: ToolPermissionContext) -> PermissionResult:
            number = context.tool_use_id or ""
            session = self._sessions.pop(number, None)
            if session is None:
                return PermissionResultDeny(message="denied: the call was not judged")
            question = self._steps.taken(session, number, (name, given))
            answer = await original(name, given, context)
            if isinstance(answer, PermissionResultDeny):
                if question is not None:
                    await self._answer(question.asked.reject(answer.message or REFUSED))
                return answer
            chosen = given if answer.updated_input is None else answer.updated_input
            if question is None:
                step: Any = session.tool(name, chosen, tool_use_id=number)
            else:
                step = question.asked.approve() if chosen == given else question.asked.approve_with({"tool_input": chosen})
            judged = await self._answer(step)
            return replace(answer, updated_input=judged) if isinstance(judged, dict) else PermissionResultDeny(message=judged)

        return can_use_tool

    async def _answer(self, step: Any) -> Union[Dict[str, Any], str]:
        try:
            async with self._steps.cleared(step) as permit:
                return cast(Dict[str, Any], permit.input)
        except NotCleared as denied:
            return told(denied)

    @staticmethod
    def _decided(
        decision: Optional[Literal["deny", "ask"]], reason: str = "", judged: Optional[Dict[str, Any]] = None
    ) -> SyncHookJSONOutput:
        out: PreToolUseHookSpecificOutput = {"hookEventName": "PreToolUse"}
        if decision is not None:
            out.update({"permissionDecision": decision, "permissionDecisionReason": reason})
        if judged is not None:
            out["updatedInput"] = judged
        return {"hookSpecificOutput": out}

    async def user_prompt_submit(self, given: HookInput, tool_use_id: Optional[str], context: HookContext) -> HookJSONOutput:
        """The callback at UserPromptSubmit."""
        prompt = cast(UserPromptSubmitHookInput, given)["prompt"]
        try:
            if await self._steps.prompt(self._steps.session(given), prompt) != prompt:
                raise Denied("a hook has rewritten the prompt, which this SDK has no place for")
        except NotCleared as denied:
            out: SyncHookJSONOutput = {"decision": "block", "reason": denied.reason}
            out["hookSpecificOutput"] = {"hookEventName": "UserPromptSubmit", "suppressOriginalPrompt": True}
            if isinstance(denied, Halted):
                out.update({"continue_": False, "stopReason": denied.reason})
            return out
        return {}
