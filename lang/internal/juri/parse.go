// Package juri parses, resolves and writes URIs as java.net.URI does: by RFC 2396, with its deviations.
package juri

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// URI has the parts of a URI in their written form. A missing part is nil.
type URI struct {
	Text                      string
	Scheme, Fragment          *string
	Opaque                    *string // the part after the scheme, if it does not begin with /
	Authority, UserInfo, Host *string
	Port                      int // -1 if there is none
	Path, Query               *string
	specificFrom, specificTo  int
}

// Error is the error of a text that is no URI.
type Error struct {
	Input, Reason string
	Index         int
}

// Error returns the message of a URISyntaxException.
func (e *Error) Error() string {
	if e.Index < 0 {
		return e.Reason + ": " + e.Input
	}
	return fmt.Sprintf("%s at index %d: %s", e.Reason, e.Index, e.Input)
}

// The characters of the parts. Escapes and non-ASCII letters are allowed in all parts except the scheme.
const (
	letters    = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits     = "0123456789"
	unreserved = letters + digits + "_-!.~'()*"
	anyPart    = unreserved + ";/?:@&=+$,[]"
	pathPart   = unreserved + ":@&=+$,;/"
	registry   = unreserved + "$,;:@&=+"
	userPart   = unreserved + ";:&=+$,"
	server     = userPart + ".:@[]"
)

// parser is the state of Parse. The first error ends it.
type parser struct {
	s   string
	err *Error
}

func (p *parser) fail(reason string, at int) {
	if p.err == nil {
		p.err = &Error{p.s, reason, at}
	}
}

func (p *parser) at(i, n int, c byte) bool { return i < n && p.s[i] == c }

// until returns the index of the first of some characters, or n.
func (p *parser) until(i, n int, stop string) int {
	if k := strings.IndexAny(p.s[i:n], stop); k >= 0 {
		return i + k
	}
	return n
}

// scan returns the index of the first character that is not allowed, or n.
func (p *parser) scan(i, n int, allowed string) int {
	for i < n {
		r, size := utf8.DecodeRuneInString(p.s[i:n])
		switch {
		case r == '%':
			if i+2 >= n || !isHex(p.s[i+1]) || !isHex(p.s[i+2]) {
				p.fail("Malformed escape pair", i)
				return i
			}
			size = 3
		case r < utf8.RuneSelf && strings.IndexByte(allowed, byte(r)) < 0, r >= utf8.RuneSelf && !isOther(r):
			return i
		}
		i += size
	}
	return n
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|32 >= 'a' && c|32 <= 'f' }

// isOther reports whether a character beyond ASCII is allowed.
func isOther(r rune) bool {
	return r > 0x80 && !unicode.IsSpace(r) && !unicode.Is(unicode.Z, r) && (r < 0x7f || r > 0x9f)
}

// check fails if there is a character that is not allowed.
func (p *parser) check(i, n int, allowed, what string) string {
	if k := p.scan(i, n, allowed); k < n {
		p.fail("Illegal character in "+what, k)
	}
	return p.s[i:n]
}

// Parse returns the URI that a text is.
func Parse(s string) (*URI, error) {
	p := &parser{s: s}
	u := &URI{Text: s, Port: -1}
	n, i := len(s), 0
	if k := strings.IndexAny(s, ":/?#"); k >= 0 && s[k] == ':' {
		if k == 0 {
			p.fail("Expected scheme name", 0)
		} else if strings.IndexByte(letters, s[0]) < 0 {
			p.fail("Illegal character in scheme name", 0)
		}
		for j := range k {
			if strings.IndexByte(letters+digits+"+-.", s[j]) < 0 {
				p.fail("Illegal character in scheme name", j)
			}
		}
		u.Scheme, i = part(s[:k]), k+1
	}
	u.specificFrom = i
	if u.Scheme != nil && !p.at(i, n, '/') {
		end := p.until(i, n, "#")
		if end <= i {
			p.fail("Expected scheme-specific part", i)
		}
		u.Opaque = part(p.check(i, end, anyPart, "opaque part"))
		i = end
	} else {
		i = u.hierarchical(p, i, n)
	}
	u.specificTo = i
	if p.at(i, n, '#') {
		u.Fragment = part(p.check(i+1, n, anyPart, "fragment"))
	}
	if p.err != nil {
		return nil, p.err
	}
	return u, nil
}

func part(s string) *string { return &s }

