// This file defines the status of a member.

package etcd

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/etcdserver/api/membership"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

// health is which members have answered, as of a moment. A Status that comes soon after another one uses it again.
type health struct {
	mu     sync.Mutex
	at     time.Time
	answer map[string]bool // by address
}

// fresh is how long health is used.
const fresh = time.Second

// Status implements engine.Engine. A member is healthy if it answers within 500 ms.
func (e *Engine) Status(ctx context.Context) (engine.Status, error) {
	if err := ctx.Err(); err != nil {
		return engine.Status{}, err
	}
	e.calls.RLock()
	defer e.calls.RUnlock()
	if e.ctx.Err() != nil {
		return engine.Status{}, context.Cause(e.ctx)
	}
	server := e.server.Server
	status := engine.Status{Member: e.options.Name, Term: server.Term(), Revision: engine.Revision(server.KV().Rev()),
		Compacted: engine.Revision(server.KV().FirstRev()), Bytes: server.Backend().Size(),
		Used: server.Backend().SizeInUse(), Quota: e.options.Quota}
	members := server.Cluster().Members()
	var addresses []string
	for _, m := range members {
		if m.ID == server.Leader() {
			status.Leader = m.Name
		}
		status.Members = append(status.Members, engine.Member{Name: m.Name, Peer: address(m), Learner: m.IsLearner})
		addresses = append(addresses, address(m))
	}
	answer := e.healthy(ctx, addresses)
	for i := range status.Members {
		status.Members[i].Healthy = answer[status.Members[i].Peer]
	}
	slices.SortFunc(status.Members, func(a, b engine.Member) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Peer, b.Peer))
	})
	for _, a := range server.Alarms() {
		status.Alarms = append(status.Alarms, alarm(a, members))
	}
	slices.Sort(status.Alarms)
	return status, ctx.Err()
}

// Alarms returns the number of alarms. It does not wait.
func (e *Engine) Alarms() int {
	e.calls.RLock()
	defer e.calls.RUnlock()
	if e.ctx.Err() != nil {
		return 0
	}
	return len(e.server.Server.Alarms())
}

// alarm returns the name of an alarm: its kind and the name of a member.
func alarm(a *pb.AlarmMember, members []*membership.Member) string {
	kind := engine.AlarmCorrupt
	if a.Alarm == pb.AlarmType_NOSPACE {
		kind = engine.AlarmFull
	}
	for _, m := range members {
		if uint64(m.ID) == a.MemberID {
			return kind + " on " + m.Name
		}
	}
	return kind + " on a member that was removed"
}

// address returns the host:port of a member.
func address(m *membership.Member) string {
	if len(m.PeerURLs) == 0 {
		return ""
	}
	u, err := url.Parse(m.PeerURLs[0])
	if err != nil {
		return m.PeerURLs[0]
	}
	return u.Host
}

// healthy returns the members that answer. They are asked concurrently.
func (e *Engine) healthy(ctx context.Context, addresses []string) map[string]bool {
	e.health.mu.Lock()
	defer e.health.mu.Unlock()
	if time.Since(e.health.at) < fresh && len(e.health.answer) == len(addresses) {
		return e.health.answer
	}
	answers := make([]bool, len(addresses))
	var asking sync.WaitGroup
	for i, address := range addresses {
		asking.Go(func() {
			answers[i] = address == e.options.Peer || e.get(ctx, probe, address, "/version", nil) == nil
		})
	}
	asking.Wait()
	answer := map[string]bool{}
	for i, address := range addresses {
		answer[address] = answers[i]
	}
	if ctx.Err() == nil {
		e.health.at, e.health.answer = time.Now(), answer
	}
	return answer
}
