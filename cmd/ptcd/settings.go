// This file defines the flags of ptcd.

package main

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"slices"
	"time"

	"github.com/ptc-lang/ptc/cluster/config"
	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/mcp"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/limits"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/api"
	"github.com/ptc-lang/ptc/store"
	"github.com/ptc-lang/ptc/telemetry"
	"github.com/ptc-lang/ptc/tools/grant"
)

// settings are the values of the flags.
type settings struct {
	dir, listen, config string
	accessSettings
	cluster     *config.Config     // nil without the section
	nodeMetrics *telemetry.Cluster // of a node of a cluster

	limits     limits.Limits
	grants     grant.Set
	grantsFile string
	approve    effect.Approvals
	fourEyes   bool
	policyFile string
	onFull     string

	memory          int64
	running, queued int
	maxBody         int64
	finish, grace   time.Duration
	linger          time.Duration
	sessionIdle     time.Duration
	sessions        int
	keep            store.Retention

	serveMCP   bool
	cardTokens int

	logLevel slog.Level
	logForm  string
}

// maxTime bounds the times that a flag takes.
const maxTime = 100 * 365 * 24 * time.Hour

// flags returns the flags, whose values go to s.
func (s *settings) flags() []flags.Spec {
	return slices.Concat([]flags.Spec{
		{Name: "dir", Value: "DIR", Text: "directory of the service; required", To: flags.File(&s.dir)},
		{Name: "config", Value: "FILE", Text: "file of flags, YAML; a flag of the command line overrides it",
			To: flags.File(&s.config)},
		{Name: "grants", Value: "FILE", Text: "file of grants, in the form of ptc.yaml", Group: flags.GroupGrants,
			To: flags.File(&s.grantsFile)},
		flags.Approval(&s.approve),
		{Name: "four-eyes", Text: "refuse approvals of calls by the identity that has submitted the run",
			Group: flags.GroupGrants, To: flags.Toggle(&s.fourEyes)},
		flags.Policy(&s.policyFile),
		flags.OnFull(&s.onFull),
	}, s.serverFlags(), s.accessSettings.flags(), s.engineFlags(), flags.Limits(&s.limits), flags.Grants(&s.grants))
}

// serverFlags returns the flags of the HTTP server and the log.
func (s *settings) serverFlags() []flags.Spec {
	s.maxBody = api.DefaultBody
	return []flags.Spec{
		{Name: "listen", Value: "ADDRESS", Initial: "127.0.0.1:8080", Text: "address to listen on; port 0 chooses one",
			To: flags.Func(s.listenOn)},
		{Name: "max-body", Value: "SIZE", Initial: flags.SizeText(api.DefaultBody), Text: "maximum size of a request",
			To: flags.Size(&s.maxBody, 1, limits.Most().Memory)},
		{Name: "serve-mcp", Text: "serve clients of the Model Context Protocol at /mcp", To: flags.Toggle(&s.serveMCP)},
		{Name: "card-tokens", Value: "N", Initial: fmt.Sprint(mcp.DefaultCardTokens),
			Text: "maximum number of tokens of the card for these clients", To: flags.Count(&s.cardTokens, 1<<20)},
		{Name: "log", Value: "LEVEL", Initial: "info", Choices: []string{"debug", "info", "warn", "error"},
			Text: "minimum level of the messages on standard error: debug, info, warn or error",
			To:   flags.Func(func(text string) error { return s.logLevel.UnmarshalText([]byte(text)) })},
		{Name: "log-format", Value: "FORM", Initial: "text", Choices: []string{"text", "json"},
			Text: "form of the messages: text or json", To: flags.Word(&s.logForm)},
	}
}

// engineFlags returns the flags of the engine and the store.
func (s *settings) engineFlags() []flags.Spec {
	return []flags.Spec{
		{Name: "max-memory", Value: "SIZE", Text: "maximum sum of the memory limits of the runs at once; by default three " +
			"quarters of the machine's memory", To: flags.Size(&s.memory, limits.MinMemory, limits.Most().Memory)},
		{Name: "max-runs", Value: "N", Initial: fmt.Sprint(serve.DefaultRunning), Text: "maximum number of runs at once",
			To: flags.Count(&s.running, math.MaxInt32)},
		{Name: "max-queued", Value: "N", Initial: fmt.Sprint(serve.DefaultQueued),
			Text: "maximum number of runs that wait to begin; further submissions are refused",
			To:   flags.Count(&s.queued, math.MaxInt32)},
		{Name: "linger", Value: "TIME", Initial: "1m",
			Text: "time for which a run that waits for people stays in memory, unless others need the memory",
			To:   flags.Duration(&s.linger, maxTime)},
		{Name: "session-idle", Value: "TIME", Initial: "15m", Text: "time after which an unused session ends",
			To: flags.Duration(&s.sessionIdle, maxTime)},
		{Name: "max-sessions", Value: "N", Initial: fmt.Sprint(serve.DefaultSessions),
			Text: "maximum number of sessions of one identity", To: flags.Count(&s.sessions, math.MaxInt32)},
		{Name: "finish", Value: "TIME", Text: "time that running runs have to end when the service is stopping; 5s by " +
			"default, and none for a node of a cluster, whose runs continue elsewhere", To: flags.Duration(&s.finish, maxTime)},
		{Name: "grace", Value: "TIME", Initial: "30s",
			Text: "time after which calls are cut off when the service is stopping; their writes are then in doubt",
			To:   flags.Duration(&s.grace, maxTime)},
		{Name: "keep-age", Value: "TIME", Initial: "720h", Text: "time for which a run is kept after its end",
			To: flags.Duration(&s.keep.Age, maxTime)},
		{Name: "keep-runs", Value: "N", Text: "maximum number of ended runs that are kept; no limit by default",
			To: flags.Count(&s.keep.Count, math.MaxInt32)},
		{Name: "keep-bytes", Value: "SIZE", Text: "maximum size of the ended runs that are kept; no limit by default",
			To: flags.Size(&s.keep.Bytes, 1, limits.Most().Memory)},
	}
}

// listenOn sets the address to listen on.
func (s *settings) listenOn(text string) error {
	if _, port, err := net.SplitHostPort(text); err != nil || port == "" {
		return errors.New("want HOST:PORT, such as 127.0.0.1:8080")
	}
	s.listen = text
	return nil
}

// parse reads a command line, and the file of flags that it names.
func parse(args []string) (*settings, error) {
	s := &settings{limits: limits.Default()}
	specs := s.flags()
	line, err := flags.Parse("ptcd", specs, args)
	if err != nil {
		return nil, err
	}
	if len(line.Rest) > 0 {
		return nil, fmt.Errorf("ptcd takes no arguments, got %q; see ptcd help", line.Rest[0])
	}
	if s.config != "" {
		if err := readConfig(s.config, specs, s.sections(), line.Given); err != nil {
			return nil, err
		}
	}
	if s.dir == "" {
		return nil, errors.New("--dir is missing: want the directory of the service; see ptcd help")
	}
	return s, s.accessSettings.complete()
}
