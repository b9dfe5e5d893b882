// This file defines which hosts are granted, and how they are written.

package ssh

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/runtime/tool"
)

// target is the address of a host, with the data of its connection.
type target struct {
	user, host, port string
}

func (t target) address() string { return joinPort(t.host, t.port) }

func joinPort(host, port string) string {
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + port
}

// pattern is a pattern of a grant.
type pattern struct {
	user string
	host *regexp.Regexp
	port string
}

const defaultPort = "22"

func parsePatterns(texts []string, user string) ([]pattern, error) {
	var all []pattern
	for _, text := range texts {
		p := pattern{user: user}
		rest := text
		if u, host, ok := strings.Cut(text, "@"); ok {
			p.user, rest = u, host
		}
		host, port, ok := splitPort(rest)
		if !ok || p.user == "" || host == "" || strings.ContainsAny(host, "/@ \t,") {
			return nil, fmt.Errorf("ssh: got the host %q, want [USER@]HOST[:PORT], in which * matches any characters of HOST",
				text)
		}
		expr := strings.ReplaceAll(regexp.QuoteMeta(strings.ToLower(host)), `\*`, `.*`)
		p.host, p.port = regexp.MustCompile("^"+expr+"$"), port
		all = append(all, p)
	}
	return all, nil
}

// splitPort takes apart host, host:port, [v6] and [v6]:port.
func splitPort(text string) (host, port string, ok bool) {
	host, port = text, defaultPort
	if rest, isV6 := strings.CutPrefix(text, "["); isV6 {
		var after string
		if host, after, ok = strings.Cut(rest, "]"); !ok {
			return "", "", false
		}
		if after == "" {
			return host, port, true
		}
		if port, ok = strings.CutPrefix(after, ":"); !ok {
			return "", "", false
		}
	} else if i := strings.LastIndexByte(text, ':'); i >= 0 {
		if host, port = text[:i], text[i+1:]; strings.Contains(host, ":") {
			return "", "", false // an address of IPv6 without brackets
		}
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return host, port, err == nil && n > 0
}

// resolve finds the host that a program names.
func (h *Hosts) resolve(name string) (target, error) {
	host, port, ok := splitPort(name)
	canonical := strings.ToLower(host)
	if port != defaultPort {
		canonical = joinPort(canonical, port)
	} else if strings.Contains(host, ":") {
		canonical = "[" + canonical + "]"
	}
	switch {
	case !ok || host == "" || strings.ContainsAny(name, "@*/, \t\r\n\x00"):
		return target{}, &tool.Error{Code: CodeBadArgument,
			Message: "got the host " + strconv.Quote(name) + ", want a name or address, with :PORT if that is not 22"}
	case name != canonical:
		return target{}, &tool.Error{Code: CodeBadArgument,
			Message: "got the host " + strconv.Quote(name) + ", want " + strconv.Quote(canonical) + ": a host goes by one name"}
	}
	for _, p := range h.patterns {
		if p.port == port && p.host.MatchString(host) {
			return target{p.user, host, port}, nil
		}
	}
	return target{}, &tool.Error{Code: CodeNotGranted,
		Message: "got the host " + strconv.Quote(name) + ", want one that is granted: " + strings.Join(h.grant.Hosts, ", ")}
}
