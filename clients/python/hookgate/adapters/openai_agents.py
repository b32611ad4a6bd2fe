"""hookgate in the OpenAI Agents SDK: the tools of an agent are judged by tool guardrails, a question interrupts the run."""

from __future__ import annotations

import dataclasses
import inspect
import json
from contextlib import AsyncExitStack
from typing import Any, Callable, Dict, Iterable, Optional, Tuple, Union

from agents import Agent, FunctionTool, GuardrailFunctionOutput, InputGuardrail, RunContextWrapper, ToolGuardrailFunctionOutput
from agents import ToolInputGuardrail, ToolOutputGuardrail

from .._errors import Asked, Denied, Halted, NotCleared
from .._permit import Permit
from ._steps import Ask, Gate, Steps
from ._values import last_prompt, told, withheld

CLAIMS = {"events": ("pre_tool_use", "post_tool_use", "user_prompt_submit"), "enforces": ("deny", "ask", "halt", "patch", "answer")}
Outcome = Union[Tuple[AsyncExitStack, Permit], NotCleared]


class Hookgate:
    """`agent(...)` is the agent whose steps are judged. `session` is a name, or says it of the context of the run."""

    def __init__(
        self, gate: Gate, session: Union[str, Callable[[Any], str]], *, ask: Optional[Ask] = None, also: Iterable[str] = ()
    ) -> None:
        self._steps = Steps(gate, session, CLAIMS, ask, also)
        self._judged: Dict[Tuple[str, str], Tuple[Any, Outcome]] = {}
        #: By the arguments, too: runs at the same time may give their calls the same ids.
        self._cleared: Dict[Tuple[str, str, str, str], Tuple[AsyncExitStack, Permit]] = {}
        self._halted: Dict[Tuple[str, str], Halted] = {}
        self._agents: Dict[int, Tuple[Agent[Any], Agent[Any]]] = {}

    def agent(self, agent: Agent[Any]) -> Agent[Any]:
        """The agent with every tool judged, its handoffs too. What cannot be judged is an error."""
        if id(agent) in self._agents:
            return self._agents[id(agent)][1]
        opaque = [one.name for one in agent.tools if not isinstance(one, FunctionTool)]
        opaque += [one.name for one in agent.mcp_servers] + [one.agent_name for one in agent.handoffs if not isinstance(one, Agent)]
        if opaque:
            raise ValueError(f"`{agent.name}` has what no guardrail of this SDK stands before: {', '.join(opaque)}")
        tools = [self.tool(one) for one in agent.tools if isinstance(one, FunctionTool)]
        prompt = InputGuardrail(guardrail_function=self._prompt, name="hookgate", run_in_parallel=False)
        guarded = agent.clone(tools=tools, input_guardrails=[*agent.input_guardrails, prompt])
        self._agents[id(agent)] = self._agents[id(guarded)] = (agent, guarded)
        guarded.handoffs = [self.agent(one) for one in agent.handoffs if isinstance(one, Agent)]
        return guarded

    def tool(self, tool: FunctionTool) -> FunctionTool:
        """The tool, judged. No guardrail comes between what is judged and what runs."""
        inner, original = tool.on_invoke_tool, tool.needs_approval

        async def needs_approval(context: RunContextWrapper[Any], arguments: Dict[str, Any], call: str) -> bool:
            session, proposed = self._steps.session(context), (tool.name, arguments)
            question = self._steps.waiting(session, call)
            if question is None or question.proposed != proposed:
                outcome = await self._judge(session.tool(tool.name, arguments, tool_use_id=call))
                if not isinstance(outcome, Asked):
                    needed = original(context, arguments, call) if callable(original) else original
                    needed = await needed if inspect.isawaitable(needed) else needed
                    if not needed:  # What waits for a person is judged when it has been approved.
                        self._judged[session.name, call] = (proposed, outcome)
                    return bool(needed)
                self._steps.wait(session, call, proposed, outcome)
            return True

        async def invoke(context: Any, arguments: str) -> Any:
            session = self._steps.session(context)
            key = (session.name, context.tool_call_id)
            judged = self._cleared.pop((*key, tool.name, arguments or "{}"), None)
            if judged is None:
                return "denied: the call was not judged"
            stack, permit = judged
            async with stack:
                output = await permit.run(lambda step: inner(context, json.dumps(step["tool_input"])))
                try:
                    return (await self._steps.output(session, permit, output))["tool_response"]
                except NotCleared as error:
                    if isinstance(error, Halted):
                        self._halted[key] = error
                    return withheld(error.reason)

        before: Any = ToolInputGuardrail(guardrail_function=self._before, name="hookgate")
        after: Any = ToolOutputGuardrail(guardrail_function=self._after, name="hookgate")
        return dataclasses.replace(
            tool,
            on_invoke_tool=invoke,
            needs_approval=needs_approval,
            tool_input_guardrails=[*(tool.tool_input_guardrails or []), before],
            tool_output_guardrails=[*(tool.tool_output_guardrails or []), after],
        )

    def asked(self, item: Any, context: Any = None) -> Asked:
        """The question of an interruption. A rewritten step can be approved only after this has shown it."""
        return self._steps.asked(self._steps.session(context), item.call_id)

    async def reject(self, item: Any, reason: str, context: Any = None) -> str:
        """Answers the question with a no, for `state.reject(item, rejection_message=await hookgate.reject(item, why))`."""
        return await self._steps.reject(self._steps.session(context), item.call_id, reason)

    async def _judge(self, step: Any) -> Outcome:
        stack = AsyncExitStack()
        try:
            return stack, await stack.enter_async_context(self._steps.cleared(step))
        except NotCleared as error:
            return error

    async def _before(self, data: Any) -> ToolGuardrailFunctionOutput:
        context, session = data.context, self._steps.session(data.context)
        name, call, key = context.tool_name, context.tool_call_id, (session.name, context.tool_call_id)
        try:
            proposed = (name, json.loads(context.tool_arguments or "{}"))
        except ValueError:
            return ToolGuardrailFunctionOutput.reject_content("denied: the arguments are no JSON")
        is_approved = context.is_tool_approved(name, call) is True
        if self._steps.waiting(session, call) is not None and not is_approved:
            return ToolGuardrailFunctionOutput.allow()  # It is asked about first: so far nothing is cleared.
        question = self._steps.taken(session, call, proposed)
        judged = self._judged.pop(key, None)
        if question is not None:
            outcome = await self._judge(self._steps.approved(question))
        elif judged is not None and judged[0] == proposed:
            outcome = judged[1]
        else:
            outcome = await self._judge(session.tool(*proposed, tool_use_id=call))
        if isinstance(outcome, Halted):
            return ToolGuardrailFunctionOutput.raise_exception(_facts(outcome))
        if isinstance(outcome, NotCleared):
            return ToolGuardrailFunctionOutput.reject_content(told(outcome))
        self._cleared[(*key, name, context.tool_arguments or "{}")] = outcome
        return ToolGuardrailFunctionOutput.allow()

    async def _after(self, data: Any) -> ToolGuardrailFunctionOutput:
        halted = self._halted.pop((self._steps.session(data.context).name, data.context.tool_call_id), None)
        if halted is not None:
            return ToolGuardrailFunctionOutput.raise_exception(_facts(halted))
        return ToolGuardrailFunctionOutput.allow()

    async def _prompt(self, context: Any, agent: Any, given: Any) -> GuardrailFunctionOutput:
        prompt = last_prompt(given)
        try:
            if prompt is not None and await self._steps.prompt(self._steps.session(context), prompt) != prompt:
                raise Denied("a hook has rewritten the prompt, which this SDK has no place for")
        except NotCleared as error:
            return GuardrailFunctionOutput(_facts(error), tripwire_triggered=True)
        return GuardrailFunctionOutput(None, tripwire_triggered=False)


def _facts(error: NotCleared) -> Dict[str, Any]:
    return {"reason": error.reason, "by": error.by}
