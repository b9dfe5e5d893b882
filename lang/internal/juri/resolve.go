// This file defines how URIs are resolved, compared and made of parts.

package juri

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// text writes the URI of the parts that u has.
func (u *URI) text() string {
	var b strings.Builder
	if u.Scheme != nil {
		b.WriteString(*u.Scheme + ":")
	}
	if u.Opaque != nil {
		b.WriteString(*u.Opaque)
	} else {
		if u.Authority != nil {
			b.WriteString("//" + *u.Authority)
		}
		if u.Path != nil {
			b.WriteString(*u.Path)
		}
		if u.Query != nil {
			b.WriteString("?" + *u.Query)
		}
	}
	if u.Fragment != nil {
		b.WriteString("#" + *u.Fragment)
	}
	return b.String()
}

// remade returns u with the text of its parts.
func (u URI) remade() *URI {
	text := u.text()
	if made, err := Parse(text); err == nil {
		return made
	}
	u.Text = text
	u.specificFrom, u.specificTo = 0, len(text)
	return &u
}

// Resolve returns the URI that child means in a document at u.
func (u *URI) Resolve(child *URI) *URI {
	switch {
	case child.Opaque != nil || u.Opaque != nil || child.Scheme != nil:
		return child
	case child.Authority == nil && *child.Path == "" && child.Fragment != nil && child.Query == nil:
		made := *u
		made.Fragment = child.Fragment
		return made.remade()
	}
	made := URI{Scheme: u.Scheme, Authority: child.Authority, Path: child.Path, Query: child.Query,
		Fragment: child.Fragment, Port: -1}
	if child.Authority == nil {
		made.Authority = u.Authority
		if strings.HasPrefix(*child.Path, "/") {
			made.Path = child.Path
		} else {
			made.Path = part(resolvedPath(*u.Path, *child.Path, u.Scheme != nil))
		}
	}
	return made.remade()
}

func resolvedPath(base, child string, absolute bool) string {
	i := strings.LastIndexByte(base, '/')
	path := ""
	switch {
	case i >= 0 || child != "" && !absolute:
		path = base[:i+1] + child
	case child != "":
		path = "/" + child
	}
	return normal(path)
}

// Normalize returns u without the . and .. segments of its path that can be removed.
func (u *URI) Normalize() *URI {
	if u.Opaque != nil || *u.Path == "" {
		return u
	}
	path := normal(*u.Path)
	if path == *u.Path {
		return u
	}
	made := *u
	made.Path = &path
	return made.remade()
}

// normal removes the segments . and .. of a path, except .. at its beginning.
func normal(path string) string {
	if !strings.Contains(path, "//") && !strings.Contains("/"+path+"/", "/./") && !strings.Contains("/"+path+"/", "/../") {
		return path
	}
	rooted := strings.HasPrefix(path, "/")
	var kept []string
	segments := strings.Split(path, "/")
	end := segments[len(segments)-1]
	for _, s := range segments {
		switch {
		case s == "" || s == ".":
		case s == ".." && len(kept) > 0 && kept[len(kept)-1] != "..":
			kept = kept[:len(kept)-1]
		default:
			kept = append(kept, s)
		}
	}
	made := strings.Join(kept, "/")
	if (end == "" || end == "." || end == ".." && !(len(kept) > 0 && kept[len(kept)-1] == "..")) && made != "" {
		made += "/"
	}
	if rooted {
		return "/" + made
	}
	if first, _, _ := strings.Cut(made, "/"); strings.Contains(first, ":") {
		made = "./" + made
	}
	return made
}

// Relativize returns the URI from which u resolves child, or child.
func (u *URI) Relativize(child *URI) *URI {
	if child.Opaque != nil || u.Opaque != nil || compareFold(u.Scheme, child.Scheme) != 0 ||
		compare(u.Authority, child.Authority) != 0 {
		return child
	}
	base, path := normal(*u.Path), normal(*child.Path)
	if base != path {
		if !strings.HasSuffix(base, "/") {
			base += "/"
		}
		if !strings.HasPrefix(path, base) {
			return child
		}
	}
	return URI{Path: part(path[len(base):]), Query: child.Query, Fragment: child.Fragment, Port: -1}.remade()
}

// compare compares parts; a part that is missing is less than all others.
func compare(a, b *string) int {
	switch {
	case a == nil || b == nil:
		return cmp.Compare(btoi(a != nil), btoi(b != nil))
	}
	return compareUTF16(*a, *b)
}

// compareUTF16 is String.compareTo: the difference of the first units that differ, or of the lengths.
func compareUTF16(a, b string) int {
	x, y := utf16.Encode([]rune(a)), utf16.Encode([]rune(b))
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return int(x[i]) - int(y[i])
		}
	}
	return len(x) - len(y)
}

