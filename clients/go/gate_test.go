package hookgate

// Promise: nothing runs that was not cleared, and what was judged is what runs. Against the real program.

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

var always = context.Background()

func TestWhatWasJudgedIsWhatRuns(t *testing.T) {
	gate := newFolder(t).spawn(Options{})
	if ran := runs(t, gate, bash("ls")); ran != "ls" {
		t.Fatal(ran)
	}
	if ran := runs(t, gate, bash("npm install")); ran != "pnpm install" {
		t.Fatal(ran)
	}
	var kept *Permit
	failed := errors.New("of the action")
	err := gate.Step(always, "s", bash("ls"), func(permit *Permit) error {
		kept = permit
		return failed
	})
	if err != failed {
		t.Fatal(err)
	}
	if _, err := kept.Payload(); err != ErrPermitUsed {
		t.Fatal(err)
	}
	if _, err := (&Permit{}).Input(); err != ErrPermitUsed {
		t.Fatal(err)
	}
}

func TestWhatIsNotClearedIsAnErrorAndNothingRuns(t *testing.T) {
	gate := newFolder(t).spawn(Options{})
	denied := as[*Denied](t, stays(t, gate, bash("git push --force")))
	if denied.Reason != "force push is not allowed here" || denied.Cause != nil {
		t.Fatal(denied)
	}
	if by := denied.Report.By(); !reflect.DeepEqual(by, []string{"no-force-push"}) {
		t.Fatal(by)
	}
	as[*Asked](t, stays(t, gate, bash("cargo publish")))
	as[*Halted](t, stays(t, gate, bash("stop it")))
	answered := as[*Answered](t, stays(t, gate, bash("date")))
	if answer, _ := answered.Answer.(map[string]any); answer["content"] != "today" {
		t.Fatal(answered.Answer)
	}
}

func TestAPersonApprovesEditsOrRejects(t *testing.T) {
	gate := newFolder(t).spawn(Options{})
	ask := func() *Asked { return as[*Asked](t, stays(t, gate, bash("cargo publish"))) }
	ran := ""
	action := func(permit *Permit) error {
		ran = command(t, permit)
		return nil
	}
	asked := ask()
	if input, _ := asked.Step()["tool_input"].(map[string]any); input["command"] != "cargo publish" {
		t.Fatal(asked.Step())
	}
	must(t, asked.Approve(always, action))
	if ran != "cargo publish" {
		t.Fatal(ran)
	}
	if refused := as[*Refused](t, asked.Approve(always, never(t))); refused.Name != "question_refused" {
		t.Fatal(refused.Name)
	}
	edit := func(to string) map[string]any { return map[string]any{"tool_input": map[string]any{"command": to}} }
	must(t, ask().ApproveWith(always, edit("cargo publish --dry-run"), action))
	if ran != "cargo publish --dry-run" {
		t.Fatal(ran)
	}
	as[*Denied](t, ask().ApproveWith(always, edit("publish; push --force"), never(t)))
	if denied := as[*Denied](t, ask().Reject(always, "not today")); denied.Reason != "not today" {
		t.Fatal(denied)
	}
}

func TestAKilledServerIsADenyWithinTheDeadline(t *testing.T) {
	gate := newFolder(t).spawn(Options{Deadline: 20 * time.Second})
	began, done := time.Now(), make(chan error)
	go func() { done <- gate.Step(always, "s", bash("slow"), never(t)) }()
	time.Sleep(200 * time.Millisecond)
	kill(t)
	as[*Lost](t, <-done)
	if time.Since(began) > 10*time.Second {
		t.Fatal(time.Since(began))
	}
	as[*Lost](t, stays(t, gate, bash("ls")))
	as[*Denied](t, stays(t, gate, bash("ls")))
	for _, err := range gate.JudgeBatch(always, []Item{{"s", bash("ls")}, {"s", bash("ls")}}, nil) {
		as[*Lost](t, err)
	}
}

// kill ends the server that this process has started, and nobody has waited for.
func kill(t *testing.T) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	must(t, err)
	killed := 0
	for _, stat := range stats {
		text, err := os.ReadFile(stat)
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(stat), "cmdline"))
		if err != nil || !strings.Contains(string(line), "\x00serve\x00") {
			continue
		}
		fields := strings.Fields(string(text[strings.LastIndex(string(text), ")")+1:]))
		if fields[1] != strconv.Itoa(os.Getpid()) || fields[0] == "Z" {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(stat)))
		must(t, err)
		process, err := os.FindProcess(pid)
		must(t, err)
		must(t, process.Kill())
		killed++
	}
	if killed != 1 {
		t.Fatalf("there are %d servers", killed)
	}
}

