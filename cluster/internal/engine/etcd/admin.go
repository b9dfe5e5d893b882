// This file defines the administration of the members.

package etcd

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

// The errors of an administration.
var (
	// ErrRisky: another member does not run, or its data is damaged, so that the change could lose commits.
	ErrRisky = errors.New("the change could lose commits")
	// ErrNotLeader: only the leader can do it.
	ErrNotLeader = errors.New("this member is not the leader")
	// ErrNoMember is returned if there is no member with the name.
	ErrNoMember = errors.New("there is no such member")
)

// Admin changes the members of a cluster.
type Admin struct {
	e      *Engine
	copies []string
}

// Admin returns the administration of the cluster. copies are the addresses of members that stay learners: no commit
// depends on them, so a change of the others is safe whether they run or not.
func (e *Engine) Admin(copies ...string) Admin { return Admin{e, copies} }

// AddLearner adds a member at an address. It copies the data when it has started, and votes after Promote. The result
// is Options.Members of its first start. The context bounds the wait for members that were added just before.
func (a Admin) AddLearner(ctx context.Context, name, peer string) (map[string]string, error) {
	all, err := a.sound(ctx, "", "adding "+name)
	if err != nil {
		return nil, err
	}
	if at, ok := all[name]; ok {
		return nil, fmt.Errorf("there is a member %s already, at %s: replace it", name, at)
	}
	if err := unused(all, peer); err != nil {
		return nil, fmt.Errorf("adding member %s: %w", name, err)
	}
	return a.add(ctx, all, name, peer)
}

func (a Admin) add(ctx context.Context, others map[string]string, name, peer string) (map[string]string, error) {
	u := a.e.options.url(peer)
	err := a.change(ctx, func(ctx context.Context) error {
		_, err := a.e.client.MemberAddAsLearner(ctx, []string{u.String()})
		return unless(unless(err, rpctypes.ErrPeerURLExist), rpctypes.ErrMemberExist) // or another one makes it now
	})
	if err != nil {
		return nil, fmt.Errorf("adding member %s at %s: %w", name, peer, err)
	}
	all := maps.Clone(others)
	all[name] = peer
	return all, nil
}

// Check returns ErrRisky if a change of the members could lose commits now, because a member other than the
// removed one does not run, still copies the data or is damaged.
func (a Admin) Check(ctx context.Context, removed string) error {
	_, err := a.sound(ctx, removed, "the change")
	return err
}

// AddCopy adds a member at an address, which stays a learner. It is safe in every state of the other members.
func (a Admin) AddCopy(ctx context.Context, name, peer string) error {
	_, err := a.add(ctx, map[string]string{}, name, peer)
	return err
}

// Promote makes a learner a voter. It waits until the learner has started and has copied the data, or the context ends.
func (a Admin) Promote(ctx context.Context, name string) error {
	var id uint64
	err := a.settled(ctx, func() (err error) {
		id, err = a.id(ctx, name)
		return err
	}, ErrNoMember)
	if err == nil {
		err = a.change(ctx, func(ctx context.Context) error {
			_, err := a.e.client.MemberPromote(ctx, id)
			return unless(err, rpctypes.ErrMemberNotLearner)
		})
	}
	if err != nil {
		return fmt.Errorf("promoting member %s: %w", name, err)
	}
	return nil
}

// Remove removes a member, by its name or its address: one that has not started yet has no name. It returns ErrRisky if
// another member does not run, unless the member is a learner. The context bounds the wait for a majority.
func (a Admin) Remove(ctx context.Context, name string) error {
	status, err := a.e.Status(ctx)
	if err != nil {
		return err
	}
	for _, m := range status.Members {
		if is(m, name) && m.Learner {
			return errors.Join(a.remove(ctx, name), a.relieve(ctx))
		}
	}
	if _, err := a.sound(ctx, name, "removing "+name); err != nil {
		return err
	}
	if err := a.remove(ctx, name); err != nil {
		return err
	}
	return a.relieve(ctx)
}

