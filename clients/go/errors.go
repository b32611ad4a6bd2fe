package hookgate

import (
	"context"
	"errors"
	"fmt"
)

// ErrPermitUsed is the error of a permit whose action has ended.
var ErrPermitUsed = errors.New("the permit has ended with its action")

// ErrNoInput is the error of a step that is no call of a tool, or whose arguments are no object.
var ErrNoInput = errors.New("the step has no arguments that are an object")

// Report is the decision record of a step, as `hookgate run` prints it. Numbers in it are json.Number.
type Report map[string]any

// By returns the hooks that have decided.
func (r Report) By() []string { return r.texts("by") }

// Context returns texts of hooks for the model.
func (r Report) Context() []string { return r.texts("context") }

// Messages returns texts of hooks for the user.
func (r Report) Messages() []string { return r.texts("messages") }

func (r Report) texts(name string) []string {
	values, _ := r[name].([]any)
	texts := make([]string, 0, len(values))
	for _, value := range values {
		if text, ok := value.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// Denied says that the step does not happen.
type Denied struct {
	// Reason is for the model, or the user.
	Reason string
	// Report is there if the step was judged.
	Report Report
	// Cause is *Lost, *DeadlinePassed, *Cancelled or *Refused if no hook has denied it.
	Cause error
}

func (d *Denied) Error() string { return d.Reason }

// Unwrap returns the cause.
func (d *Denied) Unwrap() error { return d.Cause }

// Lost says that the server is gone, or cannot be understood any more.
type Lost struct{ Why string }

func (l *Lost) Error() string { return l.Why }

// DeadlinePassed says that the step was not judged in time.
type DeadlinePassed struct{ Why string }

func (d *DeadlinePassed) Error() string { return d.Why }

// Is tells that it is a context.DeadlineExceeded.
func (d *DeadlinePassed) Is(target error) bool { return target == context.DeadlineExceeded }

// Cancelled says that the host has stopped waiting, or that the judgement was cancelled.
type Cancelled struct{ Cause error }

func (c *Cancelled) Error() string { return "the host does not wait any longer" }

// Unwrap returns the error of the context, if that was cancelled.
func (c *Cancelled) Unwrap() error { return c.Cause }

// Refused says that the server has refused the request, or that what it answers is no verdict.
type Refused struct {
	// Name is that of the error: `unenforced`, `invalid_step`; `malformed` if the answer is no verdict.
	Name string
	// Why says what is wrong.
	Why string
	// More has facts that belong to it.
	More map[string]any
}

func (r *Refused) Error() string { return r.Why }

// Halted says that the step does not happen, and the run ends.
type Halted struct {
	Reason string
	Report Report
}

func (h *Halted) Error() string { return h.Reason }

// Answered says that a hook has supplied the result: the step does not run.
type Answered struct {
	Answer any
	Report Report
}

func (a *Answered) Error() string { return "a hook has supplied the result" }

// Asked says that a person is asked.
type Asked struct {
	Reason string
	Report Report
	// Question is the signed question.
	Question map[string]any

	gate    *Gate
	session string
}

func (a *Asked) Error() string { return a.Reason }

// Step returns what would run: this is what the person is to see.
func (a *Asked) Step() map[string]any {
	request, _ := a.Question["request"].(map[string]any)
	step, _ := request["step"].(map[string]any)
	return step
}

// Approve says that the person agrees.
func (a *Asked) Approve(ctx context.Context, action Action) error {
	return a.answer(ctx, "approve", action)
}

// ApproveWith says that the person agrees to other values of these fields; what comes of it is judged again.
func (a *Asked) ApproveWith(ctx context.Context, edit map[string]any, action Action) error {
	return a.answer(ctx, map[string]any{"approve_with": edit}, action)
}

// Reject says that the person does not agree. It always returns an error: *Denied.
func (a *Asked) Reject(ctx context.Context, reason string) error {
	err := a.answer(ctx, map[string]any{"reject": reason}, func(*Permit) error { return nil })
	if err == nil {
		return malformed("the server has cleared a step that a person has rejected")
	}
	return err
}

func (a *Asked) answer(ctx context.Context, said any, action Action) error {
	params := map[string]any{"session": a.session, "question": a.Question, "answer": said}
	return a.gate.judge(ctx, "ask.answer", a.session, params, action)
}

func lost(why string) error {
	return because(&Lost{Why: why})
}

func malformed(why string) error {
	return because(&Refused{Name: "malformed", Why: why})
}

func because(cause error) error {
	return &Denied{Reason: fmt.Sprintf("%v, so the step does not happen", cause), Cause: cause}
}
