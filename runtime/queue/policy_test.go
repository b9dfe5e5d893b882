package queue_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/queue"
)

func TestPack(t *testing.T) {
	for action, pack := range map[string]string{"aws.ec2_start": "aws", "search": "", "aws.": "aws", "a.b.c": "a", "a..c": "a", "": "", ".x": ""} {
		require.Equal(t, pack, queue.Pack(action), action)
	}
}

func TestCheck(t *testing.T) {
	ok := queue.Policy{Concurrency: 1, Rate: queue.Rate{Calls: 1, Per: 1},
		Quota: queue.Quota{Calls: queue.MaxQuota, Window: 1}}
	require.Empty(t, queue.Policies{}.Check())
	require.Empty(t, queue.Policies{
		Global: ok, Packs: map[string]queue.Policy{"aws": ok}, Actions: map[string]queue.Policy{"aws.ec2_start": ok, "aws.ec2.start.now": ok, "search": {}},
	}.Check())

	got := queue.Policies{
		Global: queue.Policy{Concurrency: -1, Rate: queue.Rate{Burst: -2},
			Quota: queue.Quota{Calls: queue.MaxQuota + 1, Window: -time.Second}},
		Packs: map[string]queue.Policy{"a.b": {}, "": {}, "b": {Rate: queue.Rate{Calls: 1}}},
		Actions: map[string]queue.Policy{
			"a..c": {}, "a.": {}, ".a": {}, "a b": {}, "z": {Quota: queue.Quota{Window: time.Hour}},
		},
	}.Check()
	var lines []string
	for _, p := range got {
		lines = append(lines, p.Error())
	}
	require.Equal(t, []string{
		"global: concurrency: got -1, want at least 1",
		"global: rate: calls: got 0, want at least 1",
		"global: rate: per: got 0s, want a time above 0",
		"global: rate: burst: got -2, want at least 1",
		"global: quota: calls: got 1000001, want at most 1000000; a rate has no such limit",
		"global: quota: window: got -1s, want a time above 0",
		"packs: : the name of a pack is empty or has blanks in it",
		"packs: a.b: a pack has no dot in its name: it is what stands before the first dot of its actions",
		"packs: b: rate: per: got 0s, want a time above 0",
		"actions: .a: the name of an action, or a part of it, is empty or has blanks in it",
		"actions: a b: the name of an action, or a part of it, is empty or has blanks in it",
		"actions: a.: the name of an action, or a part of it, is empty or has blanks in it",
		"actions: a..c: the name of an action, or a part of it, is empty or has blanks in it",
		"actions: z: quota: calls: got 0, want at least 1",
	}, lines)
}

func TestNewEnforcerRefusesProblems(t *testing.T) {
	e, err := queue.NewEnforcer(queue.Policies{
		Global: queue.Policy{Concurrency: -1}, Packs: map[string]queue.Policy{"a.b": {}},
	}, queue.New(queue.Options{}))
	require.Nil(t, e)
	require.EqualError(t, err, "global: concurrency: got -1, want at least 1\n"+
		"packs: a.b: a pack has no dot in its name: it is what stands before the first dot of its actions")
	var problem queue.Problem
	require.ErrorAs(t, err, &problem)
	require.Equal(t, []string{"global", "concurrency"}, problem.Path)
}

// TestMostSpecificConcurrency goes through all combinations of levels that say
// something.
func TestMostSpecificConcurrency(t *testing.T) {
	for set := range 8 {
		at := func(bit, n int) queue.Policy {
			if set&bit == 0 {
				return queue.Policy{Rate: queue.Rate{Calls: 1, Per: time.Hour}} // says nothing of concurrency
			}
			return queue.Policy{Concurrency: n}
		}
		e, err := queue.NewEnforcer(queue.Policies{
			Global:  at(1, 30),
			Packs:   map[string]queue.Policy{"aws": at(2, 20)},
			Actions: map[string]queue.Policy{"aws.start": at(4, 10), "search": at(4, 11)},
		}, queue.New(queue.Options{}))
		require.NoError(t, err)
		first := func(limits ...int) int {
			for _, n := range limits {
				if n > 0 {
					return n
				}
			}
			return queue.NoLimit
		}
		action, pack, global := 10*(set>>2&1), 20*(set>>1&1), 30*(set&1)
		for name, want := range map[string]int{
			"aws.start": first(action, pack, global), "aws.stop": first(pack, global), "gcp.start": first(global),
			"search": first(action/10*11, global), "aws": first(global),
		} {
			require.Equal(t, want, e.Action(name).(*queue.Action).Concurrency(), fmt.Sprintf("%s, levels %03b", name, set))
		}
	}
}
