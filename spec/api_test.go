// This file defines how api.md is written from the OpenAPI document of the service, and from the comments of its types.

package spec

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/ptc-lang/ptc/internal/filetest"
	"github.com/ptc-lang/ptc/serve/api"
)

func TestGeneratedAPI(t *testing.T) { compare(t, "api.md", apiText(t)) }

// apiIntro heads api.md, with ' for a backquote.
const apiIntro = "# The API of the service\n\n" +
	"This page lists the operations and types of the HTTP API of 'ptcd'. 'go generate ./spec' writes it from the OpenAPI " +
	"document, which the service has at '/openapi.json', and from the comments of the Go types. " +
	"[docs/service.md](../docs/service.md) is about running the service.\n\n" +
	"A request has a token: 'Authorization: Bearer TOKEN'. Its role includes that of the operation; " +
	"[docs/access.md](../docs/access.md) describes roles. Bodies are JSON. Times are in RFC 3339, durations that " +
	"were measured in nanoseconds, and sizes in bytes. Fields that are empty may be absent.\n\n"

const apiErrors = "## Errors\n\n" +
	"The body of an error is a [Problem](#problem), 'application/problem+json' of RFC 9457. Its 'code' does not change " +
	"between releases; its 'detail' is for people. A program that does not compile has status 422, the code of its " +
	"error, and the error with its place in 'program'. With status 429 and 503 there may be a 'Retry-After'.\n\n"

// apiDocument is the part of an OpenAPI document that the page shows.
type apiDocument struct {
	Paths      map[string]map[string]apiOperation
	Components struct{ Schemas map[string]apiSchema }
}

type apiOperation struct {
	Summary, Description string
	Tags                 []string
	Security             []map[string][]string
	Parameters           []struct {
		Name, In, Description string
		Schema                apiSchema
	}
	RequestBody struct{ Content map[string]apiMedia }
	Responses   map[string]struct {
		Description string
		Content     map[string]apiMedia
	}
}

type apiMedia struct{ Schema apiSchema }

type apiSchema struct {
	Ref         string `json:"$ref"`
	Type        any
	Description string
	Properties  map[string]apiSchema
	Items       *apiSchema
	Additional  any `json:"additionalProperties"`
	OneOf       []struct {
		Title string
		AllOf []apiSchema
	}
}

// name returns a type in a few words, with links to others.
func (s *apiSchema) name() string {
	switch {
	case s.Ref != "":
		n := path.Base(s.Ref)
		return fmt.Sprintf("[%s](#%s)", n, strings.ToLower(n))
	case s.Items != nil:
		return "list of " + s.Items.name()
	case len(s.OneOf) > 0:
		var all []string
		for _, one := range s.OneOf {
			all = append(all, fmt.Sprintf("`%s` with %s", one.Title, one.AllOf[0].name()))
		}
		return strings.Join(all, ", ")
	}
	switch t := s.Type.(type) {
	case string:
		return t
	case []any: // with null
		return strings.Trim(strings.ReplaceAll(fmt.Sprint(t), " null", ""), "[]")
	}
	return "any JSON"
}

func apiText(t *testing.T) string {
	t.Helper()
	var doc apiDocument
	if err := json.Unmarshal(api.New(nil, api.Options{}).OpenAPI(), &doc); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString(filetest.Wrapped(strings.ReplaceAll(apiIntro, "'", "`")))
	b.WriteString(filetest.Wrapped(strings.ReplaceAll(apiErrors, "'", "`")))
	b.WriteString("| code | status | when |\n|---|---|---|\n")
	for _, c := range api.Codes() {
		fmt.Fprintf(&b, "| `%s` | %d | %s |\n", c.Code, c.Status, c.About)
	}
	b.WriteString("\n## Operations\n")
	for _, p := range slices.Sorted(maps.Keys(doc.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(doc.Paths[p])) {
			op := doc.Paths[p][method]
			op.write(&b, strings.ToUpper(method)+" "+p)
		}
	}
	b.WriteString("\n## Types\n")
	comments := apiComments(t)
	for _, name := range slices.Sorted(maps.Keys(doc.Components.Schemas)) {
		s := doc.Components.Schemas[name]
		s.write(&b, name, comments)
	}
	return b.String()
}

// role returns a sentence that names who may use an operation.
func (op *apiOperation) role() string {
	if len(op.Security) == 0 {
		return "No token is needed."
	}
	return fmt.Sprintf("Role: `%s`.", strings.Join(op.Security[0]["token"], ""))
}

