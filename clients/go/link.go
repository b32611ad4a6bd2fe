package hookgate

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// How long a line of the server may be.
const longest = 64 << 20

// What came of a request.
type reply struct {
	response map[string]any
	err      error
}

// link is one connection: lines go out in the order of the calls, and answers come in any order.
type link struct {
	writer io.WriteCloser
	end    func()

	mutex   sync.Mutex
	number  int64
	waiting map[int64]chan reply
	// Requests that nobody waits for any more: their answers may still come.
	abandoned map[int64]bool
	// Lines that are not written yet. A server that reads nothing keeps the goroutine, and not the caller.
	unsent       [][]byte
	hasUnsent    *sync.Cond
	lost         error
	listeners    map[*Events]bool
	isSubscribed bool
}

func newLink(reader io.Reader, writer io.WriteCloser, end func()) *link {
	l := &link{
		writer: writer, end: end, waiting: map[int64]chan reply{}, abandoned: map[int64]bool{}, listeners: map[*Events]bool{},
	}
	l.hasUnsent = sync.NewCond(&l.mutex)
	go l.read(reader)
	go l.write()
	return l
}

// call sends a request. The answer comes in the channel, and exactly one does.
func (l *link) call(method string, params []byte) (int64, <-chan reply) {
	answer := make(chan reply, 1)
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.lost != nil {
		answer <- reply{err: l.lost}
		return 0, answer
	}
	l.number++
	l.waiting[l.number] = answer
	line := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", l.number, method, params)
	l.unsent = append(l.unsent, []byte(line))
	l.hasUnsent.Signal()
	return l.number, answer
}

func (l *link) abandon(number int64) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if _, isWaiting := l.waiting[number]; isWaiting {
		delete(l.waiting, number)
		l.abandoned[number] = true
	}
}

func (l *link) isLost() bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.lost != nil
}

func (l *link) write() {
	defer l.writer.Close()
	for {
		l.mutex.Lock()
		for len(l.unsent) == 0 && l.lost == nil {
			l.hasUnsent.Wait()
		}
		lines, isOver := l.unsent, l.lost != nil
		l.unsent = nil
		l.mutex.Unlock()
		if isOver {
			return
		}
		for _, line := range lines {
			if _, err := l.writer.Write(line); err != nil {
				l.lose(fmt.Sprintf("the server is gone (%v)", err))
				return
			}
		}
	}
}

func (l *link) read(reader io.Reader) {
	lines := bufio.NewScanner(reader)
	lines.Buffer(nil, longest)
	for lines.Scan() {
		if err := l.take(lines.Bytes()); err != nil {
			l.lose(fmt.Sprintf("the server cannot be understood (%v)", err))
			return
		}
	}
	l.lose("the server is gone")
}

func (l *link) take(line []byte) error {
	value, err := parse(line)
	if err != nil {
		return err
	}
	response, isObject := value.(map[string]any)
	if !isObject || response["jsonrpc"] != "2.0" {
		return errors.New("a line is no response")
	}
	id, hasID := response["id"]
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if method, isText := response["method"].(string); isText && !hasID {
		if method == "event" {
			params, _ := response["params"].(map[string]any)
			for events := range l.listeners {
				events.add(params)
			}
		}
		return nil
	}
	if failure, isFailure := response["error"].(map[string]any); isFailure && hasID && id == nil {
		// It has not read a line, and cannot say which: whatever is waited for may be that.
		for number, answer := range l.waiting {
			answer <- reply{err: refusal(failure)}
			l.abandoned[number] = true
		}
		l.waiting = map[int64]chan reply{}
		return nil
	}
	digits, isNumber := id.(json.Number)
	number, err := digits.Int64()
	if !isNumber || err != nil {
		return errors.New("an answer is to no request")
	}
	if answer, isWaiting := l.waiting[number]; isWaiting {
		delete(l.waiting, number)
		answer <- reply{response: response}
		return nil
	}
	if !l.abandoned[number] {
		return errors.New("an answer is to no request")
	}
	delete(l.abandoned, number)
	return nil
}

// lose ends the connection: whatever is waited for is lost.
func (l *link) lose(why string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.lost != nil {
		return
	}
	l.lost = lost(why)
	for _, answer := range l.waiting {
		answer <- reply{err: l.lost}
	}
	l.waiting = nil
	for events := range l.listeners {
		events.finish(l.lost)
	}
	l.hasUnsent.Signal()
	go l.end()
}
