// This file defines java.net.URI.

package java

import (
	"errors"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/juri"
	"github.com/ptc-lang/ptc/lang/value"
)

// URI is the class of URIs. Its only slot is the text.
var URI = &value.JavaClass{Name: "java.net.URI", Data: true,
	Text: func(_ *value.Task, b *value.Buf, v value.Value) { b.WriteString(v.AsJava().Vals[0].AsString().S) },
	Hash: func(t *value.Task, v value.Value) int32 { return parsed(t, v).Hash() },
	Compare: func(t *value.Task, a, b value.Value) int {
		return parsed(t, a).Compare(parsed(t, b))
	}}

const syntaxException = "java.net.URISyntaxException"

// uriBytes charges the memory and the work of parsing a text.
func uriBytes(t *value.Task, s string) {
	n := int64(len(s))*8 + 1024
	t.Charge(n)
	t.Credit(n)
	t.Work(int64(len(s)) / 2)
}

// parsed returns the parts of a URI.
func parsed(t *value.Task, v value.Value) *juri.URI {
	s := v.AsJava().Vals[0].AsString().S
	uriBytes(t, s)
	u, err := juri.Parse(s)
	if err != nil {
		failURI(t, err)
	}
	return u
}

func failURI(t *value.Task, err error) {
	class := syntaxException
	if e := new(juri.Error); !errors.As(err, &e) {
		class = "java.lang.IllegalArgumentException"
	}
	t.FailClass(class, diag.IllegalArgument, "%s", err.Error())
}

func uriValue(t *value.Task, u *juri.URI) value.Value { return t.JavaOf(URI, t.CopyString(u.Text)) }

// uriArg returns the URI that an argument is, or that a string means.
func uriArg(t *value.Task, v value.Value, what string) *juri.URI {
	if v.ClassIs(URI) {
		return parsed(t, v)
	}
	u, err := juri.Parse(uriText(t, v, what))
	if err != nil {
		t.Fail(diag.IllegalArgument, "%s", err.Error())
	}
	return u
}

func uriText(t *value.Task, v value.Value, what string) string {
	s := entry.WantText(t, v, what)
	uriBytes(t, s)
	return s
}

// newURI is the constructor: of a text, or of parts.
func newURI(t *value.Task, a []value.Value) value.Value {
	if len(a) == 1 {
		u, err := juri.Parse(uriText(t, a[0], "URI"))
		if err != nil {
			failURI(t, err)
		}
		return t.JavaOf(URI, t.CopyString(u.Text))
	}
	text := func(i int) *string {
		if a[i].IsNil() {
			return nil
		}
		s := uriText(t, a[i], "URI")
		return &s
	}
	p := juri.Parts{Scheme: text(0), Fragment: text(len(a) - 1), Port: -1}
	switch len(a) {
	case 3:
		p.Specific = text(1)
	case 4:
		p.Host, p.Path = text(1), text(2)
	case 5:
		p.Authority, p.Path, p.Query = text(1), text(2), text(3)
	default:
		p.UserInfo, p.Host, p.Port, p.Path, p.Query = text(1), text(2), int(value.ToInt(t, a[3])), text(4), text(5)
	}
	u, err := juri.Make(p)
	if err != nil {
		failURI(t, err)
	}
	return uriValue(t, u)
}

