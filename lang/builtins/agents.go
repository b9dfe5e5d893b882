// This file defines the natives of agents. The functions that call actions are in the prelude.
//
// The actions that were sent to an agent run as one future, in order. Only that future changes the state of the agent.
// Sends of futures change the queue, which is a cell as an atom is; their actions run in the next operation.

package builtins

import (
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/value"
)

var agents = []entry.Entry{
	{NS: "clojure.core", Name: "%new-agent", Args: "x queue:map", Private: true, Cost: entry.Constant, Fn: newAgent,
		Doc: "Returns an agent."},
	{NS: "clojure.core", Name: "%agent-queue", Args: "a:future", Private: true, Cost: entry.Constant,
		Fn:  func(t *value.Task, a []value.Value) value.Value { return t.Host.Futures().Seen(queueOf(t, a[0])) },
		Doc: "Returns the queue of an agent: a map of :actions, :error, :handler and :mode."},
	{NS: "clojure.core", Name: "%agent-cell", Args: "a:future", Private: true, Cost: entry.Constant,
		Fn:  func(t *value.Task, a []value.Value) value.Value { return queueOf(t, a[0]) },
		Doc: "Returns the cell of the queue of an agent."},
	{NS: "clojure.core", Name: "%order-agent", Args: "a:future", Private: true, Cost: entry.Constant,
		Fn: func(t *value.Task, a []value.Value) value.Value {
			t.Host.Futures().Order(queueOf(t, a[0]))
			return value.Nil
		}, Doc: "Waits for all that comes before a change of an agent."},
	{NS: "clojure.core", Name: "%set-agent-queue", Args: "a:future queue:map", Private: true, Cost: entry.Constant,
		Fn: func(t *value.Task, a []value.Value) value.Value {
			t.Host.Futures().Change(queueOf(t, a[0]), a[1])
			return value.Nil
		}, Doc: "Sets the queue of an agent."},
	{NS: "clojure.core", Name: "%set-agent-state", Args: "a:future x", Private: true, Cost: entry.Constant,
		Fn: func(t *value.Task, a []value.Value) value.Value {
			t.Host.Futures().Change(a[0], a[1])
			return value.Nil
		}, Doc: "Sets the state of an agent."},
	{NS: "clojure.core", Name: "%schedule-agent", Args: "a:future", Private: true, Cost: entry.PerElement,
		Fn:  scheduleAgent,
		Doc: "Makes the future of the actions of an agent, if there is none."},
	{NS: "clojure.core", Name: "%acting", Args: "a:future x", Private: true, Cost: entry.Constant,
		Fn: func(t *value.Task, a []value.Value) value.Value {
			t.Host.Futures().Act(a[0], a[1])
			return value.Nil
		}, Doc: "Sets the state that this evaluation, which runs the actions of an agent, sees."},
	{NS: "clojure.core", Name: "%agent-failed", Args: "e:exception", Private: true, Cost: entry.Constant, Fn: agentFailed,
		Doc: "Throws because an agent has failed with e."},
	{NS: "clojure.core", Name: "%not-failed", Args: "", Private: true, Cost: entry.Constant,
		Fn: func(t *value.Task, _ []value.Value) value.Value {
			e := t.NewException(diag.IllegalState, "Agent does not need a restart")
			e.Class = "java.lang.RuntimeException"
			t.Throw(e)
			return value.Nil
		}, Doc: "Throws because an agent has not failed."},
	{NS: "clojure.core", Name: "%agent?", Args: "x", Private: true, Cost: entry.Constant,
		Fn: func(_ *value.Task, a []value.Value) value.Value {
			return value.Bool(value.IsSort(a[0], value.SortAgent))
		}, Doc: "Returns true if x is an agent."},
	{NS: "clojure.core", Name: "%send", Args: "a:future action:vector", Private: true, Cost: entry.Constant, Fn: send,
		Doc: "Queues an action, a vector of a function and its arguments."},
}

var (
	keyActions = value.ConstKeyword("actions")
	keyFailure = value.ConstKeyword("error")
)

