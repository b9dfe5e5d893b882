// This file defines java.net.URL: the parts of an address. It connects to nothing.

package java

import (
	"strconv"
	"strings"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

// URL is the class of addresses. Its only slot is the text.
var URL = &value.JavaClass{Name: "java.net.URL", Data: true,
	Text: func(_ *value.Task, b *value.Buf, v value.Value) { b.WriteString(v.AsJava().Vals[0].AsString().S) },
	Hash: func(t *value.Task, v value.Value) int32 { return value.JavaHash(t, v.AsJava().Vals[0]) },
	Compare: func(_ *value.Task, a, b value.Value) int {
		return strings.Compare(a.AsJava().Vals[0].AsString().S, b.AsJava().Vals[0].AsString().S)
	}}

// protocols are those that Java has, with their ports.
var protocols = map[string]int64{"http": 80, "https": 443, "ftp": 21, "file": -1, "jar": -1, "mailto": -1}

// address has the parts of a URL. A part that is missing is nil.
type address struct {
	protocol, path               string
	authority, user, query, frag *string
	host                         string
	port                         int64
}

// splitURL returns the parts of an address, and Java's message if it is none.
func splitURL(s string) (a address, message string) {
	a.port = -1
	rest := ""
	var ok bool
	if a.protocol, rest, ok = strings.Cut(s, ":"); !ok || strings.ContainsAny(a.protocol, "/?#") || a.protocol == "" {
		return a, "no protocol: " + s
	}
	a.protocol = strings.ToLower(a.protocol)
	if _, known := protocols[a.protocol]; !known {
		return a, "unknown protocol: " + a.protocol
	}
	optional := func(text string, at int) (before string, after *string) {
		if at < 0 {
			return text, nil
		}
		part := text[at+1:]
		return text[:at], &part
	}
	rest, a.frag = optional(rest, strings.IndexByte(rest, '#'))
	rest, a.query = optional(rest, strings.IndexByte(rest, '?'))
	after, full := strings.CutPrefix(rest, "//")
	if !full {
		a.path = rest
		return a, ""
	}
	end := strings.IndexByte(after, '/')
	if end < 0 {
		end = len(after)
	}
	authority := after[:end]
	a.authority, a.path, a.host = &authority, after[end:], authority
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		user := authority[:at]
		a.user, a.host = &user, authority[at+1:]
	}
	if colon := strings.LastIndexByte(a.host, ':'); colon > strings.LastIndexByte(a.host, ']') {
		if port := a.host[colon+1:]; port != "" {
			n, err := strconv.ParseInt(port, 10, 32)
			if err != nil {
				return a, "Error at index 0 in: \"" + port + "\""
			} else if n < -1 {
				return a, "Invalid port number :" + port
			}
			a.port = n
		}
		a.host = a.host[:colon]
	}
	return a, ""
}

// file returns the path with the query.
func (a address) file() string {
	if a.query == nil {
		return a.path
	}
	return a.path + "?" + *a.query
}

// text returns the address as Java writes it: without slashes before an empty authority.
func (a address) text() string {
	s := a.protocol + ":"
	if a.authority != nil && *a.authority != "" {
		s += "//" + *a.authority
	}
	s += a.file()
	if a.frag != nil {
		s += "#" + *a.frag
	}
	return s
}

func urlParts(t *value.Task, v value.Value) address {
	s := v.AsJava().Vals[0].AsString().S
	uriBytes(t, s)
	a, _ := splitURL(s)
	return a
}

