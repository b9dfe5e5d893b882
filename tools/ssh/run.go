// This file defines ssh.run, and how a command runs.

package ssh

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	xssh "golang.org/x/crypto/ssh"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/internal/capture"
	"github.com/ptc-lang/ptc/tools/internal/commands"
	"github.com/ptc-lang/ptc/tools/internal/detach"
)

// Call is the arguments of ssh.run.
type Call struct {
	Host    string   `json:"host" jsonschema:"the name of a granted host, with :PORT if it is not 22"`
	Argv    []string `json:"argv,omitempty" jsonschema:"the command and its arguments, passed unchanged"`
	Command string   `json:"command,omitempty" jsonschema:"instead of argv: a command line for the user's shell"`
	Stdin   string   `json:"stdin,omitempty" jsonschema:"the standard input of the command; empty by default"`
}

// Result is how a command ended.
type Result struct {
	Exit    int    `json:"exit" jsonschema:"its exit status; 128 plus the number of the signal if a signal ended it"`
	Out     string `json:"out"`
	Err     string `json:"err"`
	Dropped int64  `json:"dropped,omitempty" jsonschema:"number of bytes of output that were dropped at the end"`
}

// closeWait is how long a server may take to end a session that was closed; then the
// connection is given up.
const closeWait = 5 * time.Second

func (h *Hosts) run(ctx context.Context, in Call) (Result, error) {
	t, err := h.resolve(in.Host)
	if err != nil {
		return Result{}, err
	}
	if (len(in.Argv) > 0) == (in.Command != "") {
		return Result{}, &tool.Error{Code: CodeBadArgument, Message: "want one of :argv and :command, and not empty"}
	}
	line := in.Command
	if line == "" {
		line = Quote(in.Argv...)
	}
	if strings.IndexByte(line, 0) >= 0 {
		return Result{}, &tool.Error{Code: CodeBadArgument, Message: "got a NUL character, which a command cannot contain"}
	}
	return h.command(ctx, t, line, in.Stdin)
}

// programs returns the programs that a call runs. The host is that of the call as it stands there, as for ssh.package.
func programs(args json.RawMessage) (c tool.Commands) {
	var in Call
	if json.Unmarshal(args, &in) != nil {
		return c
	}
	c.Host = in.Host
	if len(in.Argv) > 0 {
		c.All, c.Exact = commands.Of(in.Argv...)
	} else {
		c.All, c.Exact = commands.OfLine(in.Command)
	}
	return c
}

// Quote quotes arguments so that a POSIX shell takes each literally.
func Quote(argv ...string) string {
	var line strings.Builder
	for i, a := range argv {
		if i > 0 {
			line.WriteByte(' ')
		}
		if a != "" && !strings.ContainsFunc(a, special) {
			line.WriteString(a)
			continue
		}
		line.WriteString("'" + strings.ReplaceAll(a, "'", `'\''`) + "'")
	}
	return line.String()
}

// special reports whether a shell may take a character for more than itself. The equals sign
// is one where an assignment could stand.
func special(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_-./:,@%+", r)
}

// command runs a line on a host. It returns when ctx ends, whatever the host does.
func (h *Hosts) command(ctx context.Context, t target, line, stdin string) (Result, error) {
	room := capture.Share(h.grant.MaxOutput, tool.ResultRoom(ctx), 2)
	return detach.Do(ctx, &h.left, func(ctx context.Context) (Result, error) {
		c, session, err := h.session(ctx, t)
		if err != nil {
			return Result{}, ended(ctx, err)
		}
		defer h.pool.release(c)
		defer session.Close()
		stop := h.stopWith(ctx, c, session)
		defer stop()
		out, errs := capture.New(room), capture.New(room)
		session.Stdout, session.Stderr = out, errs
		if err := passTrace(ctx, session); err != nil {
			return Result{}, ended(ctx, err)
		}
		if stdin != "" {
			session.Stdin = strings.NewReader(stdin)
		}
		res := Result{}
		if res.Exit, err = status(t, session.Run(line)); err != nil {
			return Result{}, ended(ctx, err)
		}
		var lost, lostErr int64
		res.Out, lost = out.Text()
		res.Err, lostErr = errs.Text()
		res.Dropped = lost + lostErr
		return res, nil
	}, nil)
}

// passTrace sends the span of the call as variables of the environment. A server that does not accept them
// (AcceptEnv of sshd) ignores them, so nothing waits for its answer.
func passTrace(ctx context.Context, session *xssh.Session) error {
	trace, ok := effect.TraceOf(ctx)
	if !ok {
		return nil
	}
	for _, v := range trace.Environ() {
		var variable struct{ Name, Value string }
		variable.Name, variable.Value, _ = strings.Cut(v, "=")
		if _, err := session.SendRequest("env", false, xssh.Marshal(&variable)); err != nil {
			return err
		}
	}
	return nil
}

// ended returns the error of a call that ended because ctx did, or its own.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// session begins a session. A connection that was kept may have been lost in the meantime: then
// another one is tried, as nothing was asked of the host yet.
func (h *Hosts) session(ctx context.Context, t target) (*conn, *xssh.Session, error) {
	for attempt := 0; ; attempt++ {
		c, err := h.pool.acquire(ctx, t)
		if err != nil {
			return nil, nil, err
		}
		session, err := c.client.NewSession()
		if err == nil && ctx.Err() != nil {
			err = errors.Join(ctx.Err(), session.Close())
			h.pool.release(c)
			return nil, nil, err // before the command is asked for
		}
		if err == nil {
			return c, session, nil
		}
		var refused *xssh.OpenChannelError
		if errors.As(err, &refused) {
			h.pool.release(c)
			return nil, nil, &tool.Error{Code: CodeRefused, Message: t.host + " opens no session",
				Retryable: refused.Reason == xssh.ResourceShortage, Err: err}
		}
		h.pool.drop(c)
		h.pool.release(c)
		if attempt == h.grant.ConnectionsPerHost { // every connection that was kept has been tried
			return nil, nil, &tool.Error{Code: CodeUnreachable, Message: t.host + " ends its connections", Retryable: true,
				Err: err}
		}
	}
}

// stopWith ends the command when ctx ends: by a signal, by closing its session and, if the host ignores both,
// by closing the connection. Call the returned function when the command has ended.
func (h *Hosts) stopWith(ctx context.Context, c *conn, session *xssh.Session) (undo func()) {
	var late *time.Timer
	begun := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		late = time.AfterFunc(closeWait, func() { c.client.Close() })
		close(begun)
		_ = session.Signal(xssh.SIGKILL)
		_ = session.Close()
	})
	return func() {
		if !stop() {
			<-begun
			late.Stop()
		}
	}
}

// status returns the exit status of a command that has ended.
func status(t target, err error) (int, error) {
	var exit *xssh.ExitError
	var missing *xssh.ExitMissingError
	switch {
	case err == nil:
		return 0, nil
	case errors.As(err, &exit):
		return exit.ExitStatus(), nil
	case errors.As(err, &missing), errors.Is(err, io.EOF):
		return 0, &tool.Error{Code: CodeDisconnected,
			Message: t.host + " has ended the connection while the command ran: whether it has come to its end is not known"}
	case strings.Contains(err.Error(), "command") && strings.Contains(err.Error(), "failed"):
		return 0, &tool.Error{Code: CodeRefused, Message: t.host + " does not run the command"}
	}
	return 0, &tool.Error{Code: CodeDisconnected, Message: t.host + ": the session was lost: whether the command has " +
		"come to its end is not known", Err: err}
}
