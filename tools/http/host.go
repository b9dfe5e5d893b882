// This file defines which requests are granted.

package http

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// methods are the methods that a request may have.
var methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}

var errHost = errors.New("want HOST[:PORT][=METHOD,…] such as api.example.com, *.example.com:8443, " +
	"api.example.com=GET,POST or api.example.com=GET,rate=10")

// ParseHost reads HOST[:PORT][=METHOD,…,rate=N], as a flag has it.
func ParseHost(text string) (Host, error) {
	var h Host
	name, list, limited := strings.Cut(text, "=")
	if limited {
		for m := range strings.SplitSeq(strings.ToUpper(list), ",") {
			m = strings.TrimSpace(m)
			if rate, ok := strings.CutPrefix(m, "RATE="); ok {
				n, err := strconv.ParseFloat(rate, 64)
				if err != nil || !(n >= effect.MinPerSecond && n <= effect.MaxPerSecond) {
					return Host{}, fmt.Errorf("got the rate %q, want requests a second such as rate=10 or rate=0.5", rate)
				}
				h.PerSecond = n
				continue
			}
			h.Methods = append(h.Methods, m)
		}
	}
	if strings.Contains(name, "/") {
		return Host{}, fmt.Errorf("got %q, which looks like a URL; %w", name, errHost)
	}
	h.Name = name
	if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil {
		h.Name = strings.Trim(name, "[]")
	} else if host, port, ok := strings.Cut(name, ":"); ok {
		if strings.Contains(port, ":") { // [::1]:8080
			if host, port, err = net.SplitHostPort(name); err != nil {
				return Host{}, errHost
			}
		}
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return Host{}, fmt.Errorf("got the port %q; %w", port, errHost)
		}
		h.Name, h.Port = host, uint16(n)
	}
	return h, h.check()
}

// hostName returns the name of a host in the one form in which grants, requests and the dialler have it:
// an address as netip writes it, of version 4 if possible; any other name in lower case and without a final
// dot. Other forms of addresses (0x7f.1, 2130706433), which some resolvers accept, and names that no name
// server can have are errors.
func hostName(text string) (string, error) {
	if addr, err := netip.ParseAddr(text); err == nil {
		return addr.Unmap().String(), nil
	}
	name := strings.ToLower(strings.TrimSuffix(text, "."))
	if _, err := netip.ParseAddr(name); err == nil {
		return hostName(name)
	}
	switch {
	case name == "":
		return "", errors.New("it has no host")
	case strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.')
	}):
		return "", errors.New("want the name of the host in ASCII (xn--…)")
	case slices.Contains(strings.Split(name, "."), ""):
		return "", errors.New("a part of the name of the host is empty")
	case numeric(name[strings.LastIndexByte(name, '.')+1:]):
		return "", errors.New("want an address as four decimal numbers, such as 192.0.2.1")
	}
	return name, nil
}

// numeric reports whether the last part of a name makes it an address for those who read addresses as C does.
func numeric(label string) bool {
	digits, hex := strings.CutPrefix(label, "0x")
	return !strings.ContainsFunc(digits, func(r rune) bool {
		return !(r >= '0' && r <= '9' || hex && r >= 'a' && r <= 'f')
	})
}

// check returns an error if a host is invalid, and normalises it.
func (h *Host) check() error {
	domain, wild := strings.CutPrefix(h.Name, "*.")
	name, err := hostName(domain)
	if err != nil {
		return fmt.Errorf("got the host %q: %w; %w", h.Name, err, errHost)
	}
	if h.Name = name; wild {
		if _, err := netip.ParseAddr(name); err == nil {
			return fmt.Errorf("got the host *.%s: an address has no subdomains; %w", name, errHost)
		}
		h.Name = "*." + name
	}
	for _, m := range h.Methods {
		if !slices.Contains(methods, m) {
			return fmt.Errorf("got the method %q, want some of %s", m, strings.Join(methods, ", "))
		}
	}
	return nil
}

// matches reports whether a host is granted by its name and port.
func (h *Host) matches(name, scheme string, port uint16) bool {
	if h.Port != port && (h.Port != 0 || port != usualPort(scheme)) {
		return false
	}
	if domain, ok := strings.CutPrefix(h.Name, "*"); ok {
		return strings.HasSuffix(name, domain) && len(name) > len(domain)
	}
	return name == h.Name
}

func usualPort(scheme string) uint16 {
	if scheme == "https" {
		return 443
	}
	return 80
}

