// This file defines how a server asks the person at the client about pending effects.

package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// Bounds of a form.
const (
	maxAsked = 20   // effects; the rest is asked for after them
	maxArgs  = 2000 // bytes of arguments, or of a question
)

// form is an elicitation about pending effects, and the effects by the names of its fields.
type form struct {
	params *sdk.ElicitParams
	fields map[string]effect.Pending
}

// The answers to an approval.
const (
	approveWord = "approve"
	refuseWord  = "refuse"
)

// askable returns the effects about which a person can be asked, at most those of one form.
func askable(all []effect.Pending) (some []effect.Pending) {
	for _, p := range all {
		if (p.Kind == effect.PendingApproval || p.Kind == effect.PendingQuestion) && len(some) < maxAsked {
			some = append(some, p)
		}
	}
	return some
}

// formOf returns the form about some effects. Everything that comes from the program or its tools is shown as JSON
// without control characters, and clipped, so that it can't be taken for the words of the server.
func formOf(some []effect.Pending) form {
	f := form{fields: make(map[string]effect.Pending)}
	properties := make(map[string]any)
	var required []string
	var b strings.Builder
	fmt.Fprintf(&b, "A program waits for %s:\n", diag.Counted(len(some), "decision"))
	for i, p := range some {
		name := fmt.Sprintf("decision_%d", i+1)
		f.fields[name] = p
		required = append(required, name)
		fmt.Fprintf(&b, "\n%d. %s", i+1, told(p))
		properties[name] = property(p, i+1)
	}
	f.params = &sdk.ElicitParams{Mode: "form", Message: b.String(),
		RequestedSchema: map[string]any{"type": "object", "properties": properties, "required": required}}
	return f
}

// told describes an effect to a person.
func told(p effect.Pending) string {
	place := ""
	if p.Place != "" {
		place = ", at " + p.Place
	}
	if p.Kind == effect.PendingQuestion {
		text := fmt.Sprintf("The program asks %s%s", shown([]byte(strconv.Quote(p.Question))), place)
		if len(p.Data) > 0 {
			text += "\n   about " + shown(p.Data)
		}
		return text
	}
	host := ""
	if p.Host != "" {
		host = " on " + diag.Visible(p.Host)
	}
	return fmt.Sprintf("Call tool/%s%s (%s)%s\n   with %s", p.Tool, host, p.Class, place, shown(p.Args))
}

// shown returns JSON for a person.
func shown(text []byte) string {
	if len(text) <= maxArgs {
		return diag.Visible(string(text))
	}
	return diag.Visible(strings.ToValidUTF8(string(text[:maxArgs]), "")) +
		fmt.Sprintf("… (%d bytes in all)", len(text))
}

// property returns the schema of the answer about an effect.
func property(p effect.Pending, n int) map[string]any {
	if p.Kind == effect.PendingApproval {
		return map[string]any{"type": "string", "enum": []string{approveWord, refuseWord},
			"title": fmt.Sprintf("%d. tool/%s", n, p.Tool)}
	}
	field := map[string]any{"type": "string", "title": fmt.Sprintf("Answer %d", n)}
	if options := optionNames(p); len(options) > 0 {
		field["enum"] = options
	}
	return field
}

// optionNames returns the options of a question as a person sees them: strings unquoted, other values as JSON.
func optionNames(p effect.Pending) (names []string) {
	for _, o := range p.Options {
		name := string(o)
		if s := ""; json.Unmarshal(o, &s) == nil {
			name = s
		}
		if slices.Contains(names, name) { // a string that looks like another option
			name = string(o)
		}
		names = append(names, name)
	}
	return names
}

// settlements returns the decisions of a person. Effects without an answer stay pending.
func (f form) settlements(r *sdk.ElicitResult) (all []effect.Settlement) {
	for name, p := range f.fields {
		answer, given := r.Content[name]
		switch {
		case r.Action == "decline" && p.Kind == effect.PendingApproval:
			all = append(all, effect.Settlement{ID: p.ID, As: effect.Refuse, Reason: "the person declined"})
		case r.Action != "accept" || !given:
		case p.Kind == effect.PendingQuestion:
			all = append(all, effect.Settlement{ID: p.ID, As: effect.Done, Result: answered(p, answer)})
		case answer == approveWord:
			all = append(all, effect.Settlement{ID: p.ID, As: effect.Approve})
		case answer == refuseWord:
			all = append(all, effect.Settlement{ID: p.ID, As: effect.Refuse, Reason: "the person refused"})
		}
	}
	return all
}

// answered returns the answer to a question.
func answered(p effect.Pending, answer any) json.RawMessage {
	text, isText := answer.(string)
	if i := slices.Index(optionNames(p), text); isText && i >= 0 {
		return p.Options[i]
	}
	if isText && len(p.Options) == 0 {
		return effect.AnswerOf(text)
	}
	out, err := json.Marshal(answer)
	if err != nil { // it was JSON
		return json.RawMessage("null")
	}
	return out
}
