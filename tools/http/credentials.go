// This file defines which texts in the headers of a grant are secrets.

package http

import (
	"slices"

	"github.com/ptc-lang/ptc/tools/internal/headers"
)

// credentials returns the secrets in the headers of the grant. If a service returns them, they are replaced in
// the journal, logs and errors.
func (c *client) credentials() []string {
	var all []string
	for i := range c.hosts {
		all = append(all, headers.Secrets(c.hosts[i].Header)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
