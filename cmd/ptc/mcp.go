// This file defines ptc mcp.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/cmd/internal/buildinfo"
	"github.com/ptc-lang/ptc/cmd/internal/files"
	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/cmd/internal/processors"
	"github.com/ptc-lang/ptc/mcp"
	"github.com/ptc-lang/ptc/runtime/guard"
	"github.com/ptc-lang/ptc/telemetry/otlp"
	"github.com/ptc-lang/ptc/telemetry/spans"
)

const mcpAbout = `Serves programs to the clients of the Model Context Protocol: coding agents, chat
clients, gateways. The client's model gets one tool, run_program, with the card of the
language and of the granted tools in its description, and three more to check programs
and to search and describe tools. See docs/llm.md.

Without --http the client starts the command, and speaks to it over standard input and
output. With --http clients connect to http://ADDR/mcp, with the token of --token-file.

Limits, grants and policies are those of ptc run, for each program. A call can ask for
lower limits. Guards, queues and policies are shared by all programs. Calls that need
an approval, and questions of a program, are shown to the person at the client, if the
client can ask. With --journal-dir a call of run_program can name a journal; the same
call then continues an interrupted run.

exit codes: 0 the client has left, 1 the transport failed, 2 usage, 130 interrupted`

// mcpSettings are the values of the flags that only ptc mcp has.
type mcpSettings struct {
	addr, tokenFile, journalDir string
	concurrent                  int
	lifetime                    time.Duration
	login                       loginSettings
}

// mcpFlags returns the flags of ptc mcp.
func mcpFlags(v *settings) []flags.Spec {
	m := &v.mcp
	all := append(flags.Limits(&v.limits), flags.Queues(&v.queueBounds)...)
	all = append(all, flags.Grants(&v.grants)...)
	all = append(all, logFlags(v)...)
	return append(all,
		flags.Policy(&v.policyFile), flags.PolicyState(&v.stateFile), flags.OnFull(&v.onFull),
		flags.Approval(&v.approve),
		flags.Spec{Name: "http", Value: "ADDR", Text: "serve clients over HTTP at this address, such as 127.0.0.1:8765",
			To: flags.Word(&m.addr)},
		flags.Spec{Name: "token-file", Value: "FILE", Text: "file with the token that clients of --http present",
			To: flags.File(&m.tokenFile)},
		flags.Spec{Name: "journal-dir", Value: "DIR", Text: "folder for the journals of runs", To: flags.File(&m.journalDir)},
		keyFlag(v),
		flags.Spec{Name: "tokens", Value: "N", Initial: fmt.Sprint(mcp.DefaultCardTokens),
			Text: "maximum number of tokens of the card", To: flags.Count(&v.tokens, 1<<20)},
		flags.Spec{Name: "concurrent", Value: "N", Initial: fmt.Sprint(mcp.DefaultConcurrent),
			Text: "maximum number of programs that run at once; further ones wait", To: flags.Count(&m.concurrent, 1<<10)},
		flags.Spec{Name: "lifetime", Value: "TIME", Initial: "15m",
			Text: "time after which an unused session, a kept value, or a run that waits for the person, ends",
			To:   flags.Duration(&m.lifetime, 30*24*time.Hour)},
	)
}

// mcpCommand declares ptc mcp.
func mcpCommand() command {
	return command{
		name:    "mcp",
		summary: "serve programs to a client of the Model Context Protocol",
		usage:   []string{"[flags]"},
		about:   mcpAbout,
		examples: []string{
			"ptc mcp --allow-fs data:ro --allow-http api.example.com=GET",
			"ptc mcp --allow-exec git,make --approval write --journal-dir journals",
			"ptc mcp --mcp files='npx -y @modelcontextprotocol/server-filesystem data' --mcp crm=https://crm.example.com/mcp",
			"ptc mcp --http 127.0.0.1:8765 --token-file token --policy policy.yaml",
		},
		declare: mcpFlags,
		instead: "grant tools by flags; a program comes from the client, not from %s",
		parts:   func() []command { return []command{mcpLoginCommand()} },
		run:     serveMCP,
	}
}

