"""hookgate in Pydantic AI: a capability of an agent. A question becomes a deferred tool call, which a person approves."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any, Callable, Dict, Iterable, Optional, Union

from pydantic_ai import RunContext
from pydantic_ai.capabilities import AbstractCapability, CapabilityOrdering
from pydantic_ai.exceptions import ApprovalRequired, ToolFailed
from pydantic_ai.messages import ModelRequest, UserPromptPart
from pydantic_ai.tools import ToolDenied
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool, WrapperToolset

from .._errors import Answered, Asked, Denied, Halted, NotCleared
from ._steps import Ask, Gate, Steps
from ._values import content, plain, told, withheld

CLAIMS = {"events": ("pre_tool_use", "post_tool_use", "user_prompt_submit"), "enforces": ("deny", "ask", "halt", "patch", "answer")}


class Hookgate(AbstractCapability[Any]):
    """The capability. `session` is a name, or says it of the context of the run."""

    def __init__(
        self, gate: Gate, session: Union[str, Callable[[Any], str]], *, ask: Optional[Ask] = None, also: Iterable[str] = ()
    ) -> None:
        self._steps = Steps(gate, session, CLAIMS, ask, also)

    @classmethod
    def get_serialization_name(cls) -> Optional[str]:
        """It cannot be written down: it has a connection."""
        return None

    def get_ordering(self) -> CapabilityOrdering:
        """Innermost, so that nothing changes what was judged."""
        return CapabilityOrdering(position="innermost")

    def get_wrapper_toolset(self, toolset: AbstractToolset[Any]) -> AbstractToolset[Any]:
        """The tools, judged."""
        return _Judged(toolset, self._steps)

    def asked(self, call: Any, context: Any = None) -> Asked:
        """The question of a call in `DeferredToolRequests.approvals`. A rewritten step can be approved only after this has
        shown it."""
        return self._steps.asked(self._steps.session(context), call.tool_call_id)

    async def reject(self, call: Any, reason: str, context: Any = None) -> ToolDenied:
        """Answers the question with a no, for `approvals={call.tool_call_id: await hookgate.reject(call, reason)}`."""
        return ToolDenied(await self._steps.reject(self._steps.session(context), call.tool_call_id, reason))

    async def before_model_request(self, ctx: RunContext[Any], request_context: Any) -> Any:
        """Has what the user says judged, before it is sent. A tool that runs elsewhere is an error: it cannot be judged."""
        given = request_context.model_request_parameters
        elsewhere = [one.name for one in given.function_tools if one.kind == "external"] + [one.kind for one in given.native_tools]
        if elsewhere:
            raise ValueError(f"the agent has tools that run elsewhere, so they cannot be judged: {', '.join(elsewhere)}")
        last = request_context.messages[-1]
        if not isinstance(last, ModelRequest):
            return request_context
        parts = [await self._prompt(ctx, part) if isinstance(part, UserPromptPart) else part for part in last.parts]
        if any(one is not other for one, other in zip(parts, last.parts)):
            rewritten = replace(last, parts=parts)
            request_context.messages[-1] = rewritten
            ctx.messages[:] = [rewritten if one is last else one for one in ctx.messages]
        return request_context

    async def _prompt(self, ctx: RunContext[Any], part: UserPromptPart) -> UserPromptPart:
        given = part.content
        said = given if isinstance(given, str) else "\n".join(one for one in given if isinstance(one, str))
        prompt = await self._steps.prompt(self._steps.session(ctx), said)
        if prompt == said:
            return part
        if not isinstance(given, str):
            raise Denied("a hook has rewritten a prompt that has more than text")
        return replace(part, content=prompt)


@dataclass
class _Judged(WrapperToolset[Any]):
    """Tools that are reached through their permits."""

    steps: Steps

    async def call_tool(self, name: str, tool_args: Dict[str, Any], ctx: RunContext[Any], tool: ToolsetTool[Any]) -> Any:
        session, number = self.steps.session(ctx), str(ctx.tool_call_id)
        proposed = (name, plain(tool_args))
        question = self.steps.taken(session, number, proposed) if ctx.tool_call_approved else None
        step = session.tool(*proposed, tool_use_id=number) if question is None else self.steps.approved(question)
        try:
            async with self.steps.cleared(step) as permit:
                arguments = tool_args
                if permit.input != proposed[1]:
                    arguments = tool.args_validator.validate_json(json.dumps(permit.input))
                output = await permit.run(lambda _: self.wrapped.call_tool(name, arguments, ctx, tool))
                try:
                    return (await self.steps.output(session, permit, output))["tool_response"]
                except Halted:
                    raise
                except NotCleared as denied:
                    raise ToolFailed(withheld(denied.reason)) from None
        except Halted:
            raise  # It ends the run.
        except Answered as answered:
            return content(answered.answer)
        except Asked as asked:
            if question is not None:
                raise ToolFailed(told(asked)) from None
            self.steps.wait(session, number, proposed, asked)
            shown = {"reason": asked.reason, "by": asked.by, "input": asked.step["tool_input"]}
            raise ApprovalRequired(metadata={"hookgate": shown}) from None
        except NotCleared as denied:
            raise ToolFailed(told(denied)) from None