func TestAServerThatHangsIsADenyAfterTheDeadline(t *testing.T) {
	f := newFolder(t)
	server := f.listen()
	gate := f.connect(Options{})
	runs(t, gate, bash("ls"))
	gate.options.Deadline = 400 * time.Millisecond
	stop(t, server)
	began := time.Now()
	// Large enough that not even the sending comes to an end.
	for _, text := range []string{"ls", strings.Repeat("x", 3_000_000)} {
		err := stays(t, gate, bash(text))
		as[*DeadlinePassed](t, err)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
	}
	if time.Since(began) > 10*time.Second {
		t.Fatal(time.Since(began))
	}
}

func TestAHostThatStopsWaitingHasADeny(t *testing.T) {
	gate := newFolder(t).spawn(Options{})
	short, cancel := context.WithTimeout(always, 200*time.Millisecond)
	defer cancel()
	as[*DeadlinePassed](t, gate.Step(short, "s", bash("slow"), never(t)))
	stopped, stop := context.WithCancel(always)
	done := make(chan error)
	go func() { done <- gate.Step(stopped, "s", bash("slow"), never(t)) }()
	time.Sleep(50 * time.Millisecond)
	began := time.Now()
	stop()
	err := <-done
	// Before the hook has answered.
	if time.Since(began) > 5*time.Second {
		t.Fatal(time.Since(began))
	}
	as[*Cancelled](t, err)
	as[*Denied](t, err)
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	as[*Cancelled](t, gate.Step(stopped, "s", bash("ls"), never(t)))
	runs(t, gate, bash("ls"))
}

func TestAServerThatWasStartedAgainIsFoundWithTheHooksOfTheSession(t *testing.T) {
	f := newFolder(t)
	server := f.listen()
	gate := f.connect(Options{})
	mine := map[string]any{
		"id": "mine", "event": "pre_tool_use", "tool": "Bash",
		"builtin": map[string]any{"name": "deny", "reason": "no shell here"},
	}
	ids, err := gate.Override(always, "s", []map[string]any{mine}, nil)
	must(t, err)
	if !reflect.DeepEqual(ids, []string{"mine"}) {
		t.Fatal(ids)
	}
	as[*Denied](t, stays(t, gate, bash("ls")))
	must(t, server.Process.Kill())
	_ = server.Wait()
	as[*Lost](t, stays(t, gate, bash("ls")))
	f.listen()
	denied := as[*Denied](t, stays(t, gate, bash("ls")))
	if by := denied.Report.By(); !reflect.DeepEqual(by, []string{"scope/mine"}) {
		t.Fatal(denied, by)
	}
	_, err = gate.Override(always, "s", nil, []string{"mine"})
	must(t, err)
	runs(t, gate, bash("ls"))
}

func TestAnOverrideThatWouldLoosenIsRefusedAndTold(t *testing.T) {
	gate := newFolder(t).spawn(Options{})
	events, err := gate.Events(always)
	must(t, err)
	deny := map[string]any{"name": "deny", "reason": "no"}
	hooks := []map[string]any{
		{"id": "p", "event": "pre_tool_use", "command": map[string]any{"argv": []string{"true"}}},
		{"id": "a", "event": "pre_tool_use", "may_allow": true, "builtin": deny},
	}
	for at, disable := range [][]string{nil, nil, {"no-force-push"}} {
		given := hooks[:0]
		if at < len(hooks) {
			given = hooks[at : at+1]
		}
		_, err := gate.Override(always, "s", given, disable)
		if refused := as[*Refused](t, err); refused.Name != "override_refused" {
			t.Fatal(refused.Name)
		}
		told, err := events.Next(always)
		must(t, err)
		if told.Refused["session"] != "s" {
			t.Fatal(told)
		}
	}
	as[*Denied](t, stays(t, gate, bash("git push --force")))
}

func TestStepsOfASessionKeepTheirOrder(t *testing.T) {
	gate := newFolder(t).spawn(Options{})
	for at := 0; at < 5; at++ {
		err := gate.Step(always, "s", Tool("Count", map[string]any{}), func(*Permit) error { return nil })
		if ran := err == nil; ran != (at < 2) {
			t.Fatal(at, err)
		}
	}
	failed, err := gate.Observe(always, "s", Step{"hook_event_name": "session_end", "reason": "done"})
	must(t, err)
	if len(failed) > 0 {
		t.Fatal(failed)
	}
	must(t, gate.EndSession(always, "s"))
}

