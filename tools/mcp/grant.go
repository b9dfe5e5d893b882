// This file defines the grant.

package mcp

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/tools/internal/headers"
)

// Grant names the servers. The zero value grants none.
type Grant struct {
	Servers []Server
	// Timeout bounds a call of servers that have no timeout of their own; tool.DefaultTimeout if 0.
	Timeout time.Duration
	// Connect bounds the time until a server has answered with its tools; DefaultConnect if 0.
	Connect time.Duration
	// Shapes is a folder for the learned shapes of results; "" keeps them only in memory.
	Shapes string
	// Log gets the standard error of servers, the tools that are refused, and results of a new shape; optional.
	Log *slog.Logger
	// Roots are the certificate authorities that are trusted; those of the system if nil.
	Roots *x509.CertPool

	// probe returns the context of the first attempt of a connection; halfOf, but in tests.
	probe func(ctx context.Context) (context.Context, context.CancelFunc)
}

// Server is a server that is granted: a command, or a URL.
type Server struct {
	Name string // of the tools, before the dot

	Command string
	Args    []string
	Env     map[string]string // besides PATH and HOME
	Dir     string            // where the command runs; the host's own working directory if ""

	URL    string
	Header http.Header // that each request has
	// TokenFile has the bearer token of requests. It is read for each one, so that another program can replace it.
	TokenFile string
	// Login gets the bearer token from an authorization server; optional.
	Login *Login
	// SSE reports that the server of the URL has the transport of the revision 2024-11-05. Without it, that is tried
	// after the current one.
	SSE bool

	Timeout     time.Duration           // of a call; the Timeout of the grant if 0
	Concurrency int                     // concurrent calls; DefaultConcurrency if 0
	Classes     map[string]effect.Class // of tools, instead of their annotations; "*" is every tool that is not named
	Secrets     []string                // in addition to the ones that Credentials finds
}

// The defaults of a grant.
const (
	DefaultConnect     = 30 * time.Second
	DefaultConcurrency = 16
)

// maxServerName bounds the name of a server: the name of a tool follows.
const maxServerName = 32

// Names returns the tools of this package that have the same name with every grant: none.
func Names() map[string]string { return map[string]string{} }

// ParseServer reads NAME=COMMAND or NAME=URL. The words of a command are separated by spaces; quotes and backslashes
// work as in a shell. A command and its relative path are relative to base, or to the working directory if that is "".
func ParseServer(text, base string) (Server, error) {
	const want = "want NAME=COMMAND or NAME=https://…"
	name, to, found := strings.Cut(text, "=")
	to = strings.TrimSpace(to)
	if !found || to == "" {
		return Server{}, errors.New(want)
	}
	s := Server{Name: name}
	if strings.HasPrefix(to, "https://") || strings.HasPrefix(to, "http://") {
		s.URL = to
		return s, s.Check()
	}
	words, err := words(to)
	if err != nil {
		return Server{}, err
	}
	if len(words) == 0 || words[0] == "" {
		return Server{}, errors.New(want)
	}
	s.Command, s.Args = words[0], words[1:]
	s.In(base)
	return s, s.Check()
}

// In makes the paths of the server, which are relative to base, those of the working directory.
func (s *Server) In(base string) {
	if base == "" {
		return
	}
	if strings.ContainsRune(filepath.ToSlash(s.Command), '/') && !filepath.IsAbs(s.Command) {
		s.Command = filepath.Join(base, s.Command)
		if !filepath.IsAbs(s.Command) { // or exec would search PATH for it
			s.Command = "." + string(filepath.Separator) + s.Command
		}
	}
	files := []*string{&s.Dir, &s.TokenFile}
	if s.Login != nil {
		files = append(files, &s.Login.SecretFile, &s.Login.File)
	}
	for _, name := range files {
		if *name != "" && !filepath.IsAbs(*name) {
			*name = filepath.Join(base, *name)
		}
	}
}

