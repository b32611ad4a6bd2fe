package hookgate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

var hosted = []string{"pre_tool_use", "post_tool_use", "session_end"}

func program() string {
	if named := os.Getenv("HOOKGATE"); named != "" {
		return named
	}
	return "hookgate"
}

// folder is one with hooks; what is started in it ends with the test.
type folder struct {
	t      *testing.T
	hooks  string
	socket string
}

func newFolder(t *testing.T) *folder {
	t.Helper()
	// Not t.TempDir: its name is too long for a socket.
	path, err := os.MkdirTemp("", "hookgate-")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(path) })
	text, err := os.ReadFile("../cases/gate.toml")
	must(t, err)
	f := &folder{t: t, hooks: filepath.Join(path, "hooks.toml"), socket: filepath.Join(path, "run", "s.sock")}
	must(t, os.WriteFile(f.hooks, text, 0o600))
	return f
}

func (f *folder) spawn(options Options) *Gate {
	f.t.Helper()
	gate, err := f.trySpawn(options)
	must(f.t, err)
	f.t.Cleanup(gate.Close)
	return gate
}

func (f *folder) trySpawn(options Options) (*Gate, error) {
	if options.Events == nil {
		options.Events = hosted
	}
	options.Program = program()
	return Spawn(context.Background(), f.hooks, options)
}

func (f *folder) connect(options Options) *Gate {
	f.t.Helper()
	options.Events = hosted
	gate, err := Connect(context.Background(), f.socket, options)
	must(f.t, err)
	f.t.Cleanup(gate.Close)
	return gate
}

// listen starts a server on the socket, and returns when it listens.
func (f *folder) listen() *exec.Cmd {
	f.t.Helper()
	server := exec.Command(program(), "serve", "--socket", f.socket, "--config", f.hooks)
	stderr, err := server.StderrPipe()
	must(f.t, err)
	must(f.t, server.Start())
	f.t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		if strings.Contains(lines.Text(), "listening") {
			return server
		}
	}
	f.t.Fatal("the server does not listen")
	return nil
}

// stop has a server stand still, and returns when all of it does.
func stop(t *testing.T, server *exec.Cmd) {
	t.Helper()
	must(t, server.Process.Signal(syscall.SIGSTOP))
	for {
		stats, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", server.Process.Pid))
		must(t, err)
		stopped := 0
		for _, stat := range stats {
			text, err := os.ReadFile(stat)
			must(t, err)
			if state := string(text[strings.LastIndex(string(text), ")")+2]); state == "T" {
				stopped++
			}
		}
		if stopped == len(stats) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// pretended is the gate of a server that answers `hello`, and then a line of `answer` to each line.
func pretended(t *testing.T, answer func(id int, line string) string) *Gate {
	t.Helper()
	ours, theirs := net.Pipe()
	go func() {
		defer theirs.Close()
		lines := bufio.NewScanner(theirs)
		for id := 1; lines.Scan(); id++ {
			said := `{"jsonrpc":"2.0","id":1,"result":{"generation":1}}`
			if id > 1 {
				said = answer(id, lines.Text())
			}
			if said == "gone" {
				return
			}
			if said != "" {
				fmt.Fprintln(theirs, said)
			}
		}
	}()
	options, err := Options{Events: hosted}.whole()
	must(t, err)
	open := func(context.Context, *Gate) (*link, error) {
		return newLink(ours, ours, func() { ours.Close() }), nil
	}
	gate, err := opened(context.Background(), open, false, options)
	must(t, err)
	t.Cleanup(gate.Close)
	return gate
}

func bash(command any) Step { return Tool("Bash", map[string]any{"command": command}) }

// command reads what was judged.
func command(t *testing.T, permit *Permit) string {
	t.Helper()
	input, err := permit.Input()
	must(t, err)
	return input["command"].(string)
}

// runs has a step judged that must run, and returns the command that ran.
func runs(t *testing.T, gate *Gate, step Step) string {
	t.Helper()
	ran := ""
	must(t, gate.Step(context.Background(), "s", step, func(permit *Permit) error {
		ran = command(t, permit)
		return nil
	}))
	return ran
}

// stays has a step judged that must not run, and returns why.
func stays(t *testing.T, gate *Gate, step Step) error {
	t.Helper()
	err := gate.Step(context.Background(), "s", step, never(t))
	if err == nil {
		t.Fatalf("it was cleared: %v", step)
	}
	return err
}

// never is an action that must not run.
func never(t *testing.T) Action {
	return func(*Permit) error {
		t.Error("it ran")
		return nil
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// as finds an error of a type, which must be there.
func as[E error](t *testing.T, err error) E {
	t.Helper()
	var found E
	if !errors.As(err, &found) {
		t.Fatalf("%T: %v is no %T", err, err, found)
	}
	return found
}
