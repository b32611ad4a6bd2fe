package hookgate

import (
	"context"
	"encoding/json"
	"sync"
)

// How many notifications may be unread before some are lost.
const behind = 1024

// Told is what the server tells: a decision, or an override that it has refused.
type Told struct {
	// Lost is how many were not read in time before this one.
	Lost int64
	// Decision is the record of a step that was judged or told.
	Decision Report
	// Refused says what was refused: method, session, why.
	Refused map[string]any
}

// Events are the decisions of a server from some time on.
type Events struct {
	link   *link
	mutex  sync.Mutex
	unread []Told
	lost   int64
	over   error
	more   chan struct{}
}

// Next waits for what is told next. After the end of the connection it returns *Denied.
func (e *Events) Next(ctx context.Context) (Told, error) {
	for {
		e.mutex.Lock()
		switch {
		case len(e.unread) > 0:
			told := e.unread[0]
			e.unread = e.unread[1:]
			e.mutex.Unlock()
			return told, nil
		case e.lost > 0:
			told := Told{Lost: e.lost}
			e.lost = 0
			e.mutex.Unlock()
			return told, nil
		case e.over != nil:
			defer e.mutex.Unlock()
			return Told{}, e.over
		}
		more := e.more
		e.mutex.Unlock()
		select {
		case <-more:
		case <-ctx.Done():
			return Told{}, ctx.Err()
		}
	}
}

// Close ends the listening.
func (e *Events) Close() {
	e.link.mutex.Lock()
	delete(e.link.listeners, e)
	e.link.mutex.Unlock()
	e.finish(lost("nobody listens any more"))
}

func (e *Events) add(params map[string]any) {
	var missed int64
	if digits, isNumber := params["lost"].(json.Number); isNumber {
		missed, _ = digits.Int64()
	}
	fields, _ := params["told"].(map[string]any)
	decision, _ := fields["decision"].(map[string]any)
	refused, _ := fields["refused"].(map[string]any)
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if len(e.unread) >= behind {
		e.lost += missed + 1
		return
	}
	e.unread = append(e.unread, Told{Lost: e.lost + missed, Decision: decision, Refused: refused})
	e.lost = 0
	e.wake()
}

func (e *Events) finish(why error) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if e.over == nil {
		e.over = why
		e.wake()
	}
}

func (e *Events) wake() {
	close(e.more)
	e.more = make(chan struct{})
}
