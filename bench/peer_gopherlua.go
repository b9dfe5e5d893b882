// This file defines the peer gopher-lua.

package bench

import (
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/parse"
)

type gopherLua struct{}

func (gopherLua) Name() string { return "gopher-lua" }
func (gopherLua) Ext() string  { return "lua" }

func (gopherLua) Compile(workload, src string) (Program, error) {
	chunk, err := parse.Parse(strings.NewReader(src), workload)
	if err != nil {
		return nil, err
	}
	proto, err := lua.Compile(chunk, workload)
	if err != nil {
		return nil, err
	}
	return luaProgram{proto}, nil
}

type luaProgram struct{ proto *lua.FunctionProto }

// luaLibs are the libraries that a sandboxed program may use.
var luaLibs = map[string]lua.LGFunction{
	lua.BaseLibName:   lua.OpenBase,
	lua.TabLibName:    lua.OpenTable,
	lua.StringLibName: lua.OpenString,
	lua.MathLibName:   lua.OpenMath,
}

// The value stack must hold all elements of a table.concat. The default step of
// its growth, 32, would make that quadratic.
const (
	luaRegistryMax  = 1 << 20
	luaRegistryStep = 1 << 16
)

func (p luaProgram) Bind(data map[string]any) (Run, error) {
	state := lua.NewState(lua.Options{
		SkipOpenLibs:     true,
		RegistryMaxSize:  luaRegistryMax,
		RegistryGrowStep: luaRegistryStep,
	})
	for name, open := range luaLibs {
		state.Push(state.NewFunction(open))
		state.Push(lua.LString(name))
		if err := state.PCall(1, 0, nil); err != nil {
			return nil, err
		}
	}
	v, err := toLua(state, data)
	if err != nil {
		return nil, err
	}
	state.SetGlobal("data", v)
	return func() (any, error) {
		state.Push(state.NewFunctionFromProto(p.proto))
		if err := state.PCall(0, 1, nil); err != nil {
			return nil, err
		}
		result := fromLua(state.Get(-1))
		state.Pop(1)
		return result, nil
	}, nil
}

func toLua(state *lua.LState, v any) (lua.LValue, error) {
	switch v := v.(type) {
	case int:
		return lua.LNumber(v), nil
	case string:
		return lua.LString(v), nil
	case []any:
		table := state.CreateTable(len(v), 0)
		for _, e := range v {
			converted, err := toLua(state, e)
			if err != nil {
				return nil, err
			}
			table.Append(converted)
		}
		return table, nil
	case map[string]any:
		table := state.CreateTable(0, len(v))
		for k, e := range v {
			converted, err := toLua(state, e)
			if err != nil {
				return nil, err
			}
			table.RawSetString(k, converted)
		}
		return table, nil
	}
	return nil, fmt.Errorf("no Lua value for %T", v)
}

func fromLua(v lua.LValue) any {
	switch v := v.(type) {
	case lua.LNumber:
		return float64(v)
	case lua.LString:
		return string(v)
	case *lua.LTable:
		out := make([]any, 0, v.Len())
		for i := 1; i <= v.Len(); i++ {
			out = append(out, fromLua(v.RawGetInt(i)))
		}
		return out
	}
	return v.String()
}