// target is where a request goes.
type target struct {
	name string // of the host, in its usual form
	port uint16
}

// targetOf returns where a URL leads.
func targetOf(u *url.URL) (target, error) {
	var t target
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return t, badURL(u, "want one that begins with https:// or http://")
	case u.User != nil:
		return t, badURL(u, "want no user or password in it; a header says who asks, such as :headers {:authorization …}")
	}
	name, err := hostName(u.Hostname())
	if err != nil {
		return t, badURL(u, err.Error())
	}
	t.name = name
	t.port = usualPort(u.Scheme)
	if text := u.Port(); text != "" {
		n, err := strconv.ParseUint(text, 10, 16)
		if err != nil || n == 0 {
			return t, badURL(u, "want a port from 1 to 65535")
		}
		t.port = uint16(n)
	}
	return t, nil
}

// host returns the host as a URL has it.
func (t target) host(scheme string) string {
	if t.port == usualPort(scheme) {
		if strings.Contains(t.name, ":") {
			return "[" + t.name + "]"
		}
		return t.name
	}
	return net.JoinHostPort(t.name, strconv.Itoa(int(t.port)))
}

// shown returns the host as programs and operators write it.
func (t target) shown(scheme string) string {
	if t.port == usualPort(scheme) {
		return t.name
	}
	return net.JoinHostPort(t.name, strconv.Itoa(int(t.port)))
}

// rateOf returns the rate limit of a call, whose key is the host: the rate of the grant, or else only the
// key, so that a "retry after" of the service applies to all calls that a program makes under rate-limited.
func (c *client) rateOf(args json.RawMessage) effect.Hint {
	var in struct {
		URL string `json:"url"`
	}
	if json.Unmarshal(args, &in) != nil {
		return effect.Hint{}
	}
	u, err := url.Parse(in.URL)
	if err != nil {
		return effect.Hint{}
	}
	t, err := targetOf(u)
	if err != nil {
		return effect.Hint{}
	}
	rate := effect.Hint{Kind: effect.RateLimited, Key: t.shown(u.Scheme)}
	for _, h := range c.hosts {
		if h.PerSecond > 0 && h.matches(t.name, u.Scheme, t.port) {
			rate.PerSecond, rate.Burst = h.PerSecond, int(max(1, math.Ceil(min(h.PerSecond, effect.MaxBurst)/10)))
			break
		}
	}
	return rate
}

// maxURL bounds the print of a URL.
const maxURL = 200

func badURL(u *url.URL, want string) error {
	return &tool.Error{Code: "bad-url", Message: fmt.Sprintf("got the URL %s, %s", shownURL(u), want)}
}

// shownURL prints a URL for a message: without its query, where secrets may be.
func shownURL(u *url.URL) string {
	shown := *u
	shown.User, shown.RawQuery, shown.Fragment = nil, "", ""
	text := shown.String()
	if len(text) > maxURL {
		text = strings.ToValidUTF8(text[:maxURL], "") + "…"
	}
	return text
}

// grant returns the host that grants a request.
func (c *client) grant(method string, u *url.URL) (*Host, target, error) {
	t, err := targetOf(u)
	if err != nil {
		return nil, t, err
	}
	var known *Host
	for i := range c.hosts {
		h := &c.hosts[i]
		if !h.matches(t.name, u.Scheme, t.port) {
			continue
		}
		known = h
		if len(h.Methods) == 0 || slices.Contains(h.Methods, method) {
			return h, t, nil
		}
	}
	name := t.shown(u.Scheme)
	if known != nil {
		return nil, t, &tool.Error{Code: "refused", Message: fmt.Sprintf("%s is not granted for %s, only %s; grant it "+
			"with --allow-http %s=%s",
			method, name, strings.Join(known.Methods, ", "), name, method)}
	}
	return nil, t, &tool.Error{Code: "refused", Message: fmt.Sprintf("the host %s is not granted, only %s; grant it "+
		"with --allow-http %s", name, c.granted(), name)}
}

// maxGranted is how many hosts a message names.
const maxGranted = 10

func (c *client) granted() string {
	var names []string
	for i, h := range c.hosts {
		if i == maxGranted {
			names = append(names, "…")
			break
		}
		if h.Port != 0 {
			h.Name = net.JoinHostPort(h.Name, strconv.Itoa(int(h.Port)))
		}
		names = append(names, h.Name)
	}
	return strings.Join(names, ", ")
}
