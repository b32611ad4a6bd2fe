package hookgate

import (
	"fmt"
	"sort"
	"time"
)

const (
	protocol = 1
	version  = "0.1.0"
	// How much longer than the server the client waits: the answer of the server says more.
	grace = 250 * time.Millisecond
)

// Step is an envelope, as `hookgate schema envelope` describes it.
type Step map[string]any

// Tool returns the step of a tool that is to be used.
func Tool(name string, input any) Step {
	return Step{"hook_event_name": "pre_tool_use", "tool_name": name, "tool_input": input}
}

func hello(options Options) map[string]any {
	return map[string]any{
		"protocol":          protocol,
		"client":            map[string]any{"name": "hookgate-go", "version": version},
		"events":            names(options.Events),
		"enforces":          names(options.Enforces),
		"accept_unenforced": names(options.AcceptUnenforced),
	}
}

func names(given []string) []string {
	sorted := append([]string{}, given...)
	sort.Strings(sorted)
	return sorted
}

// resultOf returns the result of a response, or what it refuses for.
func resultOf(response map[string]any) (map[string]any, error) {
	failure, hasFailed := response["error"]
	result, isObject := response["result"].(map[string]any)
	if !hasFailed && isObject {
		return result, nil
	}
	fields, isFailure := failure.(map[string]any)
	if _, both := response["result"]; both || !isFailure {
		return nil, malformed("the response of the server has neither a result nor an error")
	}
	return nil, refusal(fields)
}

func refusal(fields map[string]any) error {
	data, _ := fields["data"].(map[string]any)
	name, _ := data["name"].(string)
	more, _ := data["more"].(map[string]any)
	why := fmt.Sprint(fields["message"])
	var cause error = &Refused{Name: name, Why: why, More: more}
	if name == "deadline_passed" {
		cause = &DeadlinePassed{Why: why}
	}
	return &Denied{Reason: why, Cause: cause}
}

// proceed runs the action of a step that goes on. Everything else is an error, also what is not understood.
func proceed(gate *Gate, session string, judged map[string]any, action Action) error {
	verdict, _ := judged["verdict"].(string)
	record, isJudged := judged["report"].(map[string]any)
	if !isJudged {
		return malformed("the verdict has no record")
	}
	report := Report(record)
	reason, _ := report["reason"].(string)
	if reason == "" {
		reason = verdict
	}
	switch verdict {
	case "pass", "allow":
		step, isStep := judged["step"].(map[string]any)
		if !isStep {
			return malformed("the verdict has no step that could run")
		}
		if report["decision"] != "allow" {
			return malformed("the verdict is another one than its record has")
		}
		return use(step, report, action)
	case "ask":
		question, isQuestion := judged["question"].(map[string]any)
		if !isQuestion {
			return malformed("the verdict has no question")
		}
		return &Asked{Reason: reason, Report: report, Question: question, gate: gate, session: session}
	case "halt":
		return &Halted{Reason: reason, Report: report}
	case "answered":
		return &Answered{Answer: report["answer"], Report: report}
	case "cancelled":
		return &Denied{Reason: reason, Report: report, Cause: &Cancelled{}}
	case "deny":
		return &Denied{Reason: reason, Report: report}
	default:
		return malformed(fmt.Sprintf("the server has said `%s`, which is no verdict", verdict))
	}
}
