// Package inspect lets the REPL of the command look into a ptc.Session, without methods for that in the API.
//
// The REPL passes a variable to Session.Eval in the context, and Eval stores there how to look into the session.
package inspect

import (
	"context"
)

// Session provides access to the names in a ptc.Session. Its methods must not be called while the session evaluates.
type Session interface {
	// Namespace returns the name of the current namespace.
	Namespace() string
	// Aliases returns the aliases of the current namespace, with their namespaces. The map must not be changed.
	Aliases() map[string]string
	// Definitions returns the names that have been defined, the oldest first.
	Definitions() []Definition
}

// Definition is a name that a session has defined.
type Definition struct {
	NS, Name string
	Doc      string
	Params   []string // of each arity of a function, such as "[x & more]"
	Macro    bool
}

type key struct{}

// With returns a context in which Session.Eval sets *into.
func With(ctx context.Context, into *Session) context.Context {
	return context.WithValue(ctx, key{}, into)
}

// Into returns the variable of With; nil if there is none.
func Into(ctx context.Context) *Session {
	into, _ := ctx.Value(key{}).(*Session)
	return into
}
