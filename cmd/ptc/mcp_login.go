// This file defines ptc mcp login.

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/tools/grant"
)

const mcpLoginAbout = `Logs you in to an MCP server whose grant has oauth with a loginFile. It prints an
address: open it in a browser on this machine, and log in there. Then the file contains
your login, and programs with the grant call the server on your behalf. They refresh the
login; if that is refused, they fail with the code unauthorized, and you log in again.
They also fail so if the server wants more scopes for a call: then log in with --scope.
Later logins ask for these scopes again; remove the file to ask for fewer.

The browser is redirected to a port of 127.0.0.1. If it runs on another machine, choose the
port with --port, and forward it: ssh -L 8766:127.0.0.1:8766 HOST.

exit codes: 0 you are logged in, 1 you are not, 2 usage, 130 interrupted`

// loginSettings are the values of the flags of ptc mcp login.
type loginSettings struct {
	config  string
	signIn  grant.SignInOptions
	timeout time.Duration
}

// addScope adds the value of --scope.
func (l *loginSettings) addScope(name string) error {
	outside := func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }
	if name == "" || strings.ContainsFunc(name, outside) {
		return fmt.Errorf("got %.60q, want one scope, such as files:write", name) // RFC 6749, section 3.3
	}
	l.signIn.Scopes = append(l.signIn.Scopes, name)
	return nil
}

// loginTimeout is how long a person may take, unless --timeout says otherwise.
const loginTimeout = 10 * time.Minute

// mcpLoginCommand declares ptc mcp login.
func mcpLoginCommand() command {
	return command{
		name:      "mcp login",
		summary:   "log in at the authorization server of an MCP server",
		usage:     []string{"[flags] SERVER"},
		about:     mcpLoginAbout,
		arguments: nameArguments,
		examples:  []string{"ptc mcp login tickets", "ptc mcp login tickets --config ops/ptc.yaml --port 8766"},
		declare: func(v *settings) []flags.Spec {
			l := &v.mcp.login
			return []flags.Spec{
				{Name: "config", Value: "FILE", Initial: grant.FileName, Text: "the file with the grant of the server",
					To: flags.File(&l.config)},
				{Name: "port", Value: "N", Text: "port of 127.0.0.1 to which the browser is redirected; by default a free one",
					To: flags.Count(&l.signIn.Port, 1<<16-1)},
				{Name: "scope", Value: "NAME", Repeats: true, Text: "ask for a scope besides those that the server names",
					To: flags.Func(l.addScope)},
				{Name: "timeout", Value: "TIME", Initial: "10m", Text: "how long to wait for you",
					To: flags.Duration(&l.timeout, 24*time.Hour)},
			}
		},
		run: logIn,
	}
}

// logIn runs ptc mcp login.
func logIn(ctx context.Context, in *invocation, s streams) int {
	l := &in.mcp.login
	if len(in.rest) != 1 {
		return failUsage(s, "mcp login: got %s, want one: the name of a server in %s", diag.Counted(len(in.rest), "argument"),
			grant.FileName)
	}
	if l.config == "" {
		l.config = grant.FileName
	}
	if l.timeout == 0 {
		l.timeout = loginTimeout
	}
	text, err := readConfig(ctx, l.config)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("there is no %s: name the file with the grant of the server by --config", l.config)
	}
	if err == nil {
		err = in.grants.ReadFile(l.config, text)
	}
	if err != nil {
		return failInput(s, err)
	}
	patient, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	l.signIn.Show = func(address string) {
		fmt.Fprintf(s.err, "ptc: open this address in a browser, and log in:\n%s\n", address)
	}
	file, until, err := in.grants.LogIn(patient, in.rest[0], l.signIn)
	switch {
	case ctx.Err() != nil:
		return exitInterrupted
	case err != nil:
		report(s.err, err)
		return exitFailed
	}
	end := ""
	if !until.IsZero() {
		end = ", until " + until.Format(time.DateTime) + ": the issuer issues no refresh token"
	}
	fmt.Fprintf(s.err, "ptc: you are logged in; %s has the login%s\n", file, end)
	return exitOK
}
