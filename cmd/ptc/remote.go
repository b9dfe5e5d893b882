// This file defines ptc remote: its parts, and how they reach a service.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/client"
	"github.com/ptc-lang/ptc/cmd/internal/buildinfo"
	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/store"
)

// remoteSettings are the values of the flags of ptc remote.
type remoteSettings struct {
	server, tokenFile string
	caFile, cert, key string
	patience          time.Duration
	program, once     string // here and below: of ptc remote run
	labels            map[string]string
	priority          string
	nodes             int
	detach            bool
	states            []string // here and below: of ptc remote list
	tenant            string
	since             time.Duration
	most              int
	oldest            bool
	json              bool   // of ptc remote list, show and pending
	reason            string // of ptc remote refuse
	follow            bool   // of the commands that settle
	cluster           clusterSettings
}

// The variables of the environment that name a service.
const (
	serverVariable    = "PTC_SERVER"
	tokenFileVariable = "PTC_TOKEN_FILE"
	caFileVariable    = "PTC_CA_FILE"
)

const remoteAbout = `Submits programs to a service, ptcd, and follows, answers and stops the runs there.
--server and --token-file name the service and the file with your token, or the
variables PTC_SERVER and PTC_TOKEN_FILE do. PTC_CA_FILE stands for --ca-file.

The output and the exit codes are those of ptc run. Exit code 69 means that the
service does not answer, or refuses the request.`

// remoteCommand declares ptc remote.
func remoteCommand() command {
	c := command{
		name:      "remote",
		summary:   "run programs on a service",
		usage:     []string{"COMMAND [flags] [arguments]"},
		about:     remoteAbout,
		arguments: nameArguments,
		examples: []string{
			"export PTC_SERVER=https://ptc.example.com PTC_TOKEN_FILE=~/.ptc-token",
			"ptc remote run report.ptc --data sales.json",
			"ptc help remote run",
		},
		parts: remoteParts,
	}
	c.run = func(_ context.Context, in *invocation, s streams) int {
		if len(in.rest) > 0 {
			return c.unknownPart(in.rest[0], s)
		}
		c.help(s.err)
		return exitUsage
	}
	return c
}

// remoteParts returns the parts of ptc remote, in the order of the help.
func remoteParts() []command {
	return []command{
		remoteRunCommand(), remoteFollowCommand(), remoteListCommand(), remoteShowCommand(), remoteUnitsCommand(),
		remoteResultCommand(),
		remotePendingCommand(), remoteApproveCommand(), remoteRefuseCommand(), remoteAnswerCommand(),
		remoteSettleCommand(), remoteCancelCommand(), remoteResumeCommand(), remoteJournalCommand(),
		remoteTraceCommand(), remoteReplayCommand(), remoteClusterCommand(),
	}
}

// remotePart completes a part of ptc remote.
func remotePart(c command, run func(r *remote, ctx context.Context) int) command {
	declare := c.declare
	c.declare = func(v *settings) []flags.Spec {
		all := serviceFlags(&v.remote)
		if declare != nil {
			all = append(all, declare(v)...)
		}
		return all
	}
	c.run = func(ctx context.Context, in *invocation, s streams) int {
		service, err := in.remote.client()
		if err != nil {
			return failRemote(s, err)
		}
		return run(&remote{invocation: in, streams: s, service: service}, ctx)
	}
	return c
}

// remote is a call of a part of ptc remote.
type remote struct {
	*invocation
	streams
	service *client.Client
}

// serviceFlags returns the flags of all parts.
func serviceFlags(v *remoteSettings) []flags.Spec {
	all := []flags.Spec{
		{Name: "server", Value: "URL", Text: "address of the service; by default that of PTC_SERVER",
			To: flags.Word(&v.server)},
		{Name: "token-file", Value: "FILE", Text: "file with your token for the service; by default that of PTC_TOKEN_FILE",
			To: flags.File(&v.tokenFile)},
		{Name: "ca-file", Value: "FILE", To: flags.File(&v.caFile),
			Text: "certificates of authorities for the service, as PEM; by default those of PTC_CA_FILE, or the system's"},
		{Name: "cert", Value: "FILE", Text: "your certificate for the service, as PEM", To: flags.File(&v.cert)},
		{Name: "key", Value: "FILE", Text: "the key of --cert, as PEM", To: flags.File(&v.key)},
		{Name: "patience", Value: "TIME", Initial: diag.Duration(client.DefaultPatience),
			Text: "how long to try again while the service does not answer or is full",
			To:   flags.Duration(&v.patience, maxPatience)},
	}
	for i := range all {
		all[i].Group = flags.GroupService
	}
	return all
}

// maxPatience is longer than any outage that somebody waits for.
const maxPatience = 7 * 24 * time.Hour

// client returns the client of the service that the flags or the environment name.
func (v *remoteSettings) client() (*client.Client, error) {
	server := cmp.Or(v.server, os.Getenv(serverVariable))
	if server == "" {
		return nil, fmt.Errorf("no service is named: use --server URL, or set %s", serverVariable)
	}
	return client.New(server, client.Options{TokenFile: cmp.Or(v.tokenFile, os.Getenv(tokenFileVariable)),
		CAFile: cmp.Or(v.caFile, os.Getenv(caFileVariable)), CertFile: v.cert, KeyFile: v.key, Patience: v.patience,
		UserAgent: "ptc/" + buildinfo.Version(version)})
}

// codeUnauthenticated is the code of a request without a token; see spec/api.md.
const codeUnauthenticated = "unauthenticated"

// failRemote reports the error of a request, and returns the exit code.
func failRemote(s streams, err error) int {
	report(s.err, err)
	if isCode(err, codeUnauthenticated) {
		fmt.Fprintf(s.err, "use --token-file FILE, or set %s\n", tokenFileVariable)
	}
	return remoteCode(err)
}

// remoteCode returns the exit code for the error of a request.
func remoteCode(err error) int {
	var program *ptc.Error
	var e *client.Error
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &program):
		return compileCode(program)
	case errors.As(err, &e) && e.Code != client.CodeUsage:
		return exitService
	}
	return exitUsage
}

// one returns the id of the run that is the only argument.
func (r *remote) one() (string, error) {
	if len(r.rest) != 1 {
		return "", fmt.Errorf("%s takes the id of one run, got %d arguments; see ptc help %[1]s", r.command.name, len(r.rest))
	}
	return r.rest[0], checkID(r.rest[0])
}

// several returns the id of the run that is the first argument, and the others.
func (r *remote) several(what string) (id string, others []string, err error) {
	if len(r.rest) < 2 {
		return "", nil, fmt.Errorf("%s takes the id of a run and %s; see ptc help %[1]s", r.command.name, what)
	}
	return r.rest[0], r.rest[1:], checkID(r.rest[0])
}

// checkID refuses arguments that can't be the id of a run, such as the name of a file.
func checkID(id string) error {
	if !store.ValidID(id) {
		return fmt.Errorf("got %q, want the id of a run, as ptc remote list shows it", id)
	}
	return nil
}

// again returns a further command for a run on the same service. Each text from the service is quoted as
// one shell word.
func (r *remote) again(part, id string, words ...string) string {
	all := []string{"ptc", "remote", part, shellWord(id)}
	for _, f := range serviceFlags(&remoteSettings{}) {
		if text, ok := r.given[f.Name]; ok {
			all = append(all, flagFor(f.Name, text))
		}
	}
	return diag.Visible(strings.Join(append(all, words...), " "))
}
