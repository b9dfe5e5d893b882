// This file defines the account of the resources that tenants and submitters use.

package serve

import (
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/store"
)

// holder is a tenant, or a submitter of it.
type holder struct {
	tenant, by string
	whole      bool // the tenant, with all its submitters
}

// account has the usage of each holder. Holders that use nothing are not in it.
type account map[holder]access.Use

// holders returns who a run is counted for.
func holders(run *store.Run) [2]holder {
	return [2]holder{{tenant: run.Tenant, whole: true}, {tenant: run.Tenant, by: run.By}}
}

// asking returns a run as the shares see it, when it asks for a part of them.
func (a account) asking(t *ticket) access.Asking {
	of := holders(&t.run)
	return access.Asking{Tenant: t.run.Tenant, By: t.run.By, Memory: t.bound, OfTenant: a[of[0]], Own: a[of[1]]}
}

// add changes the usage of the holders of a run.
func (a account) add(t *ticket, running, queued int, memory int64) {
	for _, h := range holders(&t.run) {
		u := a[h]
		u.Running, u.Queued, u.Memory = u.Running+running, u.Queued+queued, u.Memory+memory
		if u == (access.Use{}) {
			delete(a, h)
		} else {
			a[h] = u
		}
	}
}
