// This file defines the peer CEL, a language of expressions that always end.

package bench

import "cel.dev/cel-go/cel"

type celPeer struct{}

func (celPeer) Name() string { return "cel" }
func (celPeer) Ext() string  { return "cel" }

func (celPeer) Compile(_, src string) (Program, error) {
	env, err := cel.NewEnv(cel.Variable("x", cel.IntType))
	if err != nil {
		return nil, err
	}
	ast, issues := env.Compile(src)
	if err := issues.Err(); err != nil {
		return nil, err
	}
	p, err := env.Program(ast)
	if err != nil {
		return nil, err
	}
	return celProgram{p}, nil
}

type celProgram struct{ program cel.Program }

func (p celProgram) Bind(data map[string]any) (Run, error) {
	return func() (any, error) {
		v, _, err := p.program.Eval(data)
		if err != nil {
			return nil, err
		}
		return v.Value(), nil
	}, nil
}