func uriMethods() []methods {
	optional := func(t *value.Task, s *string, decoded bool) value.Value {
		switch {
		case s == nil:
			return value.Nil
		case decoded:
			return t.CopyString(juri.Decoded(*s))
		}
		return t.CopyString(*s)
	}
	get := func(name, what string, decoded bool, part func(u *juri.URI) *string) method {
		doc, example := "", ""
		if what != "" {
			doc, example = "Returns the "+what+" of a URI, nil if it has none.",
				"(."+name+` (java.net.URI. "mailto:a")) => nil`
			if name == "getRawSchemeSpecificPart" {
				example = "(." + name + ` (java.net.URI. "mailto:a")) => "a"`
			}
		}
		return method{name, "", entry.PerByte, doc, example, func(t *value.Task, a []value.Value) value.Value {
			return optional(t, part(parsed(t, a[0])), decoded)
		}}
	}
	specific := func(u *juri.URI) *string { s := u.SpecificPart(); return &s }
	path := func(u *juri.URI) *string { return u.Path }
	query := func(u *juri.URI) *string { return u.Query }
	fragment := func(u *juri.URI) *string { return u.Fragment }
	authority := func(u *juri.URI) *string { return u.Authority }
	user := func(u *juri.URI) *string { return u.UserInfo }
	scheme := get("getScheme", "", false, func(u *juri.URI) *string { return u.Scheme })
	scheme.doc, scheme.example = "Returns the scheme of a URI, nil if it has none.",
		`(.getScheme (java.net.URI. "http://a/b")) => "http"`
	ssp := get("getSchemeSpecificPart", "", true, specific)
	ssp.doc, ssp.example = "Returns the part of a URI between the scheme and the fragment.",
		`(.getSchemeSpecificPart (java.net.URI. "mailto:a@b")) => "a@b"`
	other := func(name, doc, example string, f func(u, v *juri.URI) *juri.URI) method {
		return method{name, "uri", entry.PerByte, doc, example, func(t *value.Task, a []value.Value) value.Value {
			return uriValue(t, f(parsed(t, a[0]), uriArg(t, a[1], name)))
		}}
	}
	return []methods{{[]*value.JavaClass{URI}, []method{
		scheme, ssp, get("getRawSchemeSpecificPart", "part after the scheme, as it is written,", false, specific),
		get("getHost", "host", false, func(u *juri.URI) *string { return u.Host }),
		get("getPath", "", true, path), get("getRawPath", "path, as it is written,", false, path),
		get("getQuery", "query", true, query), get("getRawQuery", "query, as it is written,", false, query),
		get("getFragment", "fragment", true, fragment), get("getRawFragment", "fragment, as it is written,", false, fragment),
		get("getAuthority", "authority", true, authority), get("getRawAuthority", "authority, as it is written,", false,
			authority),
		get("getUserInfo", "user info", true, user), get("getRawUserInfo", "user info, as it is written,", false, user),
		{"getPort", "", entry.PerByte, "Returns the port of a URI, -1 if it has none.",
			`(.getPort (java.net.URI. "http://a:80/")) => 80`, func(t *value.Task, a []value.Value) value.Value {
				return value.Int(int64(parsed(t, a[0]).Port))
			}},
		{"isAbsolute", "", entry.PerByte, "Returns true if a URI has a scheme, or if a file's name begins with /.", "",
			func(t *value.Task, a []value.Value) value.Value { return value.Bool(parsed(t, a[0]).Scheme != nil) }},
		{"isOpaque", "", entry.PerByte, "Returns true if the part after the scheme of a URI does not begin with /.",
			`(.isOpaque (java.net.URI. "mailto:a")) => true`, func(t *value.Task, a []value.Value) value.Value {
				return value.Bool(parsed(t, a[0]).Opaque != nil)
			}},
		other("resolve", "Returns the URI that another one means in the document of a URI.",
			`(str (.resolve (java.net.URI. "http://a/b/c") "../d")) => "http://a/d"`, (*juri.URI).Resolve),
		other("relativize", "Returns the URI that a URI resolves to another one.",
			`(str (.relativize (java.net.URI. "http://a/b/") (java.net.URI. "http://a/b/c"))) => "c"`, (*juri.URI).Relativize),
		{"normalize", "", entry.PerByte, "Returns a URI, or a date or path, without what is redundant in it.", "",
			func(t *value.Task, a []value.Value) value.Value { return uriValue(t, parsed(t, a[0]).Normalize()) }},
		{"toASCIIString", "", entry.PerByte, "Returns the text of a URI with other characters than ASCII's escaped.",
			`(.toASCIIString (java.net.URI. "é")) => "%C3%A9"`, func(t *value.Task, a []value.Value) value.Value {
				return t.CopyString(parsed(t, a[0]).ASCII())
			}},
	}}}
}

func uriStatics() []entry.Entry {
	return []entry.Entry{
		entry.StaticMethod("new", "URI", "s | scheme specific fragment | scheme host path fragment | "+
			"scheme authority path query fragment | scheme user host port path query fragment", entry.PerByte,
			"Returns the URI of a string, or of parts.", `(str (java.net.URI. "http://a/b")) => "http://a/b"`, newURI),
		entry.StaticMethod("URI", "create", "s", entry.PerByte, "Returns the URI of a string.",
			`(.getPath (java.net.URI/create "http://a/b")) => "/b"`, func(t *value.Task, a []value.Value) value.Value {
				return uriValue(t, uriArg(t, a[0], "URI/create"))
			}),
	}
}

// IsURI reports whether a value is a URI.
func IsURI(v value.Value) bool { return v.ClassIs(URI) }
