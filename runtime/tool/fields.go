// This file defines the descriptions of fields, which the documentation of a tool shows beside its signature.

package tool

import (
	"encoding/json"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/secret"
)

// The bounds of the descriptions of fields.
const (
	maxFields    = 40  // of a tool
	maxFieldText = 160 // bytes of the description of one
	fieldDepth   = 4   // levels of objects and arrays
)

// formats are the formats of strings, in words.
var formats = map[string]string{
	"date-time": "ISO 8601, such as 2026-01-31T09:30:00Z", "date": "such as 2026-01-31", "time": "such as 09:30:00Z",
	"duration": "ISO 8601, such as PT15M", "uri": "a URL", "email": "an e-mail address", "uuid": "a UUID",
	"ipv4": "an IPv4 address", "ipv6": "an IPv6 address", "hostname": "a host name",
}

// Fields returns a line for each field of the arguments, and then of the result, about which its schema says more than
// the signature shows: bounds, a default, a format, a description.
//
//	:limit at most 50, default 20: how many products to return
//	-> :created_at ISO 8601, such as 2026-01-31T09:30:00Z
//
// A path leads to a field of a field. There are at most 40 lines, and descriptions are cut after 160 bytes. Those of
// tools that are declared with Brief are quoted.
func (t *Tool) Fields() []string {
	x := &fieldLister{tool: t}
	for _, s := range []*Schema{t.args, t.result} {
		if s != nil && s.root != nil {
			x.root, x.seen = s.root, make(map[*jsonschema.Schema]bool)
			x.list(s.root, nil, 0)
		}
		x.prefix = "-> "
	}
	return x.lines
}

// fieldLister collects the lines of Fields.
type fieldLister struct {
	tool   *Tool
	root   *jsonschema.Schema
	prefix string
	lines  []string
	seen   map[*jsonschema.Schema]bool // that it is inside of
}

// list enters the fields of a schema.
func (x *fieldLister) list(s *jsonschema.Schema, path []string, depth int) {
	if s = deref(x.root, s); s == nil || depth > fieldDepth || x.seen[s] {
		return
	}
	x.seen[s] = true
	defer delete(x.seen, s)
	if s.Items != nil {
		x.list(s.Items, path, depth+1)
	}
	for _, name := range propertyNames(s) {
		if len(name) > maxFieldText {
			continue
		}
		at := append(path[:len(path):len(path)], key(name))
		p := deref(x.root, s.Properties[name])
		if text := x.about(name, s.Properties[name], p); text != "" && len(x.lines) < maxFields {
			x.lines = append(x.lines, x.prefix+strings.Join(at, " ")+" "+text)
		}
		x.list(p, at, depth+1)
	}
}

// about returns the description of a field in a schema. own is the schema in its place, which may refer to p.
func (x *fieldLister) about(name string, own, p *jsonschema.Schema) string {
	if p == nil {
		return ""
	}
	text := strings.TrimPrefix(bounds(scalarPart(x.root, p)), ", ")
	add := func(more string) {
		if text != "" && more != "" {
			text += ", "
		}
		text += more
	}
	add(formatOf(scalarPart(x.root, p)))
	if p.Default != nil && !secret.IsField(x.tool.secrets, name) {
		add(defaultText(p.Default))
	}
	doc := own.Description
	if doc == "" {
		doc = p.Description
	}
	if doc = x.short(doc); doc == "" {
		return text
	}
	if text != "" {
		text += ": "
	}
	return text + doc
}

// scalarPart returns the schema with the bounds of a field: for a list of strings the schema of the
// strings, and for a value that may be null the schema of the other values.
func scalarPart(root, s *jsonschema.Schema) *jsonschema.Schema {
	for _, of := range [][]*jsonschema.Schema{s.AnyOf, s.OneOf} {
		if len(of) != 2 {
			continue
		}
		for i, null := range of {
			if null.Type == "null" {
				if other := deref(root, of[1-i]); other != nil {
					return other
				}
			}
		}
	}
	return s
}

// formatOf returns the format of a string, "" for none that is known.
func formatOf(s *jsonschema.Schema) string {
	if s.Items != nil && s.Format == "" && s.Items.Format != "" {
		if text := formats[s.Items.Format]; text != "" {
			return "each " + text
		}
	}
	return formats[s.Format]
}

// defaultText writes a default; "" for a large one.
func defaultText(text json.RawMessage) string {
	var v any
	if json.Unmarshal(text, &v) != nil {
		return ""
	}
	if shown := literal(v); len(shown) <= maxShown/2 {
		return "default " + shown
	}
	return ""
}

// short returns a description on one line, cut after some bytes.
func (x *fieldLister) short(doc string) string {
	doc = strings.Join(strings.Fields(diag.Visible(doc)), " ")
	if len(doc) > maxFieldText {
		doc = clip(doc, maxFieldText)
	}
	if doc != "" && x.tool.brief > 0 {
		return literal(doc)
	}
	return strings.TrimSuffix(doc, ".")
}