// relieve ends the alarm of damaged data if no member's data differs any more.
func (a Admin) relieve(ctx context.Context) error {
	status, err := a.e.Status(ctx)
	if err != nil || !damagedData(status) {
		return err
	}
	if damaged, err := a.Damaged(ctx); err != nil || len(damaged) > 0 {
		return err
	}
	return a.settled(ctx, func() error { return a.disarm(ctx, pb.AlarmType_CORRUPT) })
}

// damagedData reports whether there is an alarm that the members' data differs.
func damagedData(status engine.Status) bool {
	return slices.ContainsFunc(status.Alarms, func(alarm string) bool {
		return strings.HasPrefix(alarm, engine.AlarmCorrupt)
	})
}

func (a Admin) remove(ctx context.Context, name string) error {
	var id uint64
	err := a.settled(ctx, func() (err error) {
		id, err = a.id(ctx, name)
		return err
	})
	if err != nil {
		return err
	}
	err = a.change(ctx, func(ctx context.Context) error {
		_, err := a.e.client.MemberRemove(ctx, id)
		return unless(err, rpctypes.ErrMemberNotFound)
	})
	if err != nil {
		return fmt.Errorf("removing member %s: %w", name, err)
	}
	return nil
}

// Replace removes a member that is damaged, wiped or gone, by its name or its address, and adds an empty one at an
// address, as a learner. The result is Options.Members of its first start, with Join and an empty directory. It
// returns ErrRisky if any other member does not run or is damaged: two copies of the data may be all there are.
func (a Admin) Replace(ctx context.Context, name, peer string) (map[string]string, error) {
	others, err := a.sound(ctx, name, "replacing "+name)
	if err != nil {
		return nil, err
	}
	if err := unused(others, peer); err != nil {
		return nil, fmt.Errorf("replacing member %s: %w", name, err)
	}
	if err := a.remove(ctx, name); err != nil && !errors.Is(err, ErrNoMember) {
		return nil, err
	}
	if err := a.settled(ctx, func() error { return a.disarm(ctx, pb.AlarmType_CORRUPT) }); err != nil {
		return nil, fmt.Errorf("ending the alarm of member %s: %w", name, err)
	}
	return a.add(ctx, others, name, peer)
}

// unused returns an error if a member has an address.
func unused(members map[string]string, peer string) error {
	for name, at := range members {
		if at == peer {
			return fmt.Errorf("member %s has its address %s", name, peer)
		}
	}
	return nil
}

// MoveLeader makes a member the leader. It returns ErrNotLeader, with the name of the leader, if this member is not it.
func (a Admin) MoveLeader(ctx context.Context, name string) error {
	id, err := a.id(ctx, name)
	if err != nil {
		return err
	}
	server := a.e.server.Server
	if server.Leader() != server.MemberID() {
		status, err := a.e.Status(ctx)
		if err != nil {
			return err
		}
		return fmt.Errorf("%w: %q is", ErrNotLeader, status.Leader)
	}
	return a.e.call(ctx, func(ctx context.Context) error {
		_, err := a.e.client.MoveLeader(ctx, id)
		return err
	})
}

// StepDown has another voter become the leader, if this member is it and there is another one: the next one that
// answers, in the order of the names.
func (a Admin) StepDown(ctx context.Context) error {
	status, err := a.e.Status(ctx)
	if err != nil || status.Leader != a.e.options.Name {
		return err
	}
	next, alone := following(status)
	switch {
	case alone:
		return nil
	case next == "":
		return fmt.Errorf("%w: no other member that votes answers %s", engine.ErrUnavailable, status.Leader)
	}
	return a.MoveLeader(ctx, next)
}

// following returns the member that leads after the present leader: the next one in the order of names, "" for none.
// alone reports that no other one votes.
func following(status engine.Status) (next string, alone bool) {
	alone = true
	for _, m := range status.Members { // in the order of names
		if m.Learner || m.Name == status.Leader {
			continue
		}
		alone = false
		if m.Healthy && (next == "" || m.Name > status.Leader && next < status.Leader) {
			next = m.Name
		}
	}
	return next, alone
}

// Disarm ends the alarms of a full database, after deletes, Compact and Defragment have made room.
func (a Admin) Disarm(ctx context.Context) error {
	return a.disarm(ctx, pb.AlarmType_NOSPACE)
}

