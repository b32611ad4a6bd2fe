"""Have the steps of an agent judged by hookgate before they happen.

See :func:`spawn` and :func:`connect`; :mod:`hookgate.aio` has the same for asyncio.
"""

from ._errors import (
    Answered,
    Asked,
    DeadlinePassed,
    Denied,
    Halted,
    Lost,
    NotCleared,
    PermitUsed,
    Refused,
)
from ._permit import Permit
from ._sync import Gate, Session, Step, connect, spawn

__all__ = [
    "Answered",
    "Asked",
    "DeadlinePassed",
    "Denied",
    "Gate",
    "Halted",
    "Lost",
    "NotCleared",
    "Permit",
    "PermitUsed",
    "Refused",
    "Session",
    "Step",
    "connect",
    "spawn",
]