func TestInABatchTheOrderIsKeptAndABadStepFailsAlone(t *testing.T) {
	gate := newFolder(t).spawn(Options{})
	steps := []Step{
		bash("ls"), {"hook_event_name": "pre_tol_use"}, bash("git push --force"), bash(math.NaN()), bash("npm install"), bash("cargo publish"),
	}
	items, order := []Item{}, []string{}
	for _, step := range steps {
		items = append(items, Item{"s", step})
	}
	errs := gate.JudgeBatch(always, items, func(at int, permit *Permit) error {
		order = append(order, strconv.Itoa(at)+" "+command(t, permit))
		return nil
	})
	if !reflect.DeepEqual(order, []string{"0 ls", "4 pnpm install"}) || errs[0] != nil || errs[4] != nil {
		t.Fatal(order, errs)
	}
	as[*Refused](t, errs[1])
	as[*Refused](t, errs[3])
	if by := as[*Denied](t, errs[2]).Report.By(); !reflect.DeepEqual(by, []string{"no-force-push"}) {
		t.Fatal(by)
	}
	must(t, as[*Asked](t, errs[5]).Approve(always, func(*Permit) error { return nil }))
}

func TestDecisionsAreToldUntilTheGateIsClosed(t *testing.T) {
	gate := newFolder(t).spawn(Options{})
	events, err := gate.Events(always)
	must(t, err)
	runs(t, gate, bash("ls"))
	stays(t, gate, bash("git push --force"))
	for _, expected := range []string{"allow", "deny"} {
		told, err := events.Next(always)
		must(t, err)
		if told.Decision["decision"] != expected || told.Lost != 0 {
			t.Fatal(told)
		}
	}
	gate.Close()
	_, err = events.Next(always)
	as[*Lost](t, err)
	as[*Lost](t, stays(t, gate, bash("ls")))
}

func TestManyGoroutinesUseOneGate(t *testing.T) {
	gate := newFolder(t).spawn(Options{})
	var all sync.WaitGroup
	for number := 0; number < 8; number++ {
		session := "s" + strconv.Itoa(number)
		all.Add(1)
		go func() {
			defer all.Done()
			for at := 0; at < 20; at++ {
				wanted, ran := session+strconv.Itoa(at), ""
				err := gate.Step(always, session, bash(wanted), func(permit *Permit) error {
					input, err := permit.Input()
					ran, _ = input["command"].(string)
					return err
				})
				if err != nil || ran != wanted {
					t.Error(err, ran)
				}
			}
		}()
	}
	all.Wait()
}

func TestWhatIsNoStepIsADenyAndTheNextOneIsJudged(t *testing.T) {
	gate := newFolder(t).spawn(Options{})
	for _, step := range []Step{
		nil, {}, {"hook_event_name": "pre_tol_use"}, {"hook_event_name": "stop"},
		bash(math.NaN()), bash(func() {}), bash(uint64(math.MaxUint64)), bash(math.MinInt64),
	} {
		as[*Refused](t, stays(t, gate, step))
		as[*Denied](t, stays(t, gate, step))
	}
	runs(t, gate, bash("ls"))
}

func TestAHostThatDoesNotEnforceAGuardGetsNoGate(t *testing.T) {
	f := newFolder(t)
	_, err := f.trySpawn(Options{Events: []string{"post_tool_use"}})
	refused := as[*Refused](t, err)
	if listed, _ := refused.More["unenforced"].([]any); refused.Name != "unenforced" || len(listed) == 0 {
		t.Fatal(refused)
	}
	if _, err := f.trySpawn(Options{Lost: "allow"}); err == nil {
		t.Fatal("a lost server would be an allow")
	}
	_, err = Connect(always, f.socket, Options{Events: hosted})
	as[*Lost](t, err)
	_, err = Spawn(always, f.hooks, Options{Events: hosted, Program: "/nowhere/hookgate"})
	as[*Lost](t, err)
}

func TestAGateSaysWhatIsInForce(t *testing.T) {
	gate := newFolder(t).spawn(Options{})
	status, err := gate.Status(always)
	must(t, err)
	if status["generation"] != gate.Greeting()["generation"] {
		t.Fatal(status)
	}
	_, err = gate.Health(always)
	must(t, err)
	figures, err := gate.Metrics(always)
	must(t, err)
	if !strings.Contains(figures, "# EOF") {
		t.Fatal(figures)
	}
}