// words splits a command line, without variables and patterns.
func words(line string) (all []string, err error) {
	var word strings.Builder
	var quote rune
	inside, escaped := false, false
	for _, c := range line {
		switch {
		case escaped:
			if quote == '"' && c != '"' && c != '\\' {
				word.WriteRune('\\')
			}
			word.WriteRune(c)
			escaped = false
		case c == '\\' && quote != '\'':
			escaped, inside = true, true
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '\'' || c == '"':
			quote, inside = c, true
		case c == ' ' || c == '\t' || c == '\n':
			if inside {
				all = append(all, word.String())
				word.Reset()
			}
			inside = false
		default:
			word.WriteRune(c)
			inside = true
		}
	}
	if quote != 0 || escaped {
		return nil, errors.New("a quote is not closed, or nothing follows a backslash")
	}
	if inside {
		all = append(all, word.String())
	}
	return all, nil
}

// Check returns an error if the declaration of the server makes no sense.
func (s *Server) Check() error {
	if !validPart(s.Name) || len(s.Name) > maxServerName || !isLetter(s.Name[0]) {
		return fmt.Errorf("got the name %.40q, want letters, digits, - and _, the first a letter, up to %d characters",
			s.Name, maxServerName)
	}
	if (s.Command == "") == (s.URL == "") {
		return fmt.Errorf("the server %s: want a command or a url, and not both", s.Name)
	}
	if s.Timeout < 0 || s.Concurrency < 0 {
		return fmt.Errorf("the server %s: got timeout %v and concurrency %d, want none below 0", s.Name, s.Timeout,
			s.Concurrency)
	}
	if s.URL == "" {
		if s.TokenFile != "" || s.Login != nil {
			return fmt.Errorf("the server %s: a token file and oauth are for a url: give a command its token in a variable",
				s.Name)
		}
		return nil
	}
	if err := s.checkLogin(); err != nil {
		return fmt.Errorf("the server %s: %w", s.Name, err)
	}
	u, err := url.Parse(s.URL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return fmt.Errorf("the server %s: want a url such as https://tools.example.com/mcp", s.Name)
	}
	return nil
}

// validPart reports whether a part of the name of a tool has only letters, digits, - and _.
func validPart(name string) bool {
	return name != "" && strings.IndexFunc(name, func(r rune) bool {
		return r > 'z' || !isLetter(byte(r)) && (r < '0' || r > '9') && r != '-' && r != '_'
	}) < 0
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// secretNames are parts of the names of variables whose values are secrets.
var secretNames = []string{"AUTH", "CREDENTIAL", "KEY", "PASS", "PRIVATE", "SECRET", "TOKEN"}

// Credentials returns the secrets of the server that do not change: those in its headers, that of its login, those in
// variables whose names say so, the password and the parameters of its URL, and its Secrets.
func (s *Server) Credentials() []string {
	all := append(headers.Secrets(s.Header), s.Secrets...)
	if s.Login != nil {
		all = append(all, s.Login.Secret)
	}
	for name, value := range s.Env {
		in := func(part string) bool { return strings.Contains(strings.ToUpper(name), part) }
		if slices.ContainsFunc(secretNames, in) {
			all = append(all, value)
		}
	}
	if u, err := url.Parse(s.URL); err == nil {
		if password, ok := u.User.Password(); ok {
			all = append(all, password)
		}
		for _, values := range u.Query() {
			all = append(all, values...)
		}
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(text string) bool { return text == "" })
}

// SecretFiles returns the files with a secret of the server.
func (s *Server) SecretFiles() (all []string) {
	if s.TokenFile != "" {
		all = append(all, s.TokenFile)
	}
	if s.Login != nil && s.Login.SecretFile != "" {
		all = append(all, s.Login.SecretFile)
	}
	if s.Login != nil && s.Login.File != "" {
		all = append(all, s.Login.File, s.Login.File+".lock")
	}
	return all
}

// shown returns the command or the URL of the server for a message.
func (s *Server) shown() string {
	if s.Command != "" {
		return s.Command
	}
	return shownURL(s.URL)
}

// shownURL returns a URL without the parts that may be secret.
func shownURL(text string) string {
	if u, err := url.Parse(text); err == nil {
		return u.Scheme + "://" + u.Host + u.Path
	}
	return "its url"
}

// timeout returns the bound of a call.
func (g *Grant) timeout(s *Server) time.Duration {
	switch {
	case s.Timeout > 0:
		return s.Timeout
	case g.Timeout > 0:
		return g.Timeout
	}
	return tool.DefaultTimeout
}