// newURL is the constructor: of a text, of one in the document of a URL, or of parts.
func newURL(t *value.Task, a []value.Value) value.Value {
	var s string
	switch {
	case len(a) == 1:
		s = strings.TrimSpace(uriText(t, a[0], "URL"))
	case len(a) == 2:
		s = uriText(t, a[1], "URL")
		if _, message := splitURL(s); message != "" && a[0].ClassIs(URL) {
			s = uriArg(t, t.JavaOf(URI, a[0].AsJava().Vals[0]), "URL").Resolve(uriArg(t, a[1], "URL")).Text
		}
	case len(a) == 3:
		s = uriText(t, a[0], "URL") + "://" + uriText(t, a[1], "URL") + uriText(t, a[2], "URL")
	default:
		s = uriText(t, a[0], "URL") + "://" + uriText(t, a[1], "URL") + ":" + strconv.FormatInt(value.ToInt(t, a[2]), 10) +
			uriText(t, a[3], "URL")
	}
	made, message := splitURL(s)
	if message != "" {
		t.FailClass("java.net.MalformedURLException", diag.IllegalArgument, "%s", message)
	}
	return t.JavaOf(URL, t.CopyString(made.text()))
}

func urlMethods() []methods {
	get := func(name, doc, example string, part func(t *value.Task, a address) value.Value) method {
		return method{name, "", entry.PerByte, doc, example, func(t *value.Task, a []value.Value) value.Value {
			return part(t, urlParts(t, a[0]))
		}}
	}
	text := func(name, what string, part func(a address) *string) method {
		doc, example := "", ""
		if what != "" {
			doc, example = "Returns the "+what+" of a URL.", "(."+name+` (java.net.URL. "http://a/b?c#d")) => `
			s := part(func() address { a, _ := splitURL("http://a/b?c#d"); return a }())
			example += strconv.Quote(*s)
		}
		return get(name, doc, example, func(t *value.Task, a address) value.Value {
			if s := part(a); s != nil {
				return t.CopyString(*s)
			}
			return value.Nil
		})
	}
	whole := func(t *value.Task, a []value.Value) value.Value { return a[0].AsJava().Vals[0] }
	return []methods{{[]*value.JavaClass{URL}, []method{
		text("getProtocol", "protocol", func(a address) *string { return &a.protocol }),
		text("getHost", "", func(a address) *string { return &a.host }),
		text("getPath", "", func(a address) *string { return &a.path }),
		text("getFile", "path and query", func(a address) *string { s := a.file(); return &s }),
		text("getQuery", "", func(a address) *string { return a.query }),
		text("getRef", "part after #", func(a address) *string { return a.frag }),
		text("getAuthority", "", func(a address) *string { return a.authority }),
		text("getUserInfo", "", func(a address) *string { return a.user }),
		get("getPort", "", "", func(_ *value.Task, a address) value.Value { return value.Int(a.port) }),
		get("getDefaultPort", "Returns the port of the protocol of a URL, -1 if it has none.",
			`(.getDefaultPort (java.net.URL. "https://a")) => 443`,
			func(_ *value.Task, a address) value.Value { return value.Int(protocols[a.protocol]) }),
		{"toExternalForm", "", entry.Constant, "Returns the text of a URL.",
			`(.toExternalForm (java.net.URL. "http://a/b")) => "http://a/b"`, whole},
		{"toURI", "", entry.PerByte, "Returns a URL as a URI.",
			`(str (.toURI (java.net.URL. "http://a/b"))) => "http://a/b"`, func(t *value.Task, a []value.Value) value.Value {
				return newURI(t, []value.Value{whole(t, a)})
			}},
	}}, {[]*value.JavaClass{URI}, []method{
		{"toURL", "", entry.PerByte, "Returns a URI as a URL.", `(str (.toURL (java.net.URI. "http://a/b"))) => "http://a/b"`,
			func(t *value.Task, a []value.Value) value.Value {
				return newURL(t, []value.Value{a[0].AsJava().Vals[0]})
			}},
	}}}
}

func urlStatics() []entry.Entry {
	return []entry.Entry{entry.StaticMethod("new", "URL", "s | context s | protocol host file | protocol host port file",
		entry.PerByte, "Returns the URL of a string, or of parts.", `(str (java.net.URL. "http://a/b")) => "http://a/b"`,
		newURL)}
}
