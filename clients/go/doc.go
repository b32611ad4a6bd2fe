// Package hookgate has the steps of an agent judged by hookgate before they happen.
//
// A step runs through Gate.Step only: its action is called with the Permit of a step that was cleared, and with nothing
// else. What is not cleared is an error: *Denied, *Asked, *Answered or *Halted, which errors.As finds.
//
//	gate, err := hookgate.Spawn(ctx, "hooks.toml", hookgate.Options{Events: []string{"pre_tool_use"}})
//	err = gate.Step(ctx, "session-1", hookgate.Tool("Bash", input), func(permit *hookgate.Permit) error {
//		return runShell(permit)
//	})
package hookgate
