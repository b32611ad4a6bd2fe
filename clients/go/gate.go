package hookgate

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"
)

// Gate is where steps are judged. It is made by Spawn and Connect; several goroutines may use it.
type Gate struct {
	open       func(context.Context, *Gate) (*link, error)
	findsAgain bool
	options    Options

	// Held while a server is found again.
	opening sync.Mutex

	mutex    sync.Mutex
	link     *link
	greeting map[string]any
	added    added
	isClosed bool
}

func opened(ctx context.Context, open func(context.Context, *Gate) (*link, error), findsAgain bool, options Options) (*Gate, error) {
	gate := &Gate{open: open, findsAgain: findsAgain, options: options, added: added{}}
	if _, err := gate.greeted(ctx); err != nil {
		return nil, err
	}
	return gate, nil
}

// Greeting returns what the server has said: generation, config_hash, unenforced.
func (g *Gate) Greeting() map[string]any {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return g.greeting
}

func (g *Gate) greeted(ctx context.Context) (*link, error) {
	link, err := g.open(ctx, g)
	if err != nil {
		return nil, lost(fmt.Sprintf("the server is gone (%v)", err))
	}
	greeting, err := g.callOn(ctx, link, "hello", hello(g.options))
	g.mutex.Lock()
	requests := make([]map[string]any, 0, len(g.added))
	for session, hooks := range g.added {
		requests = append(requests, map[string]any{"session": session, "hooks": hooks})
	}
	g.mutex.Unlock()
	for _, request := range requests {
		if err == nil {
			_, err = g.callOn(ctx, link, "override", request)
		}
	}
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if err == nil && g.isClosed {
		err = lost("the gate is closed")
	}
	if err != nil {
		link.lose("the server was not greeted")
		return nil, err
	}
	g.link, g.greeting = link, greeting
	return link, nil
}

// current returns the link to use, which is a new one if the server has to be found again.
func (g *Gate) current(ctx context.Context) (*link, error) {
	there := func() (*link, bool) {
		g.mutex.Lock()
		defer g.mutex.Unlock()
		return g.link, !g.findsAgain || g.isClosed || !g.link.isLost()
	}
	if link, isThere := there(); isThere {
		return link, nil
	}
	g.opening.Lock()
	defer g.opening.Unlock()
	if link, isThere := there(); isThere {
		return link, nil
	}
	return g.greeted(ctx)
}

func (g *Gate) call(ctx context.Context, method string, params any) (map[string]any, error) {
	limited, cancel := context.WithTimeout(ctx, g.options.Deadline+grace)
	defer cancel()
	link, err := g.current(limited)
	if err != nil {
		return nil, err
	}
	return g.callOn(limited, link, method, params)
}

func (g *Gate) callOn(ctx context.Context, link *link, method string, params any) (map[string]any, error) {
	text, err := encode(params)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, g.options.Deadline+grace)
	defer cancel()
	if err := over(ctx); err != nil {
		return nil, err
	}
	number, answer := link.call(method, text)
	select {
	case reply := <-answer:
		if reply.err != nil {
			return nil, reply.err
		}
		return resultOf(reply.response)
	case <-ctx.Done():
		link.abandon(number)
		return nil, over(ctx)
	}
}

// over returns why nobody waits any longer, if that is so.
func over(ctx context.Context) error {
	switch ctx.Err() {
	case nil:
		return nil
	case context.DeadlineExceeded:
		return because(&DeadlinePassed{Why: "the server has not answered in time"})
	default:
		return because(&Cancelled{Cause: ctx.Err()})
	}
}

// left returns how many milliseconds the server may take.
func (g *Gate) left(ctx context.Context) int64 {
	left := g.options.Deadline
	if deadline, has := ctx.Deadline(); has {
		if until := time.Until(deadline); until < left {
			left = until
		}
	}
	if left < time.Millisecond {
		return 1
	}
	return left.Milliseconds()
}

// Step has a step judged, and calls the action if it goes on; then it returns what the action does. Whatever else comes of
// it is an error: *Denied, *Asked, *Answered or *Halted.
func (g *Gate) Step(ctx context.Context, session string, step Step, action Action) error {
	return g.judge(ctx, "judge", session, map[string]any{"session": session, "step": step}, action)
}

func (g *Gate) judge(ctx context.Context, method, session string, params map[string]any, action Action) error {
	params["deadline_ms"] = g.left(ctx)
	judged, err := g.call(ctx, method, params)
	if err != nil {
		return err
	}
	if err := over(ctx); err != nil {
		return err
	}
	return proceed(g, session, judged, action)
}

// Item is a step of a batch.
type Item struct {
	Session string
	Step    Step
}

