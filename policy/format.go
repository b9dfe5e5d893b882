// This file writes policies as a file.

package policy

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/queue"
)

// Format returns the YAML file of policies, in alphabetical order. Parse of it returns the same policies if they are
// valid and their names are UTF-8. A name with an empty policy is left out, and so are the comments of the file from
// which the policies were read.
func Format(p queue.Policies) string {
	var b strings.Builder
	if p.Global != (queue.Policy{}) {
		b.WriteString("global:\n")
		formatPolicy(&b, "  ", p.Global)
	}
	formatNamed(&b, "packs", p.Packs)
	formatNamed(&b, "actions", p.Actions)
	if words := p.Approve.Words(); len(words) > 0 {
		for i, w := range words {
			words[i] = nameText(w)
		}
		fmt.Fprintf(&b, "approve: [%s]\n", strings.Join(words, ", "))
	}
	return b.String()
}

func formatNamed(b *strings.Builder, heading string, all map[string]queue.Policy) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if all[name] == (queue.Policy{}) {
			continue
		}
		if heading != "" {
			fmt.Fprintf(b, "%s:\n", heading)
			heading = ""
		}
		fmt.Fprintf(b, "  %s:\n", nameText(name))
		formatPolicy(b, "    ", all[name])
	}
}

func formatPolicy(b *strings.Builder, indent string, p queue.Policy) {
	if p.Concurrency != 0 {
		fmt.Fprintf(b, "%sconcurrency: %d\n", indent, p.Concurrency)
	}
	if r := p.Rate; r != (queue.Rate{}) {
		fmt.Fprintf(b, "%srate: {calls: %d, per: %s", indent, r.Calls, diag.Duration(r.Per))
		if r.Burst != 0 {
			fmt.Fprintf(b, ", burst: %d", r.Burst)
		}
		b.WriteString("}\n")
	}
	if q := p.Quota; q != (queue.Quota{}) {
		fmt.Fprintf(b, "%squota: {calls: %d, window: %s}\n", indent, q.Calls, diag.Duration(q.Window))
	}
}

// plain is a name that needs no quotes, unless it is a word that YAML takes for another type.
var plain = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z][a-z0-9]*([._-][a-z][a-z0-9]*)*$`)
})

var words = []string{"y", "n", "yes", "no", "on", "off", "true", "false", "null"}

// nameText returns a name as YAML reads it: plain, or in the quotes of JSON.
func nameText(name string) string {
	if plain().MatchString(name) && !slices.Contains(words, name) {
		return name
	}
	quoted, _ := json.Marshal(name) // a string has JSON
	return string(quoted)
}
