// This file defines the peer Expr, a language of expressions.

package bench

import (
	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"
)

type exprPeer struct{}

func (exprPeer) Name() string { return "expr" }
func (exprPeer) Ext() string  { return "expr" }

// exprEnv declares the types of the host's data.
var exprEnv = map[string]any{"n": 0, "x": 0, "text": "", "records": []any{}}

// exprBudget replaces the default bound on the elements a program makes, which is too low for the
// workloads.
const exprBudget = 1 << 30

func (exprPeer) Compile(_, src string) (Program, error) {
	prog, err := expr.Compile(src, expr.Env(exprEnv))
	if err != nil {
		return nil, err
	}
	return exprProgram{prog}, nil
}

type exprProgram struct{ prog *vm.Program }

func (p exprProgram) Bind(data map[string]any) (Run, error) {
	machine := vm.VM{MemoryBudget: exprBudget}
	return func() (any, error) { return machine.Run(p.prog, data) }, nil
}
