// This file reads the calls that an operator has wait for an approval.

package hintfile

import (
	"fmt"
	"iter"

	"github.com/goccy/go-yaml/ast"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
)

// MaxApprove bounds the list.
const MaxApprove = 1_000

// Approve reads a list of tools and the word write. It calls mistake for each mistake, with its node. known are the
// names of tools; with a nil known any is one.
func Approve(n ast.Node, known iter.Seq[string], mistake func(at ast.Node, message string)) (a effect.Approvals) {
	list, ok := n.(*ast.SequenceNode)
	if !ok || len(list.Values) > MaxApprove {
		mistake(n, fmt.Sprintf("approve: got %.40s, want a list such as [write, http.get]", got(n)))
		return a
	}
	for _, item := range list.Values {
		name, isText := item.(*ast.StringNode)
		if !isText {
			mistake(item, "approve: want the name of a tool, or write")
			continue
		}
		one, err := effect.ParseApprovals([]string{name.Value})
		if err == nil {
			err = one.Known(known)
		}
		if err != nil {
			mistake(item, "approve: "+err.Error())
		}
		a = a.And(one)
	}
	return a
}

// got describes a node that is not a list of tools.
func got(n ast.Node) string {
	switch n := n.(type) {
	case *ast.NullNode:
		return "nothing"
	case *ast.SequenceNode:
		return diag.Counted(len(n.Values), "element")
	case *ast.MappingNode, *ast.MappingValueNode:
		return "keys and values"
	}
	return n.String()
}