func compareFold(a, b *string) int {
	if a == nil || b == nil {
		return compare(a, b)
	}
	return compareUTF16(strings.ToLower(*a), strings.ToLower(*b))
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Compare compares as compareTo does.
func (u *URI) Compare(v *URI) int {
	if c := compareFold(u.Scheme, v.Scheme); c != 0 {
		return c
	}
	switch {
	case u.Opaque != nil && v.Opaque != nil:
		return cmp.Or(compare(u.Opaque, v.Opaque), compare(u.Fragment, v.Fragment))
	case u.Opaque != nil:
		return 1
	case v.Opaque != nil:
		return -1
	}
	c := compare(u.Authority, v.Authority)
	if u.Host != nil && v.Host != nil {
		c = cmp.Or(compare(u.UserInfo, v.UserInfo), compareFold(u.Host, v.Host), u.Port-v.Port)
	}
	return cmp.Or(c, compare(u.Path, v.Path), compare(u.Query, v.Query), compare(u.Fragment, v.Fragment))
}

// Hash returns the result of hashCode.
func (u *URI) Hash() int32 {
	h := hashFold(0, u.Scheme)
	h = hashPart(h, u.Fragment)
	if u.Opaque != nil {
		return hashPart(h, u.Opaque)
	}
	h = hashPart(hashPart(h, u.Path), u.Query)
	if u.Host == nil {
		return hashPart(h, u.Authority)
	}
	return hashFold(hashPart(h, u.UserInfo), u.Host) + 1949*int32(u.Port)
}

func hashPart(h int32, s *string) int32 {
	if s == nil {
		return h
	}
	var own int32
	escaped := 0
	for _, c := range utf16.Encode([]rune(*s)) {
		if escaped > 0 && c >= 'a' && c <= 'f' {
			c -= 'a' - 'A'
		}
		escaped--
		if c == '%' {
			escaped = 2
		}
		own = 31*own + int32(c)
	}
	return h*127 + own
}

func hashFold(h int32, s *string) int32 {
	if s == nil {
		return h
	}
	for _, c := range utf16.Encode([]rune(*s)) {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		h = 31*h + int32(c)
	}
	return h
}

// Parts are the arguments of a constructor; a part that is missing is nil.
type Parts struct {
	Scheme, Specific, Authority, UserInfo, Host, Path, Query, Fragment *string
	Port                                                               int
}

// Make returns the URI of parts, whose characters are escaped where they must be.
func Make(p Parts) (*URI, error) {
	var b strings.Builder
	if p.Scheme != nil {
		b.WriteString(*p.Scheme + ":")
	}
	if p.Specific != nil {
		b.WriteString(quoted(*p.Specific, anyPart))
	} else {
		if p.Host != nil {
			b.WriteString("//")
			if p.UserInfo != nil {
				b.WriteString(quoted(*p.UserInfo, userPart) + "@")
			}
			if strings.Contains(*p.Host, ":") && !strings.HasPrefix(*p.Host, "[") {
				b.WriteString("[" + *p.Host + "]")
			} else {
				b.WriteString(*p.Host)
			}
			if p.Port >= 0 {
				b.WriteString(":" + strconv.Itoa(p.Port))
			}
		} else if p.Authority != nil {
			b.WriteString("//" + quoted(*p.Authority, registry+"[]"))
		}
		if p.Path != nil {
			b.WriteString(quoted(*p.Path, pathPart))
		}
		if p.Query != nil {
			b.WriteString("?" + quoted(*p.Query, anyPart))
		}
	}
	if p.Fragment != nil {
		b.WriteString("#" + quoted(*p.Fragment, anyPart))
	}
	if p.Scheme != nil && p.Specific == nil && p.Path != nil && *p.Path != "" && !strings.HasPrefix(*p.Path, "/") {
		return nil, &Error{b.String(), "Relative path in absolute URI", -1}
	}
	return Parse(b.String())
}

// quoted escapes the characters that a part must not have, and %.
func quoted(s, allowed string) string {
	var b strings.Builder
	for _, r := range s {
		if r < utf8.RuneSelf && strings.IndexByte(allowed, byte(r)) >= 0 || isOther(r) {
			b.WriteRune(r)
			continue
		}
		escape(&b, r)
	}
	return b.String()
}

func escape(b *strings.Builder, r rune) {
	for _, c := range []byte(string(r)) {
		fmt.Fprintf(b, "%%%02X", c)
	}
}

// ASCII returns the text with other characters escaped.
func (u *URI) ASCII() string {
	var b strings.Builder
	for _, r := range u.Text {
		if r < utf8.RuneSelf {
			b.WriteByte(byte(r))
		} else {
			escape(&b, r)
		}
	}
	return b.String()
}
