// This file defines the comparison of the data of members.

package etcd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.etcd.io/etcd/server/v3/etcdserver"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

// compareFor bounds the answer of a member with the hash of its data. Hashing a database of 4 GB takes seconds.
const compareFor = 30 * time.Second

// ErrUndecided: the members' data could not be compared, or no majority has equal data.
var ErrUndecided = errors.New("no majority of the members has equal data")

// sum is the hash of the data of a member, of the revisions between two.
type sum struct {
	compacted int64
	hash      uint32
}

// Damaged compares the data of all members, and returns the names of those whose data differs from that of a majority
// of the voters.
// The alarm of the engine may name another member: it takes the leader's data for the right one. It returns
// ErrUndecided if fewer members than a majority have equal data.
func (a Admin) Damaged(ctx context.Context) ([]string, error) {
	status, err := a.e.Status(ctx)
	if err != nil {
		return nil, err
	}
	for range 5 { // a compaction on its way makes the hashes incomparable
		sums := a.sums(ctx, status)
		damaged, ok := minority(sums, voters(status))
		if ok {
			return damaged, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
	return nil, fmt.Errorf("engine of %s: %w", a.e.options.Name, ErrUndecided)
}

// voters returns the names of the members that vote.
func voters(status engine.Status) (names []string) {
	for _, m := range status.Members {
		if !m.Learner {
			names = append(names, m.Name)
		}
	}
	return names
}

// sums returns the hashes of the members that answer, at a revision that this member has.
func (a Admin) sums(ctx context.Context, status engine.Status) map[string]sum {
	ctx, cancel := context.WithTimeout(ctx, compareFor)
	defer cancel()
	server := a.e.server.Server
	sums := map[string]sum{}
	var mu sync.Mutex
	var asking sync.WaitGroup
	revision := int64(status.Revision)
	for _, m := range status.Members {
		asking.Go(func() {
			var s sum
			var err error
			if m.Name == a.e.options.Name {
				s, err = a.own(revision)
			} else {
				u := a.e.options.url(m.Peer)
				r, asked := etcdserver.HashByRev(ctx, server.Cluster().ID(), a.e.peers, u.String(), revision)
				if err = asked; err == nil {
					s = sum{r.CompactRevision, r.Hash}
				}
			}
			if err == nil {
				mu.Lock()
				sums[m.Name] = s
				mu.Unlock()
			}
		})
	}
	asking.Wait()
	return sums
}

// own returns the hash of the data of this member.
func (a Admin) own(revision int64) (sum, error) {
	a.e.calls.RLock()
	defer a.e.calls.RUnlock()
	if a.e.ctx.Err() != nil {
		return sum{}, context.Cause(a.e.ctx)
	}
	hash, _, err := a.e.server.Server.KV().HashStorage().HashByRev(revision)
	return sum{hash.CompactRevision, hash.Hash}, err
}

// minority returns the members whose hash is not that of a majority of the voters. ok is false if there is no majority.
func minority(sums map[string]sum, voters []string) (names []string, ok bool) {
	count := map[sum]int{}
	for _, name := range voters {
		if s, ok := sums[name]; ok {
			count[s]++
		}
	}
	for most, n := range count {
		if n <= len(voters)/2 {
			continue
		}
		for name, s := range sums {
			if s != most && s.compacted == most.compacted {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		return names, true
	}
	return nil, false
}
