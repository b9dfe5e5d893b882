// This file defines the section of the card about the granted tools.

package prompt

import (
	"fmt"
	"strings"

	"github.com/ptc-lang/ptc/lang/builtins"
	"github.com/ptc-lang/ptc/runtime/tool"
)

const (
	callKind      = "how tools are called"
	reachKind     = "scopes of tools"
	signatureKind = "signatures of tools"
	docKind       = "documentation of tools"
)

// toolPieces are the pieces of the section of tools.
type toolPieces struct {
	fixed, reach, calls, signatures, docs, details []*piece
}

// callText describes how tools are called; %s stands for the kind of the keys of results.
const callText = "Call them with a map, `(tool/NAME {:key value})`; a sole required argument can stand alone, and if " +
	"none is required, `(tool/NAME)`. " +
	"Keywords and strings are equivalent in arguments; objects in results have %s keys. `?` marks an optional field. " +
	"A call that fails throws; a tool's own code is a keyword such as `:not-found`: `(try (tool/NAME) (catch " +
	":tool-failed e (:code (ex-data e))))`, in `psettle` `(get-in r [:error :data :code])`.\n"

func describeTools(o Options) (t toolPieces) {
	all := o.Run.Tools.All()
	if len(all) == 0 {
		t.fixed = []*piece{{section: tools, text: "None is granted: only the input is available.\n"}}
		return t
	}
	t.fixed = []*piece{{section: tools, text: counted(len(all), "tool is",
		"tools are") + " granted: `(tools)` returns their signatures, `(doc tool/NAME)` documents one.\n"}}
	for _, line := range o.Reach {
		t.reach = append(t.reach, &piece{section: tools, text: "- " + line + "\n", kind: reachKind})
	}
	calls := fmt.Sprintf(callText, keyKind(o))
	if len(t.reach) > 0 {
		calls = "\n" + calls // or it would belong to the last item of the list
	}
	t.calls = []*piece{{section: tools, text: calls, kind: callKind}}
	for i, known := range all {
		signature := &piece{section: tools, text: "    " + builtins.ToolNS + "/" + known.Signature() + "\n",
			kind: signatureKind}
		if i == 0 {
			signature.text = "\n" + signature.text
		}
		t.signatures = append(t.signatures, signature)
		if about := about(known, o); about != "" {
			t.docs = append(t.docs, &piece{section: tools, text: "        ; " + about + "\n", kind: docKind, amends: signature})
		}
		if details := details(known); details != "" {
			t.details = append(t.details, &piece{section: tools, text: details, kind: docKind, amends: signature})
		}
	}
	return t
}

// about returns one line about a tool: its purpose, and the limits its calls wait for.
func about(known *tool.Tool, o Options) string {
	var parts []string
	if doc := firstSentence(known.Doc()); doc != "" {
		parts = append(parts, doc)
	}
	policy := ""
	if o.Run.Queue != nil {
		policy = o.Run.Queue.Action(known.Name()).Bounds()
	}
	if traits := known.Traits(policy); traits != "" {
		parts = append(parts, "["+traits+"]")
	}
	return strings.Join(parts, " ")
}

// maxRest bounds the part of a description after its first sentence that the card has, in bytes.
const maxRest = 800

// details returns the rest of the description of a tool and a line for each field that needs one, "" if there is
// neither.
func details(known *tool.Tool) string {
	var b strings.Builder
	doc := strings.Join(strings.Fields(known.Doc()), " ")
	first := firstSentence(known.Doc())
	if rest, ok := strings.CutPrefix(doc, first); ok && rest != "" {
		b.WriteString("        ; " + cut(strings.TrimSpace(rest), maxRest) + "\n")
	}
	for _, field := range known.Fields() {
		b.WriteString("        ; " + field + "\n")
	}
	return b.String()
}

// cut cuts a text after some bytes.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// maxSentence bounds a sentence, in bytes: the documentation comes from outside and may have no full stop.
const maxSentence = 200

// firstSentence returns the first sentence of a text, on one line.
func firstSentence(doc string) string {
	line := strings.Join(strings.Fields(doc), " ")
	if i := strings.Index(line, ". "); i >= 0 {
		line = line[:i+1]
	}
	return cut(line, maxSentence)
}

// counted writes a number of things.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
