// Package effect is the vocabulary that the packages of the runtime share: guards and the path
// of a call measure a Wait, the journal records it, a trace draws it.
package effect

import "time"

// WaitKind says what is waited for.
type WaitKind string

// The kinds, in the order in which a call can come to them.
const (
	Global WaitKind = "global" // the global guard
	Host   WaitKind = "host"   // a host that something else holds
	Queue  WaitKind = "queue"  // a place among the executions of an action
	Token  WaitKind = "token"  // a token of a rate limit, or the end of its pause
)

// WaitKinds are all kinds, in their order.
var WaitKinds = [...]WaitKind{Global, Host, Queue, Token}

// Wait is a stretch of time in which something was waited for. A resource that is free at once is no wait.
type Wait struct {
	Kind     WaitKind
	Key      string // the host, the action or the rate limit; "" for the global guard
	Start    time.Time
	Duration time.Duration
}