// disarm ends the alarms of a kind.
func (a Admin) disarm(ctx context.Context, kind pb.AlarmType) error {
	return a.e.call(ctx, func(ctx context.Context) error {
		for _, m := range a.e.server.Server.Alarms() {
			if m.Alarm != kind {
				continue
			}
			if _, err := a.e.client.AlarmDisarm(ctx, &clientv3.AlarmMember{MemberID: m.MemberID, Alarm: m.Alarm}); err != nil {
				return err
			}
		}
		return nil
	})
}

// Defragment rewrites the database of this member without the pages that are free. The member answers
// nothing in the meantime.
func (a Admin) Defragment(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	a.e.calls.RLock()
	defer a.e.calls.RUnlock()
	if a.e.ctx.Err() != nil {
		return context.Cause(a.e.ctx)
	}
	return a.e.server.Server.Backend().Defrag()
}

// sound returns the addresses of all members but one, and ErrRisky unless all of these run and have no alarm.
func (a Admin) sound(ctx context.Context, but, doing string) (map[string]string, error) {
	status, err := a.e.Status(ctx)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, m := range status.Members {
		if is(m, but) || m.Learner && slices.Contains(a.copies, m.Peer) {
			continue
		}
		if m.Name == "" || !m.Healthy && a.e.get(ctx, maxProbe, m.Peer, "/version", nil) != nil { // a slow one runs
			return nil, fmt.Errorf("%w: %s while member %q at %s does not run: start it first, with its files",
				ErrRisky, doing, m.Name, m.Peer)
		}
		if m.Learner {
			return nil, fmt.Errorf("%w: %s while member %s copies the data: promote it first", ErrRisky, doing, m.Name)
		}
		all[m.Name] = m.Peer
	}
	if !damagedData(status) {
		return all, nil
	}
	damaged, err := a.Damaged(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %s while the data of members differs: %w", ErrRisky, doing, err)
	}
	for _, name := range damaged {
		if name != but && !a.isCopy(status, name) {
			return nil, fmt.Errorf("%w: %s while the data of member %s differs from that of a majority: replace that one first",
				ErrRisky, doing, name)
		}
	}
	return all, nil
}

// is reports whether a member has a name, or an address.
func is(m engine.Member, name string) bool { return name != "" && (m.Name == name || m.Peer == name) }

// isCopy reports whether a member stays a learner.
func (a Admin) isCopy(status engine.Status, name string) bool {
	return slices.ContainsFunc(status.Members, func(m engine.Member) bool {
		return m.Name == name && m.Learner && slices.Contains(a.copies, m.Peer)
	})
}

// id returns the number of a member, by its name or its address.
func (a Admin) id(ctx context.Context, name string) (uint64, error) {
	var id uint64
	err := a.e.call(ctx, func(ctx context.Context) error {
		r, err := a.e.client.MemberList(ctx)
		if err != nil {
			return err
		}
		for _, m := range r.Members {
			u := a.e.options.url(name)
			if m.Name == name || slices.Contains(m.PeerURLs, u.String()) {
				id = m.ID
			}
		}
		return nil
	})
	if err == nil && id == 0 {
		err = fmt.Errorf("%w: %s", ErrNoMember, name)
	}
	return id, err
}

// unless returns an error, or nil if it means that an attempt before has made the change.
func unless(err, made error) error {
	if errors.Is(err, made) {
		return nil
	}
	return err
}

// change makes a change of the members.
func (a Admin) change(ctx context.Context, change func(context.Context) error) error {
	return a.settled(ctx, func() error { return a.e.call(ctx, change) })
}

// settled makes a part of a change again while it is refused because another change has not settled yet, because no
// majority is reached, as in an election, or with one of more errors.
func (a Admin) settled(ctx context.Context, change func() error, more ...error) error {
	passing := append(more, rpctypes.ErrMemberLearnerNotReady, rpctypes.ErrUnhealthy, engine.ErrUnavailable)
	for {
		err := change()
		if !slices.ContainsFunc(passing, func(p error) bool { return errors.Is(err, p) }) {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-a.e.ctx.Done():
			return context.Cause(a.e.ctx)
		case <-time.After(100 * time.Millisecond):
		}
	}
}