// serveMCP runs ptc mcp.
func serveMCP(ctx context.Context, in *invocation, s streams) int {
	f := execution{invocation: in}
	token, err := f.mcpToken()
	if err != nil {
		return failInput(s, err)
	}
	end, err := f.open(ctx, s)
	if err != nil {
		return failInput(s, err)
	}
	defer end()
	o, err := f.mcpOptions(s)
	if err != nil {
		return failInput(s, err)
	}
	limitGarbage(f.limits, max(o.Concurrent, 1))
	server, err := mcp.New(o)
	if err != nil {
		return failInput(s, err)
	}
	defer server.Close()
	if f.mcp.addr != "" {
		err = f.mcpHTTP(ctx, server, token, s)
	} else {
		err = server.ServeStdio(ctx, io.NopCloser(s.in), nopCloser{s.out})
	}
	switch {
	case ctx.Err() != nil:
		return exitInterrupted
	case err != nil:
		report(s.err, err)
		return exitFailed
	}
	return exitOK
}

// nopCloser is a writer that is not closed with the connection of a client.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// mcpToken returns the token of --token-file.
func (f *execution) mcpToken() (string, error) {
	switch m := &f.mcp; {
	case m.addr == "" && m.tokenFile != "":
		return "", errors.New("--token-file is for the clients of --http")
	case m.addr == "":
		return "", nil
	case m.tokenFile == "":
		return "", errors.New("--http needs --token-file: without a token every program on this machine could use the tools")
	}
	file, err := files.OpenRegular(f.mcp.tokenFile, files.Trusted)
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	defer file.Close()
	text, _, err := files.Limited(file, 4096)
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if len(token) < 16 || strings.ContainsAny(token, " \t\r\n") {
		return "", fmt.Errorf("--token-file %s: want one token of at least 16 characters, such as the output of "+
			"openssl rand -hex 32", f.mcp.tokenFile)
	}
	return token, nil
}

// mcpOptions returns the options of the server.
func (f *execution) mcpOptions(s streams) (o mcp.Options, err error) {
	o = mcp.Options{Run: f.options(nil), Reach: f.grants.Reach(), Version: buildinfo.Version(version),
		CardTokens: f.tokens, Concurrent: f.mcp.concurrent, Lifetime: f.mcp.lifetime, Log: f.logger(s.err)}
	o.Run.Guards, o.Run.Processors = guard.NewSet(guard.Options{Logger: o.Log}), processors.Responsive()
	if f.mcp.journalDir != "" {
		if err := os.MkdirAll(f.mcp.journalDir, 0o700); err != nil {
			return o, fmt.Errorf("--journal-dir: %w", files.Plain(err))
		}
		o.Journals.Dir = files.Absolute(f.mcp.journalDir)
		if o.Journals.Key, err = f.makeKey(); err != nil {
			return o, err
		}
		if o.Journals.Options, err = json.Marshal(f.recorded("-")); err != nil {
			return o, err
		}
	}
	to, err := otlp.FromEnvironment(os.Getenv, "ptc", o.Version)
	if err != nil {
		warnExport(s.err, err)
	}
	if to != nil {
		o.Trace = func(ctx context.Context, id string, given *ptc.RunOptions) (context.Context, func(*ptc.Result, error)) {
			ctx, span := to.Run(ctx, "mcp", id)
			run := spans.Follow(span, given)
			return ctx, run.End
		}
	}
	return o, nil
}

// mcpHTTP serves clients over HTTP until ctx ends.
func (f *execution) mcpHTTP(ctx context.Context, server *mcp.Server, token string, s streams) error {
	l, err := net.Listen("tcp", f.mcp.addr)
	if err != nil {
		return fmt.Errorf("--http: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", server.Handler(mcp.BearerToken(token)))
	h := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	fmt.Fprintf(s.err, "ptc: serving http://%s/mcp\n", l.Addr())
	defer context.AfterFunc(ctx, func() {
		server.Close() // ends the runs, so that their requests end
		short, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if h.Shutdown(short) != nil {
			h.Close()
		}
	})()
	if err := h.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
