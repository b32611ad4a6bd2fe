"""What the adapters make of values: JSON for the server, text for the model."""

from __future__ import annotations

import json
from typing import Any, Coroutine, Optional, TypeVar

from .._errors import Answered, Asked, NotCleared

T = TypeVar("T")


def plain(value: Any) -> Any:
    """The value as JSON. What has no JSON is judged as text."""
    try:
        return json.loads(json.dumps(value, default=_plainer, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        return str(value)


def _plainer(value: Any) -> Any:
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else str(value)


def content(answer: Any) -> Any:
    """What a hook has supplied for the result of a tool."""
    return answer.get("content", answer) if isinstance(answer, dict) else answer


def text(value: Any) -> str:
    """The value for a model that reads text."""
    return value if isinstance(value, str) else json.dumps(plain(value), ensure_ascii=False)


def last_prompt(given: Any) -> Optional[str]:
    """The text of what the user has said last."""
    if isinstance(given, str):
        return given
    said = next((item for item in reversed(given) if isinstance(item, dict) and item.get("role") == "user"), None)
    if said is None or isinstance(said["content"], str):
        return None if said is None else str(said["content"])
    return "\n".join(part.get("text", "") for part in said["content"])


def withheld(reason: str) -> str:
    """What the model reads in place of an output."""
    return f"the output is withheld: {reason}"


def told(error: NotCleared) -> str:
    """What the model is told of a call that does not run."""
    if isinstance(error, Answered):
        return text(content(error.answer))
    if isinstance(error, Asked):
        return f"denied: no person was asked about this call ({error.reason})"
    return f"denied: {error.reason}"


def at_once(steps: "Coroutine[Any, Any, T]") -> T:
    """Runs what waits for nothing but the gate, without a loop: with `blocking`, nothing is awaited."""
    try:
        steps.send(None)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]
    steps.close()
    raise TypeError("an agent that runs without asyncio needs an `ask` that is no coroutine")
