// Command cases has the steps of a file judged and prints what came of each, a line of JSON for each: `go run
// ./internal/cases PROGRAM CONFIG STEPS`. `cli/tests/serve/same_verdicts.rs` compares it with every other way to the engine.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	hookgate "github.com/hookgate/hookgate/clients/go"
)

func main() {
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(program, config, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	steps, events := []hookgate.Step{}, map[string]bool{}
	for _, line := range bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) {
		decoder := json.NewDecoder(bytes.NewReader(line))
		decoder.UseNumber()
		step := hookgate.Step{}
		if err := decoder.Decode(&step); err != nil {
			return err
		}
		steps = append(steps, step)
		events[step["hook_event_name"].(string)] = true
	}
	options := hookgate.Options{
		Program: program, Enforces: []string{"deny", "ask", "halt", "patch", "answer", "context"},
	}
	for event := range events {
		options.Events = append(options.Events, event)
	}
	gate, err := hookgate.Spawn(context.Background(), config, options)
	if err != nil {
		return err
	}
	defer gate.Close()
	out := bufio.NewWriter(os.Stdout)
	for _, step := range steps {
		said, err := outcome(gate, step)
		if err != nil {
			return err
		}
		if err := json.NewEncoder(out).Encode(said); err != nil {
			return err
		}
	}
	return out.Flush()
}

func outcome(gate *hookgate.Gate, step hookgate.Step) (map[string]any, error) {
	ctx, session := context.Background(), step["session_id"].(string)
	said := map[string]any{}
	err := gate.Step(ctx, session, step, func(permit *hookgate.Permit) error {
		payload, err := permit.Payload()
		verdict := "pass"
		if len(permit.Report().By()) > 0 {
			verdict = "allow"
		}
		said = map[string]any{"verdict": verdict, "step": payload, "report": permit.Report()}
		return err
	})
	var refused *hookgate.Refused
	var denied *hookgate.Denied
	var asked *hookgate.Asked
	var answered *hookgate.Answered
	var halted *hookgate.Halted
	switch {
	case err == nil:
		return said, nil
	case errors.As(err, &refused) && refused.Name == "only_observed":
		failed, err := gate.Observe(ctx, session, step)
		return map[string]any{"failed": failed}, err
	case errors.As(err, &denied) && denied.Report != nil:
		verdict := "deny"
		if _, isCancelled := denied.Cause.(*hookgate.Cancelled); isCancelled {
			verdict = "cancelled"
		}
		return map[string]any{"verdict": verdict, "report": denied.Report}, nil
	case errors.As(err, &asked):
		return map[string]any{"verdict": "ask", "report": asked.Report}, nil
	case errors.As(err, &answered):
		return map[string]any{"verdict": "answered", "report": answered.Report}, nil
	case errors.As(err, &halted):
		return map[string]any{"verdict": "halt", "report": halted.Report}, nil
	default:
		return nil, err
	}
}
