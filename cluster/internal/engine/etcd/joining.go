// This file defines how a member starts for the first time that joins a cluster which runs.

package etcd

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
)

// own returns this member in a list; nil if it is not there.
func (o *Options) own(all []known) *known {
	u := o.url(o.Peer)
	for i := range all {
		if slices.Contains(all[i].PeerURLs, u.String()) {
			return &all[i]
		}
	}
	return nil
}

// askEvery is the time between two questions of a member that waits to be added.
const askEvery = 200 * time.Millisecond

// added waits until the others have added this member, and enters all members into the options: etcd wants the list to
// be that of the others. One that has not started has no name yet.
func (e *Engine) added(ctx context.Context) error {
	o := &e.options
	for told := false; ; told = true {
		all := e.ask(ctx)
		if o.own(all) != nil {
			members := map[string]string{}
			for i, m := range all {
				for _, peer := range m.PeerURLs {
					if u, err := url.Parse(peer); err == nil {
						members[cmp.Or(m.Name, fmt.Sprintf("not-started-%d", i))] = u.Host
					}
				}
			}
			maps.DeleteFunc(members, func(_, address string) bool { return address == o.Peer })
			members[o.Name] = o.Peer
			o.Members = members
			return nil
		}
		if !told {
			e.log.Info("the engine waits until another member runs and has added this one", "member", o.Name, "address", o.Peer,
				"answered", len(all) > 0)
		}
		select {
		case <-time.After(askEvery):
		case <-ctx.Done():
			return fmt.Errorf("no member that runs has added %s at %s: %w", o.Name, o.Peer, ctx.Err())
		}
	}
}

// maxJoins is how often a member that joins reads the list of the members again because it has changed.
const maxJoins = 10

// changed reports whether an error of etcd means that the list of members differs from that of the others.
func changed(err error) bool {
	return strings.Contains(err.Error(), "error validating peerURLs")
}
