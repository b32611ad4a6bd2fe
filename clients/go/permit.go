package hookgate

import (
	"encoding/json"
	"sync/atomic"
)

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

// Decode reads the fields of the step, as they were judged, into a struct.
func (p *Permit) Decode(into any) error {
	payload, err := p.Payload()
	if err != nil {
		return err
	}
	return convert(payload, into)
}

// Input reads the arguments of the tool, as they were judged, into a struct.
func (p *Permit) Input(into any) error {
	payload, err := p.Payload()
	if err != nil {
		return err
	}
	return convert(payload["tool_input"], into)
}

// Report returns the decision record.
func (p *Permit) Report() Report { return p.report }

func convert(from, into any) error {
	text, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// use calls the action of a step that goes on.
func use(payload map[string]any, report Report, action Action) error {
	permit := &Permit{payload: payload, report: report}
	permit.isOpen.Store(true)
	defer permit.isOpen.Store(false)
	return action(permit)
}
