package hookgate

import "sync/atomic"

// Action does what was judged. Nothing else reaches a step.
type Action func(permit *Permit) error

// Permit is a step that was cleared, as it was judged: hooks may have rewritten it. It ends with its action.
type Permit struct {
	payload map[string]any
	report  Report
	isOpen  atomic.Bool
}

// Payload returns the fields of the step, as they were judged. Numbers are json.Number.
func (p *Permit) Payload() (map[string]any, error) {
	if p == nil || !p.isOpen.Load() {
		return nil, ErrPermitUsed
	}
	return p.payload, nil
}

// Input returns the arguments of the tool, as they were judged. Numbers are json.Number. They are not read into a struct
// here: encoding/json takes a key for a field that differs in case, and a guard has judged the key as it stands.
func (p *Permit) Input() (map[string]any, error) {
	payload, err := p.Payload()
	if err != nil {
		return nil, err
	}
	input, ok := payload["tool_input"].(map[string]any)
	if !ok {
		return nil, ErrNoInput
	}
	return input, nil
}

// Report returns the decision record.
func (p *Permit) Report() Report { return p.report }

// use calls the action of a step that goes on.
func use(payload map[string]any, report Report, action Action) error {
	permit := &Permit{payload: payload, report: report}
	permit.isOpen.Store(true)
	defer permit.isOpen.Store(false)
	return action(permit)
}
