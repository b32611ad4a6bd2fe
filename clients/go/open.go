package hookgate

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"time"
)

// How long a server may take to end.
const patience = 15 * time.Second

// Options say what the host can do.
type Options struct {
	// Events are those that this host has judged or tells of. A guard at another event refuses the gate.
	Events []string
	// Enforces is what the host does if a verdict asks for it. By default all but "context": add it if the model sees
	// the context of the report.
	Enforces []string
	// AcceptUnenforced names guards that this host cannot enforce, and that are not to keep it from working.
	AcceptUnenforced []string
	// Lost says what a lost server means: "deny", which is the default and the only value.
	Lost string
	// Deadline is how long a step may take: 30 s by default.
	Deadline time.Duration
	// Program is the program that Spawn starts: `hookgate` by default.
	Program string
	// Arguments are more arguments of `hookgate serve`, for Spawn.
	Arguments []string
}

func (o Options) whole() (Options, error) {
	if o.Lost != "" && o.Lost != "deny" {
		return o, fmt.Errorf("Lost says what a lost server means, and only \"deny\" is possible, not %q", o.Lost)
	}
	if o.Deadline < 0 {
		return o, fmt.Errorf("Deadline must not be %v", o.Deadline)
	}
	if o.Deadline == 0 {
		o.Deadline = 30 * time.Second
	}
	if o.Enforces == nil {
		o.Enforces = []string{"deny", "ask", "halt", "patch", "answer"}
	}
	if o.Program == "" {
		o.Program = "hookgate"
	}
	return o, nil
}

// Spawn starts a server of this program's own. It ends with the gate. One that is lost stays lost: every step is denied.
// Without a config, the program finds that of the user and of the project.
func Spawn(ctx context.Context, config string, options Options) (*Gate, error) {
	options, err := options.whole()
	if err != nil {
		return nil, err
	}
	arguments := append([]string{"serve", "--stdio"}, options.Arguments...)
	if config != "" {
		arguments = append(arguments, "--config", config)
	}
	open := func(context.Context, *Gate) (*link, error) {
		child := exec.Command(options.Program, arguments...)
		child.Stderr = os.Stderr
		stdin, err := child.StdinPipe()
		if err != nil {
			return nil, err
		}
		// Not StdoutPipe: waiting for the child must not close what is still read.
		stdout, written, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		child.Stdout = written
		if err := child.Start(); err != nil {
			stdout.Close()
			written.Close()
			return nil, err
		}
		written.Close()
		exited := make(chan struct{})
		go func() {
			_ = child.Wait()
			close(exited)
		}()
		end := func() {
			// The goroutine that writes may stand still, and closes it only later.
			stdin.Close()
			select {
			case <-exited:
			case <-time.After(patience):
				_ = child.Process.Kill()
				<-exited
			}
			stdout.Close()
		}
		return newLink(stdout, stdin, end), nil
	}
	return opened(ctx, open, false, options)
}

// Connect speaks to `hookgate serve --socket PATH`. A server that was started again is found at the next step.
func Connect(ctx context.Context, path string, options Options) (*Gate, error) {
	options, err := options.whole()
	if err != nil {
		return nil, err
	}
	open := func(ctx context.Context, _ *Gate) (*link, error) {
		var dialer net.Dialer
		connection, err := dialer.DialContext(ctx, "unix", path)
		if err != nil {
			return nil, err
		}
		return newLink(connection, connection, func() { connection.Close() }), nil
	}
	return opened(ctx, open, true, options)
}
