package hookgate

// Promise: whatever a server answers that is no whole verdict for this request, nothing runs.

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

const cleared = `{"verdict":"pass","step":{"tool_input":{"command":"x"}},"report":{"by":[],"decision":"allow"}}`

func response(id any, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"result":%s}`, id, result)
}

func TestTheServerThatPretendsIsBelieved(t *testing.T) {
	gate := pretended(t, func(id int, _ string) string { return response(id, cleared) })
	if ran := runs(t, gate, bash("ls")); ran != "x" {
		t.Fatal(ran)
	}
}

func TestALineThatIsNoneOrForAnotherRequestIsADeny(t *testing.T) {
	for name, answer := range map[string]func(id int) string{
		"broken":      func(int) string { return "{" },
		"blank":       func(int) string { return " " },
		"array":       func(int) string { return "[]" },
		"number":      func(int) string { return "7" },
		"null":        func(int) string { return "null" },
		"no text":     func(int) string { return "\"\xff\"" },
		"no version":  func(id int) string { return fmt.Sprintf(`{"id":%d,"result":%s}`, id, cleared) },
		"two values":  func(id int) string { return response(id, cleared) + response(id, cleared) },
		"a key twice": func(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"id":%d,"result":%s}`, id, cleared) },
		"a later id":  func(id int) string { return response(id+1, cleared) },
		"an old id":   func(id int) string { return response(id-1, cleared) },
		"a text":      func(id int) string { return response(fmt.Sprintf("%q", fmt.Sprint(id)), cleared) },
		"half an id":  func(id int) string { return response(fmt.Sprintf("%d.5", id), cleared) },
		"null id":     func(int) string { return response("null", cleared) },
		"gone":        func(int) string { return "gone" },
	} {
		t.Run(name, func(t *testing.T) {
			gate := pretended(t, func(id int, _ string) string { return answer(id) })
			as[*Lost](t, stays(t, gate, bash("ls")))
		})
	}
}

func TestSilenceIsADenyAndALateAnswerClearsNothing(t *testing.T) {
	gate := pretended(t, func(id int, line string) string {
		if strings.Contains(line, "late") {
			time.Sleep(100 * time.Millisecond)
		}
		return response(id, cleared)
	})
	short, cancel := context.WithTimeout(always, 20*time.Millisecond)
	defer cancel()
	as[*DeadlinePassed](t, gate.Step(short, "s", bash("late"), never(t)))
	runs(t, gate, bash("ls"))
	silent := pretended(t, func(int, string) string { return "" })
	silent.options.Deadline = 50 * time.Millisecond
	as[*DeadlinePassed](t, stays(t, silent, bash("ls")))
}

func TestAnErrorWithoutAnIDIsADenyAndNothingLater(t *testing.T) {
	gate := pretended(t, func(id int, line string) string {
		if strings.Contains(line, "bad") {
			return `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no","data":{"name":"parse_error","more":{}}}}`
		}
		return response(id, cleared)
	})
	if refused := as[*Refused](t, stays(t, gate, bash("bad"))); refused.Name != "parse_error" {
		t.Fatal(refused)
	}
	runs(t, gate, bash("ls"))
}

func TestOnlyAWholeVerdictClears(t *testing.T) {
	report := `"report":{"by":[],"reason":null,"decision":"allow"}`
	results := []string{
		`null`, `7`, `[]`, `{}`, `{"verdict":null,"step":{},` + report + `}`, `{"verdict":"pass",` + report + `}`,
		`{"verdict":"pass","step":{},"report":{"decision":"deny"}}`,
		`{"verdict":"pass","step":null,` + report + `}`, `{"verdict":"pass","step":[],` + report + `}`,
		`{"verdict":"allow","step":{}}`, `{"verdict":"allowed","step":{},` + report + `}`,
		`{"verdict":["pass"],"step":{},` + report + `}`,
	}
	for _, verdict := range []string{"ask", "deny", "halt", "answered", "cancelled"} {
		results = append(results, fmt.Sprintf(`{"verdict":%q,"step":{},%s}`, verdict, report))
	}
	for _, result := range results {
		gate := pretended(t, func(id int, _ string) string { return response(id, result) })
		stays(t, gate, bash("ls"))
	}
	for _, tail := range []string{`"result":` + cleared + `,"error":{"code":1,"message":"no"}`, `"error":null,"result":` + cleared, `"error":{}`} {
		gate := pretended(t, func(id int, _ string) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, id, tail) })
		as[*Denied](t, stays(t, gate, bash("ls")))
	}
}

func TestABatchWhoseAnswersAreNotThoseOfItsStepsClearsNothing(t *testing.T) {
	zero, one := `{"id":"0","result":`+cleared+`}`, `{"id":"1","result":`+cleared+`}`
	for _, items := range []string{
		`null`, `[]`, `[` + zero + `]`, `[` + one + `,` + zero + `]`, `[null,null]`, `[{"id":"0"},{"id":"1","result":null}]`,
		`[` + zero + `,` + one + `,` + one + `]`,
	} {
		gate := pretended(t, func(id int, _ string) string { return response(id, `{"items":`+items+`}`) })
		errs := gate.JudgeBatch(always, []Item{{"s", bash("a")}, {"s", bash("b")}}, func(int, *Permit) error {
			t.Error("it ran: " + items)
			return nil
		})
		as[*Denied](t, errs[0])
		as[*Denied](t, errs[1])
	}
}

func TestARejectedStepThatTheServerClearsIsADeny(t *testing.T) {
	gate := pretended(t, func(id int, line string) string {
		if strings.Contains(line, `"ask.answer"`) {
			return response(id, cleared)
		}
		return response(id, `{"verdict":"ask","question":{"request":{"step":{}}},"report":{"by":[]}}`)
	})
	as[*Denied](t, as[*Asked](t, stays(t, gate, bash("ls"))).Reject(always, "no"))
}

func TestJSONIsReadStrictly(t *testing.T) {
	for _, wrong := range []string{`{"a":1,"a":2}`, `[{"a":{"b":1,"\u0062":2}}]`, "", "{", "nul", "1 2", "[1,]", "\"\xff\""} {
		if value, err := parse([]byte(wrong)); err == nil {
			t.Fatal(wrong, value)
		}
	}
	value, err := parse([]byte(`{"a":[{"a":12345678901234567890},"a",{}],"b":{"a":null}}`))
	must(t, err)
	text, err := encode(value)
	must(t, err)
	if string(text) != `{"a":[{"a":12345678901234567890},"a",{}],"b":{"a":null}}` {
		t.Fatal(string(text))
	}
}