func (u *URI) hierarchical(p *parser, i, n int) int {
	if p.at(i, n, '/') && p.at(i+1, n, '/') {
		i += 2
		end := p.until(i, n, "/?#")
		if end > i {
			u.authority(p, i, end)
		} else if end == n {
			p.fail("Expected authority", i)
		}
		i = end
	}
	end := p.until(i, n, "?#")
	u.Path = part(p.check(i, end, pathPart, "path"))
	if i = end; p.at(i, n, '?') {
		end = p.until(i+1, n, "#")
		u.Query = part(p.check(i+1, end, anyPart, "query"))
		i = end
	}
	return i
}

// authority parses a server, or else the name of a registry.
func (u *URI) authority(p *parser, i, n int) {
	u.Authority = part(p.s[i:n])
	allowed := server
	if strings.IndexByte(p.s[i:n], ']') > 0 {
		allowed += "%"
	}
	probe := &parser{s: p.s}
	isServer := probe.scan(i, n, allowed) == n
	isRegistry := p.scan(i, n, registry) == n
	if !isServer {
		if !isRegistry {
			p.fail("Illegal character in authority", p.scan(i, n, server))
		}
		return
	}
	probe.err = nil
	u.server(probe, i, n)
	if probe.err != nil {
		u.UserInfo, u.Host, u.Port = nil, nil, -1
		if !isRegistry {
			p.err = probe.err
		}
	}
}

func (u *URI) server(p *parser, i, n int) {
	if at := strings.IndexByte(p.s[i:n], '@'); at >= 0 {
		u.UserInfo = part(p.check(i, i+at, userPart, "user info"))
		i += at + 1
	}
	end := n
	if p.at(i, n, '[') {
		end = p.until(i, n, "]")
		if end == n || end == i+1 {
			p.fail("Expected closing bracket for IPv6 address", end)
			return
		}
		if !isIPv6(p.s[i+1 : end]) {
			p.fail("Malformed IPv6 address", i+1)
		}
		end++
	} else {
		end = p.until(i, n, ":")
		p.hostname(i, end)
	}
	u.Host = part(p.s[i:end])
	if i = end; p.at(i, n, ':') {
		i++
		for j := i; j < n; j++ {
			if p.s[j] < '0' || p.s[j] > '9' {
				p.fail("Illegal character in port number", j)
			}
		}
		if i < n {
			port, err := strconv.ParseInt(p.s[i:n], 10, 32)
			if err != nil {
				p.fail("Malformed port number", i)
			}
			u.Port, i = int(port), n
		}
	}
	if i < n {
		p.fail("Expected port number", i)
	}
}

// hostname checks the name of a host: labels of letters, digits and inner hyphens, the last of which begins
// with a letter; or an IPv4 address.
func (p *parser) hostname(i, n int) {
	name := p.s[i:n]
	if name == "" {
		p.fail("Expected hostname", i)
		return
	}
	labels := strings.Split(name, ".")
	if len(labels) == 4 && isIPv4(labels) {
		return
	}
	if labels[len(labels)-1] == "" && len(labels) > 1 {
		labels = labels[:len(labels)-1]
	}
	for k, l := range labels {
		if l == "" || strings.Trim(l, letters+digits+"-") != "" || l[0] == '-' || l[len(l)-1] == '-' ||
			k == len(labels)-1 && k > 0 && strings.IndexByte(letters, l[0]) < 0 {
			p.fail("Illegal character in hostname", i)
		}
		i += len(l) + 1
	}
}

func isIPv4(labels []string) bool {
	for _, l := range labels {
		if n, err := strconv.ParseUint(l, 10, 8); err != nil || n > 255 {
			return false
		}
	}
	return true
}

// isIPv6 reports whether a text can be an address of IPv6, with a zone.
func isIPv6(s string) bool {
	s, _, _ = strings.Cut(s, "%")
	groups := strings.Split(s, ":")
	if len(groups) < 3 || len(groups) > 9 || strings.Count(s, "::") > 1 || len(groups) < 8 && !strings.Contains(s, "::") {
		return false
	}
	for i, g := range groups {
		if i == len(groups)-1 && strings.Contains(g, ".") {
			return isIPv4(strings.Split(g, "."))
		}
		if len(g) > 4 || strings.Trim(strings.ToLower(g), "0123456789abcdef") != "" {
			return false
		}
	}
	return true
}

// SpecificPart returns the part between the scheme and the fragment.
func (u *URI) SpecificPart() string { return u.Text[u.specificFrom:u.specificTo] }

// Decoded returns a part without its escapes. Bytes that are not UTF-8 become replacement characters.
func Decoded(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			n, _ := strconv.ParseUint(s[i+1:i+3], 16, 8) // two hexadecimal digits, as Parse has checked
			b = append(b, byte(n))
			i += 2
		} else {
			b = append(b, s[i])
		}
	}
	return strings.ToValidUTF8(string(b), "\ufffd")
}
