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
	fixed, reach, calls, signatures, docs []*piece
}

// callText describes how tools are called; %s stands for the kind of the keys of results.
const callText = "Call them with a map, `(tool/NAME {:key value})`; if only one argument is required, you can pass " +
	"it alone. " +
	"Keywords and strings are equivalent in arguments; objects in results have %s keys. `?` marks an optional field. " +
	"A call that fails throws: `(try (tool/NAME {}) (catch :tool-failed e (:code (ex-data e))))` returns the tool's " +
	"own code, which `psettle` has under `:data`.\n"

func describeTools(o Options) (t toolPieces) {
	all := o.Run.Tools.All()
	if len(all) == 0 {
		t.fixed = []*piece{{section: tools, text: "None is granted: only the input is available.\n"}}
		return t
	}
	t.fixed = []*piece{{section: tools, text: counted(len(all), "tool is",
		"tools are") + " granted: `(tools)` returns their signatures, `(doc tool/NAME)` prints the documentation of one.\n"}}
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
	}
	return t
}

// about returns one line about a tool: its purpose, and what its calls wait for.
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

// maxSentence bounds a sentence, in bytes: the documentation comes from outside and may have no full stop.
const maxSentence = 200

// firstSentence returns the first sentence of a text, on one line.
func firstSentence(doc string) string {
	line := strings.Join(strings.Fields(doc), " ")
	if i := strings.Index(line, ". "); i >= 0 {
		line = line[:i+1]
	}
	if len(line) > maxSentence {
		line = strings.ToValidUTF8(line[:maxSentence], "") + "…"
	}
	return line
}

// counted writes a number of things.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