// write writes an operation.
func (op *apiOperation) write(b *strings.Builder, heading string) {
	text := filetest.Wrapped(strings.Join(strings.Fields(op.Summary+". "+op.Description+" "+op.role()), " "))
	fmt.Fprintf(b, "\n### %s\n\n%s\n", heading, strings.TrimRight(text, "\n")+"\n")
	if len(op.Parameters) > 0 {
		b.WriteString("| parameter | in | type | |\n|---|---|---|---|\n")
		for _, p := range op.Parameters {
			fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", p.Name, p.In, p.Schema.name(), p.Description)
		}
		b.WriteString("\n")
	}
	for _, m := range op.RequestBody.Content {
		fmt.Fprintf(b, "Body: %s.\n\n", m.Schema.name())
	}
	for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
		r := op.Responses[status]
		if status == "default" {
			continue
		}
		for media, m := range r.Content {
			b.WriteString(strings.TrimRight(filetest.Wrapped(fmt.Sprintf("- %s: `%s`, %s.", status, media, m.Schema.name())), "\n") + "\n")
		}
		if len(r.Content) == 0 {
			fmt.Fprintf(b, "- %s: %s.\n", status, r.Description)
		}
	}
}

// write writes a type.
func (s *apiSchema) write(b *strings.Builder, name string, comments map[string]map[string]string) {
	fmt.Fprintf(b, "\n### %s\n\n", name)
	if text := comments[name][""]; text != "" {
		fmt.Fprintf(b, "%s\n\n", strings.TrimRight(filetest.Wrapped(text), "\n"))
	}
	if len(s.Properties) == 0 {
		fmt.Fprintf(b, "JSON: %s.\n", s.name())
		return
	}
	b.WriteString("| field | type | |\n|---|---|---|\n")
	for _, field := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[field]
		text := p.Description
		if text == "" {
			text = comments[name][field]
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", field, p.name(), strings.ReplaceAll(text, "|", "\\|"))
	}
}

// apiComments returns the comments of the types of the API by their names, and of their fields by those in JSON. That
// of a type itself is at "".
func apiComments(t *testing.T) map[string]map[string]string {
	t.Helper()
	all := make(map[string]map[string]string)
	embedded := make(map[string][]string)
	for _, dir := range []string{"../store", "../serve/wire", "../serve/api",
		"../runtime/limits", "../runtime/effect", "../runtime/queue", "../runtime/guard", "../runtime/tool"} {
		names, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || names == nil {
			t.Fatalf("%s has no files: %v", dir, err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			structComments(file, prefixes[file.Name.Name], all, embedded)
		}
	}
	for name, others := range embedded {
		for _, other := range others {
			for field, text := range all[other] {
				if field != "" && all[name][field] == "" {
					all[name][field] = text
				}
			}
		}
	}
	return all
}

// prefixes are the prefixes of the names of schemas before the names of types, by package.
var prefixes = map[string]string{"queue": "Queue", "guard": "Guard", "tool": "Tool"}

func structComments(file *ast.File, prefix string, all map[string]map[string]string, embedded map[string][]string) {
	ast.Inspect(file, func(n ast.Node) bool {
		d, ok := n.(*ast.GenDecl)
		if !ok || d.Tok != token.TYPE {
			return true
		}
		for _, spec := range d.Specs {
			ts := spec.(*ast.TypeSpec)
			st, ok := ts.Type.(*ast.StructType)
			if !ok {
				continue
			}
			name := prefix + ts.Name.Name
			fields := map[string]string{"": oneLine(d.Doc)}
			for _, f := range st.Fields.List {
				if f.Names == nil {
					embedded[name] = append(embedded[name], typeName(f.Type, prefix))
				}
				if f.Tag == nil {
					continue
				}
				tag, _, _ := strings.Cut(reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json"), ",")
				if text := oneLine(f.Doc); text != "" {
					fields[tag] = text
				} else {
					fields[tag] = oneLine(f.Comment)
				}
			}
			if all[name] == nil || len(fields) > len(all[name]) {
				all[name] = fields
			}
		}
		return true
	})
}

func typeName(e ast.Expr, prefix string) string {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		return prefixes[e.X.(*ast.Ident).Name] + e.Sel.Name
	case *ast.Ident:
		return prefix + e.Name
	case *ast.StarExpr:
		return typeName(e.X, prefix)
	}
	return ""
}

func oneLine(c *ast.CommentGroup) string {
	if c == nil {
		return ""
	}
	return strings.Join(strings.Fields(c.Text()), " ")
}
