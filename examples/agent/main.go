// Command agent answers a question by programs that a language model writes. It sends the model the card of the
// language and of the granted tools, runs the program in each answer, and hands back the outcome, until the model
// answers in words. README.md in this folder walks through it.
//
//	export AGENT_API=anthropic AGENT_MODEL=… AGENT_KEY=…
//	go run ./examples/agent -grant http=localhost:18077=GET,POST,rate=15 'Which products are short?'
//
// -record keeps the answers of the model in a file. -replay answers from such a file, over HTTP, without a model.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/tools/grant"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Getenv, os.Stdin, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "agent:", err)
		os.Exit(1)
	}
}

// settings are the values of the flags.
type settings struct {
	grants         grant.Set
	record, replay string
	tokens, turns  int
}

// run is the command. It writes the answer to out, and the steps on the way to log.
func run(ctx context.Context, args []string, env func(string) string, in io.Reader, out, log io.Writer) error {
	var s settings
	f := flag.NewFlagSet("agent", flag.ContinueOnError)
	f.SetOutput(log)
	f.Func("grant", "a grant as KIND=VALUE, such as http=api.example.com=GET; may be repeated", s.grant)
	f.StringVar(&s.record, "record", "", "file for the answers of the model")
	f.StringVar(&s.replay, "replay", "", "file with answers, which are given instead of those of a model")
	f.IntVar(&s.tokens, "tokens", 2500, "maximum number of tokens of the card")
	f.IntVar(&s.turns, "turns", 8, "maximum number of answers of the model")
	if err := f.Parse(args); err != nil {
		return err
	}
	defer s.grants.Close()
	if f.NArg() != 1 {
		return fmt.Errorf("got %d arguments, want one: the question", f.NArg())
	}
	m, done, err := s.model(env)
	if err != nil {
		return err
	}
	tools, err := s.grants.Registry(ctx)
	if err != nil {
		return errors.Join(err, done())
	}
	a := &agent{model: m, reach: s.grants.Reach(), tokens: s.tokens, turns: s.turns, log: log, in: bufio.NewReader(in),
		options: ptc.Options{
			Tools:   tools,
			Limits:  ptc.Limits{Timeout: time.Minute, Calls: 1000},
			Approve: effect.Approvals{Writes: true}, // a person sees each call that changes something
		}}
	answer, err := a.do(ctx, f.Arg(0))
	fmt.Fprintf(log, "-- tokens: %d read, of which %d from the cache; %d written\n",
		m.used.Read, m.used.Cached, m.used.Written)
	if err := errors.Join(err, done()); err != nil {
		return err
	}
	fmt.Fprintln(out, answer)
	return nil
}

// grant adds a grant of the form KIND=VALUE.
func (s *settings) grant(text string) error {
	kind, value, _ := strings.Cut(text, "=")
	return s.grants.Grant(kind, value, "")
}

// model returns the endpoint of the environment, or a server that replays answers. done writes the recording, or
// reports whether all answers were used.
func (s *settings) model(env func(string) string) (m *model, done func() error, err error) {
	if s.replay != "" {
		m, stop, err := replay(s.replay)
		return m, stop, err
	}
	m = &model{api: env("AGENT_API"), base: env("AGENT_BASE_URL"), name: env("AGENT_MODEL"), key: env("AGENT_KEY"),
		client: &http.Client{Timeout: 5 * time.Minute}, firstWait: time.Second}
	if err := m.complete(); err != nil {
		return nil, nil, err
	}
	if s.record == "" {
		return m, func() error { return nil }, nil
	}
	r := &recorder{api: m.api, base: m.base, to: http.DefaultTransport}
	m.client.Transport = r
	return m, func() error { return r.write(s.record) }, nil
}
