"""hookgate in agent SDKs. Each module imports its SDK, so import the one that you use: `hookgate.adapters.langchain`.

In each, `CLAIMS` is what the adapter enforces, for the gate: `hookgate.spawn("hooks.toml", **langchain.CLAIMS)`; and
`Hookgate(gate, session, ask=None, also=())` is the adapter. docs/sdks.md has an example of each.
"""
