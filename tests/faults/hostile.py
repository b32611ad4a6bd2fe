#!/usr/bin/env python3
"""A hook that misbehaves in the way that its first argument names. As a worker it first says that
it is ready, unless the way is one of not doing so, and misbehaves at a call."""

import json
import os
import signal
import sys
import time

WORKER = os.environ.get("HOOKGATE_WORKER") == "1"
DENY = b'{"decision":"deny","reason":"no"}'
LATE = {"count": 0}


def out(data):
    while data:
        data = data[os.write(1, data):]


def answer(call, verdict):
    """A verdict in the form of the mode."""
    out(b'{"id":%d,"verdict":%s}\n' % (call["id"], verdict) if WORKER else verdict)


def fork(body):
    if os.fork() == 0:
        body()
        os._exit(0)


def sleep_long():
    time.sleep(60)


def ignoring():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sleep_long()


def detached():
    os.setsid()
    null = os.open("/dev/null", os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    sleep_long()


def drip(call):
    for byte in b'{"id":1,"verdict":{}}':
        out(bytes([byte]))
        time.sleep(0.1)


def flood(call):
    while True:
        out(b"x" * 65536)


def noisy(call):
    os.write(2, b"e" * 300_000)
    answer(call, DENY)


def late_once(call):
    """Does not answer the second call in time, and then answers it."""
    LATE["count"] += 1
    if LATE["count"] == 2:
        time.sleep(0.5)
        answer(call, b'{"decision":"halt","reason":"late"}')
    else:
        answer(call, DENY)


def leave(body):
    def way(call):
        fork(body)
        answer(call, DENY)
    return way


def count(call):
    LATE["count"] += 1
    answer(call, b'{"decision":"deny","reason":"%d of %d"}' % (LATE["count"], os.getpid()))


def die_once(call):
    """Dies in the first call of the first process: the file named by the variable tells."""
    path = os.environ["FAULT_FILE"]
    if not os.path.exists(path):
        open(path, "w").close()
        os._exit(7)
    answer(call, DENY)


WAYS = {
    "good": lambda call: answer(call, DENY),
    "silent": lambda call: answer(call, b"{}"),
    "nothing": lambda call: None,
    "garbage": lambda call: out(b"sure, go on\n"),
    "half": lambda call: out(b'{"id":1,"verdict":{"decision":"deny"\n'),
    "two": lambda call: answer(call, DENY + b" {}"),
    "twice": lambda call: answer(call, b'{"decision":"deny","decision":"allow","reason":"x"}'),
    "unknown": lambda call: answer(call, b'{"decision":"deny","resaon":"x"}'),
    "latin": lambda call: answer(call, b'{"decision":"deny","reason":"\xe9"}'),
    "deep": lambda call: answer(call, b"[" * 10_000),
    "nan": lambda call: answer(call, b'{"annotations":{"x":NaN}}'),
    "wrong_id": lambda call: out(b'{"id":99,"verdict":{}}\n'),
    "error": lambda call: out(b'{"id":%d,"error":"ValueError: bad"}\n' % call["id"]),
    "flood": flood,
    "noisy": noisy,
    "drip": drip,
    "hang": lambda call: sleep_long(),
    "ignore": lambda call: ignoring(),
    "exit_1": lambda call: (os.write(2, b"Traceback\nValueError: boom\n"), os._exit(1)),
    "exit_7": lambda call: os._exit(7),
    "exit_126": lambda call: os._exit(126),
    "exit_127": lambda call: os._exit(127),
    "exit_137": lambda call: os._exit(137),
    "killed": lambda call: os.kill(os.getpid(), signal.SIGKILL),
    "crash": lambda call: os.kill(os.getpid(), signal.SIGSEGV),
    "close": lambda call: (os.close(1), sleep_long()),
    "late_once": late_once,
    "count": count,
    "die_once": die_once,
    "leave_child": leave(sleep_long),
    "leave_ignoring": leave(ignoring),
    "leave_detached": leave(detached),
    "env": lambda call: answer(
        call, json.dumps({"context": sorted(os.environ)}).encode()
    ),
    "eat_cpu": lambda call: [None for _ in iter(int, 1)],
    "eat_memory": lambda call: answer(call, b"%d" % len(bytearray(1 << 32))),
    "tell": lambda call: (os.write(2, os.environ[sys.argv[2]].encode()), os._exit(3)),
}


def slow_start():
    """Notes each start."""
    with open(os.environ["FAULT_FILE"], "a") as starts:
        starts.write("started\n")
    time.sleep(0.4)
    out(b'{"ready":1}\n')


# Ways of not getting ready.
STARTS = {
    "not_ready": lambda: out(b"hello\n"),
    "wrong_version": lambda: out(b'{"ready":2}\n'),
    "dies_early": lambda: os._exit(9),
    "never_ready": sleep_long,
    "slow_start": slow_start,
}


def main():
    way = sys.argv[1]
    if not WORKER:
        if way not in ("no_read", "nothing"):
            sys.stdin.read()
        WAYS.get(way, WAYS["good"])({"id": 1})
        return
    if way in STARTS:
        STARTS[way]()
    else:
        out(b'{"ready":1}\n')
    for line in sys.stdin:
        WAYS.get(way, WAYS["good"])(json.loads(line))


main()