func newAgent(t *value.Task, a []value.Value) value.Value {
	queue := t.Future(value.SortQueue, value.Nil, t.MapAssoc(a[1], keyActions, value.EmptyVector))
	agent := t.Future(value.SortAgent, queue, a[0])
	queue.AsFuture().Fn = agent
	return agent
}

// queueOf returns the queue of an agent.
func queueOf(t *value.Task, v value.Value) value.Value {
	if !value.IsSort(v, value.SortAgent) {
		t.Fail(diag.WrongType, "got %s, want an agent", value.Describe(t, v))
	}
	return v.AsFuture().Fn
}

func agentFailed(t *value.Task, a []value.Value) value.Value {
	e := t.NewException(diag.Thrown, "Agent is failed, needs restart")
	e.Class, e.Cause = "java.lang.RuntimeException", a[0]
	e.Hint = "(agent-error a) has the exception; (restart-agent a state) lets the agent continue"
	t.Throw(e)
	return value.Nil
}

// actionsOf returns the actions of a queue.
func actionsOf(t *value.Task, queue value.Value) value.Value {
	all, _ := t.MapGet(t.Host.Futures().Seen(queue), keyActions)
	return all
}

// isIdle reports whether no action of a queue is going to run.
func isIdle(t *value.Task, queue value.Value) bool {
	if value.VecCount(actionsOf(t, queue)) == 0 {
		return true
	}
	e, _ := t.MapGet(t.Host.Futures().Seen(queue), keyFailure)
	return !e.IsNil()
}

// send changes nothing before it can no longer unwind.
func send(t *value.Task, a []value.Value) value.Value {
	fs, q := t.Host.Futures(), queueOf(t, a[0])
	fs.Order(q)
	actions, all := actionsOf(t, q), fs.Outstanding()
	next := t.MapAssoc(fs.Seen(q), keyActions, t.Conj(actions, a[1]))
	if q.AsFuture().Owner() == t.Owner && value.VecCount(actions) == 0 {
		all = with(t, all, t.Future(value.SortFuture, a[0], value.Nil))
	}
	fs.Change(q, next)
	fs.SetOutstanding(all)
	return a[0]
}

// withActions returns all futures that are outstanding, with that of the actions of a queue of this evaluation.
func withActions(t *value.Task, queue, all value.Value) value.Value {
	if queue.AsFuture().Owner() != t.Owner || isIdle(t, queue) {
		return all
	}
	agent := queue.AsFuture().Fn
	for i := 0; !all.IsNil() && i < value.VecCount(all); i++ {
		t.Work(1)
		if f := value.VecAt(all, i).AsFuture(); value.Identical(f.Fn, agent) && f.State <= value.StateRunning {
			return all
		}
	}
	return with(t, all, t.Future(value.SortFuture, agent, value.Nil))
}

func scheduleAgent(t *value.Task, a []value.Value) value.Value {
	fs := t.Host.Futures()
	fs.SetOutstanding(withActions(t, queueOf(t, a[0]), fs.Outstanding()))
	return value.Nil
}

// endActions fails the agent of a future that has ended without the changes of the actions.
func endActions(t *value.Task, f *value.Future) {
	if !value.IsSort(f.Fn, value.SortAgent) || f.State != value.StateFailed && f.State != value.StateLate {
		return
	}
	fs, q, e := t.Host.Futures(), f.Fn.AsFuture().Fn, f.Val
	if f.State == value.StateLate {
		e = lateActions(t)
	}
	m := t.MapAssoc(fs.Seen(q), keyActions, value.EmptyVector)
	fs.Change(q, t.MapAssoc(m, keyFailure, e))
}

// lateActions returns the exception of an agent whose actions a timeout has ended.
func lateActions(t *value.Task) value.Value {
	e := t.NewException(diag.IllegalState, "a wait with a timeout has ended the actions of this agent")
	e.Hint = "give await-for more time, or use await"
	return value.Of(&e.Header)
}