// JudgeBatch has several steps judged at once. One that fails fails alone; the actions of the others run in this order, one
// by one, with the place of their step. It returns an error for each step, which is nil if its action has run and returned
// none.
func (g *Gate) JudgeBatch(ctx context.Context, items []Item, action func(at int, permit *Permit) error) []error {
	errs := make([]error, len(items))
	params, places := []any{}, []int{}
	for at, item := range items {
		one := map[string]any{"id": strconv.Itoa(at), "session": item.Session, "step": item.Step, "deadline_ms": g.left(ctx)}
		if _, errs[at] = encode(one); errs[at] == nil {
			params, places = append(params, one), append(places, at)
		}
	}
	if len(places) == 0 {
		return errs
	}
	answers, err := g.batch(ctx, params, places)
	for index, at := range places {
		if errs[at] = err; err != nil {
			continue
		}
		at := at
		act := func(permit *Permit) error { return action(at, permit) }
		errs[at] = g.finish(ctx, items[at].Session, answers[index], act)
	}
	return errs
}

func (g *Gate) batch(ctx context.Context, params []any, places []int) ([]map[string]any, error) {
	result, err := g.call(ctx, "judge_batch", map[string]any{"items": params})
	if err != nil {
		return nil, err
	}
	items, _ := result["items"].([]any)
	answers := make([]map[string]any, 0, len(places))
	for index, item := range items {
		answer, isObject := item.(map[string]any)
		if !isObject || index >= len(places) || answer["id"] != strconv.Itoa(places[index]) {
			return nil, malformed("the answers of the batch are not those of its steps")
		}
		answers = append(answers, answer)
	}
	if len(answers) != len(places) {
		return nil, malformed("the answers of the batch are not those of its steps")
	}
	return answers, nil
}

func (g *Gate) finish(ctx context.Context, session string, answer map[string]any, action Action) error {
	judged, err := resultOf(answer)
	if err == nil {
		err = over(ctx)
	}
	if err != nil {
		return err
	}
	return proceed(g, session, judged, action)
}

// Observe tells of an event that nothing can stop. It returns the hooks that have failed, which is no verdict.
func (g *Gate) Observe(ctx context.Context, session string, step Step) ([]string, error) {
	result, err := g.call(ctx, "observe", map[string]any{"session": session, "step": step})
	return Report(result).texts("failed"), err
}

// Override adds hooks to the session, which may only tighten; takes out those that were added so. It returns their ids.
func (g *Gate) Override(ctx context.Context, session string, hooks []map[string]any, disable []string) ([]string, error) {
	params := map[string]any{"session": session, "hooks": append([]map[string]any{}, hooks...), "disable": names(disable)}
	result, err := g.call(ctx, "override", params)
	if err != nil {
		return nil, err
	}
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.added.note(session, hooks, disable)
	return Report(result).texts("added"), nil
}

// EndSession ends a session, with the hooks that were added to it.
func (g *Gate) EndSession(ctx context.Context, session string) error {
	g.mutex.Lock()
	delete(g.added, session)
	g.mutex.Unlock()
	_, err := g.call(ctx, "session.end", map[string]any{"session": session})
	return err
}

// Status says which hooks are in force, and what is going on.
func (g *Gate) Status(ctx context.Context) (map[string]any, error) {
	return g.call(ctx, "status", map[string]any{})
}

// Health says whether the next step would be judged.
func (g *Gate) Health(ctx context.Context) (map[string]any, error) {
	return g.call(ctx, "health", map[string]any{})
}

// Metrics returns figures as OpenMetrics.
func (g *Gate) Metrics(ctx context.Context) (string, error) {
	result, err := g.call(ctx, "metrics", map[string]any{})
	text, _ := result["text"].(string)
	return text, err
}

// Events returns every decision of the server from now on.
func (g *Gate) Events(ctx context.Context) (*Events, error) {
	link, err := g.current(ctx)
	if err != nil {
		return nil, err
	}
	events := &Events{link: link, more: make(chan struct{})}
	link.mutex.Lock()
	isSubscribed := link.isSubscribed
	link.isSubscribed = true
	link.listeners[events] = true
	if link.lost != nil {
		events.finish(link.lost)
	}
	link.mutex.Unlock()
	if !isSubscribed {
		if _, err := g.callOn(ctx, link, "events", map[string]any{}); err != nil {
			link.mutex.Lock()
			link.isSubscribed = false
			link.mutex.Unlock()
			events.Close()
			return nil, err
		}
	}
	return events, nil
}

// Close ends the connection, with its sessions. Every step that comes later is denied.
func (g *Gate) Close() {
	g.mutex.Lock()
	g.isClosed = true
	link := g.link
	g.mutex.Unlock()
	link.lose("the gate is closed")
}
