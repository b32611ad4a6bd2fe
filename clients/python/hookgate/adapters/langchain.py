"""hookgate in LangChain and LangGraph: a middleware of `create_agent`. A question becomes an interrupt of the graph.

It stands last in `middleware`: what stands after it could change what was judged."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Annotated, Any, Callable, Dict, Iterable, Mapping, Optional, Union

from langchain.agents.middleware import AgentMiddleware, AgentState, hook_config
from langchain.agents.middleware.types import OmitFromInput, ToolCallRequest
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, ToolMessage
from langgraph.types import Command, interrupt
from typing_extensions import NotRequired

from .._errors import Answered, Asked, Denied, Halted, NotCleared
from .._permit import Permit
from ._steps import Ask, Gate, Session, Steps
from ._values import at_once, text, told, withheld

CLAIMS = {"events": ("pre_tool_use", "post_tool_use", "user_prompt_submit"), "enforces": ("deny", "ask", "halt", "patch", "answer")}


class State(AgentState[Any]):
    """`halted` says why a hook has ended the run, if one has."""

    halted: NotRequired[Annotated[Optional[str], lambda _, newer: newer, OmitFromInput]]


def approve(value: Mapping[str, Any]) -> Dict[str, Any]:
    """The person agrees to the value of an interrupt: `Command(resume=approve(interrupt.value))`."""
    return {"question": value["question"], "answer": "approve"}


def approve_with(value: Mapping[str, Any], arguments: Mapping[str, Any]) -> Dict[str, Any]:
    """The person agrees to other arguments; what comes of it is judged again."""
    return {"question": value["question"], "answer": {"approve_with": {"tool_input": dict(arguments)}}}


def reject(value: Mapping[str, Any], reason: str) -> Dict[str, Any]:
    """The person does not agree."""
    return {"question": value["question"], "answer": {"reject": reason}}


class Hookgate(AgentMiddleware[Any, Any]):
    """The middleware. `session` is a name, or says it of the runtime of the graph."""

    state_schema = State

    def __init__(
        self, gate: Gate, session: Union[str, Callable[[Any], str]], *, ask: Optional[Ask] = None, also: Iterable[str] = ()
    ) -> None:
        super().__init__()
        self._steps = Steps(gate, session, CLAIMS, ask, also)

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> Any:
        """Has the call judged, and calls the tool with what was judged."""
        return at_once(self._use(request, handler, True))

    async def awrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> Any:
        """Has the call judged, and calls the tool with what was judged."""
        return await self._use(request, handler, False)

    async def _use(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any], blocking: bool) -> Any:
        call, session = request.tool_call, self._steps.session(request.runtime)
        proposed, number = (call["name"], call["args"]), str(call["id"])
        question = self._steps.waiting(session, number)
        try:
            if question is None or question.proposed != proposed:
                try:
                    return await self._run(session.tool(*proposed, tool_use_id=number), request, handler, session, blocking)
                except Asked as asked:
                    question = self._steps.wait(session, number, proposed, asked)
            step = self._answered(session, number, call["name"], question.asked)
            return await self._run(step, request, handler, session, blocking)
        except Halted as halted:
            said = ToolMessage(f"halted: {halted.reason}", tool_call_id=number, name=call["name"], status="error")
            return Command(update={"messages": [said], "halted": halted.reason})
        except NotCleared as error:
            is_result = isinstance(error, Answered)
            return ToolMessage(told(error), tool_call_id=number, name=call["name"], status="success" if is_result else "error")

    def _answered(self, session: Session, number: str, tool: str, asked: Asked) -> Any:
        """Interrupts the graph until a person has answered. The question that was answered comes back with the answer."""
        shown = {"tool": tool, "input": asked.step["tool_input"], "reason": asked.reason, "by": asked.by}
        answer = interrupt({"hookgate": "ask", **shown, "question": asked.question})
        self._steps.taken(session, number, None)
        try:
            step = answer["question"]["request"]["step"]
            if (step["tool_name"], step.get("tool_use_id")) != (tool, number):
                raise Denied("the answer is one to the question of another call")
            return session._answer(answer["question"], answer["answer"])
        except (KeyError, TypeError):
            raise Denied("the graph was resumed without an answer: use `approve(interrupt.value)` or `reject`") from None

    async def _run(
        self, step: Any, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any], session: Session, blocking: bool
    ) -> Any:
        async with self._steps.cleared(step, blocking) as permit:
            result = permit.run(lambda step: handler(request.override(tool_call={**request.tool_call, "args": step["tool_input"]})))
            result = await result if inspect.isawaitable(result) else result
            if isinstance(result, ToolMessage):
                return await self._judged(result, session, permit, blocking)
            if not isinstance(result.update, dict):
                raise Denied(withheld("the tool gives an update that cannot be judged"))
            judge, given = partial(self._judged, session=session, permit=permit, blocking=blocking), result.update
            judged = [await judge(one) if isinstance(one, ToolMessage) else one for one in given.get("messages", [])]
            return Command(graph=result.graph, update={**given, "messages": judged}, resume=result.resume, goto=result.goto)

    async def _judged(self, message: ToolMessage, session: Session, permit: Permit, blocking: bool) -> ToolMessage:
        try:
            after = await self._steps.output(session, permit, message.content, message.status == "error", blocking)
        except Halted:
            raise
        except NotCleared as denied:
            return message.model_copy(update={"content": withheld(denied.reason), "artifact": None, "status": "error"})
        if after["tool_response"] is message.content:
            return message
        return message.model_copy(update={"content": text(after["tool_response"]), "artifact": None})

    @hook_config(can_jump_to=["end"])
    def before_agent(self, state: Any, runtime: Any) -> Dict[str, Any]:
        """Has the prompt judged."""
        return at_once(self._prompt(state, runtime, True))

    @hook_config(can_jump_to=["end"])
    async def abefore_agent(self, state: Any, runtime: Any) -> Dict[str, Any]:
        """Has the prompt judged."""
        return await self._prompt(state, runtime, False)

    async def _prompt(self, state: Any, runtime: Any, blocking: bool) -> Dict[str, Any]:
        last = state["messages"][-1] if state["messages"] else None
        if not isinstance(last, HumanMessage):
            return {"halted": None}
        try:
            prompt = await self._steps.prompt(self._steps.session(runtime), last.text, blocking)
            if prompt != last.text and not isinstance(last.content, str):
                raise Denied("a hook has rewritten a prompt that has more than text")
        except NotCleared as error:
            taken_out = [] if last.id is None else [RemoveMessage(last.id)]
            said = AIMessage(f"{'halted' if isinstance(error, Halted) else 'denied'}: {error.reason}")
            return {"messages": [*taken_out, said], "halted": error.reason, "jump_to": "end"}
        return {"halted": None, "messages": [] if prompt == last.text else [last.model_copy(update={"content": prompt})]}

    @hook_config(can_jump_to=["end"])
    def before_model(self, state: Any, runtime: Any) -> Optional[Dict[str, Any]]:
        """Ends the run if a hook has halted it."""
        halted = state.get("halted")
        return None if halted is None else {"jump_to": "end", "messages": [AIMessage(f"halted: {halted}")]}
