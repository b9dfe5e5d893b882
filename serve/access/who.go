// This file defines roles, and the identity of a request.

package access

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Role is the set of operations that an identity may do. The zero Role may do nothing.
type Role string

// The roles. Each one includes those before it.
const (
	Viewer    Role = "viewer"    // reads
	Submitter Role = "submitter" // submits, cancels and answers the runs of its tenant
	Operator  Role = "operator"  // everything, for all tenants
)

// Roles returns the roles, the least one first.
func Roles() []Role { return []Role{Viewer, Submitter, Operator} }

// Includes reports whether r may do what needs the role other. An unknown role includes none, and
// none includes an unknown role.
func (r Role) Includes(other Role) bool {
	roles := Roles()
	at, want := slices.Index(roles, r), slices.Index(roles, other)
	return want >= 0 && at >= want
}

// check returns the error of a role that does not exist.
func (r Role) check() error {
	if slices.Contains(Roles(), r) {
		return nil
	}
	return fmt.Errorf("got the role %q, want viewer, submitter or operator", string(r))
}

// DefaultTenant is the tenant of tokens and identities that name none.
const DefaultTenant = "default"

// Who is the identity of a request.
type Who struct {
	Name   string `json:"name"`   // of the token or the client certificate; unique in a service
	Tenant string `json:"tenant"` // whose runs it sees
	Role   Role   `json:"role"`
}

// Sees reports whether w may see the data of a tenant.
func (w Who) Sees(tenant string) bool {
	return w.Role.Includes(Operator) || w.Role.Includes(Viewer) && w.Tenant == tenant
}

// Changes reports whether w may change the data of a tenant.
func (w Who) Changes(tenant string) bool {
	return w.Role.Includes(Operator) || w.Role.Includes(Submitter) && w.Tenant == tenant
}

// nameForm is the form of the names of identities and tenants. They stand in the audit log and in
// pages, so they have no spaces and no control characters. A counted repetition would take 3 ms to compile.
var nameForm = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N}._@:/+-]*$`)

const maxName = 100 // characters

// checkNames returns the error of a name or tenant of the wrong form.
func checkNames(name, tenant string) error {
	for _, n := range []struct{ what, got string }{{"name", name}, {"tenant", tenant}} {
		if !nameForm.MatchString(n.got) || utf8.RuneCountInString(n.got) > maxName {
			return fmt.Errorf("got the %s %.200q, want up to %d letters, digits and . _ @ : / + - that begin with "+
				"a letter or digit", n.what, strings.ToValidUTF8(n.got, "?"), maxName)
		}
	}
	return nil
}

// check returns the first error of an identity.
func (w Who) check() error {
	if err := checkNames(w.Name, w.Tenant); err != nil {
		return err
	}
	return w.Role.check()
}

type whoKey struct{}

// With returns a context whose requests are of w.
func With(ctx context.Context, w Who) context.Context { return context.WithValue(ctx, whoKey{}, w) }

// From returns the identity of a context. It is the zero Who, which may do nothing, if there is none.
func From(ctx context.Context) Who {
	w, _ := ctx.Value(whoKey{}).(Who)
	return w
}
