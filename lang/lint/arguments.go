// This file defines the warnings about the arguments of tools.

package lint

import (
	"strings"

	"github.com/ptc-lang/ptc/lang/compile"
	"github.com/ptc-lang/ptc/lang/parser"
	"github.com/ptc-lang/ptc/lang/value"
)

// toolCall warns of a call of a tool whose arguments can't fit the tool.
func (l *linter) toolCall(n *compile.Node) {
	if n.Entry != nil || n.Global >= 0 || len(n.Subs) == 0 || n.Subs[0].Kind != compile.NodeTool {
		return
	}
	tool := l.Tools(n.Subs[0].Tool)
	head, ok := l.src.symbol(n.Subs[0].Form)
	if tool == nil || !ok {
		return
	}
	items, _ := value.RealisedItems(n.Form)
	if sole := n.Subs[0].Tool.Sole(); len(items) == 2 && items[1].IsKeyword() && items[1].AsKeyword().Name == sole {
		l.warn(ToolArgument, head, Diagnostic{Message: "tool/" + tool.Name + ": the name of an argument has no value",
			Hint: "write (tool/" + tool.Name + " {:" + sole + " value})"})
		return
	}
	args, ok := arguments(items[1:], n.Subs[0].Tool.Sole())
	if !ok {
		return
	}
	if m := tool.Check(args); m != nil {
		at, fix := l.argument(n, m, head)
		d := Diagnostic{Message: "tool/" + tool.Name + ": " + m.Message, Hint: m.Hint, Fix: fix}
		if len(items) > 2 && items[1].IsString() && (items[1].AsString().S == m.Key || !plainName(items[1].AsString().S)) {
			d.Message, d.Fix = "tool/"+tool.Name+": got arguments without names, want one map of them", nil
			d.Hint = strings.TrimSpace("write (tool/" + tool.Name + " {:name value}):")
			if sole := n.Subs[0].Tool.Sole(); sole != "" {
				d.Hint = "write (tool/" + tool.Name + " {:" + sole + " " + value.Show(l.Task, items[1]) + " :name value}):"
			}
		}
		d.Hint = strings.TrimSpace(d.Hint + " it is tool/" + tool.Signature)
		l.warn(ToolArgument, at, d)
	}
}

// arguments returns the known arguments of a call. ok is false if nothing is known of them.
func arguments(forms []value.Value, sole string) (args map[string]any, ok bool) {
	switch {
	case len(forms) == 1 && forms[0].Is(value.Maps):
		args, ok = known(forms[0]).(map[string]any)
		return args, ok
	case len(forms) == 1:
		v := known(forms[0])
		if _, hole := v.(Unknown); hole || sole == "" || v == nil {
			return nil, false
		}
		return map[string]any{sole: v}, true
	case len(forms)%2 != 0:
		return nil, false
	}
	args = make(map[string]any)
	for i := 0; i < len(forms); i += 2 {
		name, ok := known(forms[i]).(string)
		if !ok {
			return nil, false
		}
		args[name] = known(forms[i+1])
	}
	return args, true
}

// known returns the JSON that a form becomes, as far as it is its own value.
func known(form value.Value) any {
	switch {
	case form.IsNil():
		return nil
	case form.Is(value.Kinds(value.KindBool)):
		return form == value.True
	case form.IsInt():
		return float64(form.AsInt())
	case form.IsFloat():
		return form.AsFloat()
	case form.IsString():
		return form.AsString().S
	case form.IsKeyword():
		if k := form.AsKeyword(); k.NS != "" {
			return k.NS + "/" + k.Name
		}
		return form.AsKeyword().Name
	case form.Is(value.Vectors):
		list := []any{}
		for _, x := range value.Items(form) {
			list = append(list, known(x))
		}
		return list
	case form.Is(value.Maps):
		m := make(map[string]any)
		for it := value.NewMapIter(form); it.Next(); {
			name, ok := known(it.Key).(string)
			if !ok {
				return Unknown{}
			}
			m[name] = known(it.Val)
		}
		return m
	}
	return Unknown{}
}

// argument returns the place of what is wrong in a call, and how to fix it: the key or the
// value in the literal, or else the name of the tool.
func (l *linter) argument(n *compile.Node, m *Mismatch, head place) (place, []Edit) {
	open := l.src.verbatim(n)
	if open < 0 {
		return head, nil
	}
	parts := l.src.parts(open)[1:]
	if len(parts) == 1 && l.src.tokens[parts[0]].Kind == parser.Open &&
		l.File.Source[l.src.tokens[parts[0]].Start] == '{' {
		parts = l.src.parts(parts[0])
	}
	want := m.Key
	if len(m.Path) > 0 {
		want, _ = m.Path[0].(string)
	}
	for i := 0; i+1 < len(parts); i += 2 {
		key := l.src.whole(parts[i])
		if name := strings.Trim(l.src.text(key), `":`); name != want {
			continue
		}
		if len(m.Path) > 0 {
			return l.src.whole(parts[i+1]), nil
		}
		if m.Instead != "" && l.File.Source[key.start] == ':' &&
			!strings.Contains(l.src.text(l.src.whole(open)), ":"+m.Instead) {
			return key, l.edit(key, ":"+m.Instead)
		}
		return key, nil
	}
	return head, nil
}
