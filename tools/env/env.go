// Package env has a tool that reads environment variables. The host grants each by its name:
//
//	tools, err := env.Tools(env.Grant{Names: []string{"REGION"}})
//
// (tool/env.get "REGION") returns the value. If there is no such variable, it returns nil or the :default of
// the call. A variable that is not granted is an error with the code refused, whether it exists or not.
//
// A program can print, return and send a value that it has read. Put a credential for a web service into the
// headers of a grant of package http instead: then the program uses it without knowing it.
package env

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/runtime/tool"
)

// Grant names the variables that programs may read. The zero value grants none.
type Grant struct {
	Names []string
}

// Names returns the name of the tool, with the flag that grants it.
func Names() map[string]string { return map[string]string{"env.get": "grant it with --allow-env NAME"} }

// Args are the arguments of env.get.
type Args struct {
	Name    string  `json:"name"`
	Default *string `json:"default,omitempty" jsonschema:"the result if there is no such variable; default nil"`
}

// Tools returns the tool of a grant.
func Tools(g Grant) ([]*tool.Tool, error) {
	for _, name := range g.Names {
		if name == "" || strings.ContainsAny(name, "=\x00 ") {
			return nil, fmt.Errorf("got the variable %q, want a name such as REGION", name)
		}
	}
	if len(g.Names) == 0 {
		return nil, nil
	}
	return []*tool.Tool{tool.New("env.get", "Returns the value of an environment variable, nil if there is none.", g.get,
		tool.ReadOnly(), tool.SecretResult(),
		tool.Example(`(tool/env.get "REGION")`), tool.Example(`(tool/env.get {:name "REGION" :default "north"})`))}, nil
}

func (g Grant) get(_ context.Context, in Args) (*string, error) {
	if !slices.Contains(g.Names, in.Name) {
		return nil, &tool.Error{Code: "refused", Message: fmt.Sprintf("the variable %.80s is not granted, only %s; grant "+
			"it with --allow-env %.80s",
			in.Name, strings.Join(g.Names, ", "), in.Name)}
	}
	if text, ok := os.LookupEnv(in.Name); ok {
		return &text, nil
	}
	return in.Default, nil
}
