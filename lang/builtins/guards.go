// This file defines guards: bodies that have exclusive use of a host, keep to a rate, or run alone.
// The functions that wait and retry are in the prelude.

package builtins

import (
	"math"

	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/lang/internal/entry"
	"github.com/ptc-lang/ptc/lang/internal/expand"
	"github.com/ptc-lang/ptc/lang/value"
	"github.com/ptc-lang/ptc/runtime/effect"
)

var guards = []entry.Entry{
	{NS: "clojure.core", Name: "host-exclusive", Args: "host & body", Cost: entry.Syntax, Facts: entry.GuardsBody,
		Macro: expandHostExclusive,
		Doc: "Evaluates body while no other evaluation holds the host, a string. Others wait, in the order of their " +
			"arrival. " +
			"Hosts are independent of each other. A lazy sequence that body returns is computed later, without the host.",
		Examples: []string{`(host-exclusive "web-1" (+ 1 2)) => 3`, `(host-exclusive "a" (host-exclusive "a" 1)) !guard-held`,
			`(host-exclusive 7 1) !illegal-argument`}},
	{NS: "clojure.core", Name: "rate-limited", Args: "key limits & body", Cost: entry.Syntax, Facts: entry.GuardsBody,
		Macro: expandRateLimited,
		Doc: "Evaluates body when the rate of the key, a string, allows it. limits is a map of :per-second and :burst, the " +
			"number of bodies that may begin at once (default 1). " +
			"Waiting bodies begin in the order of their arrival.",
		Examples: []string{`(rate-limited "api" {:per-second 1000 :burst 5} :done) => :done`,
			`(rate-limited "api" {:burst 5} 1) !illegal-argument`}},
	{NS: "clojure.core", Name: "global-exclusive", Args: "& body", Cost: entry.Syntax, Facts: entry.GuardsBody,
		Macro:    expandGlobalExclusive,
		Doc:      "Evaluates body while no other global-exclusive body runs, in any run that shares the guards.",
		Examples: []string{"(global-exclusive :done) => :done", "(global-exclusive (global-exclusive 1)) !guard-held"}},
	{NS: "clojure.core", Name: "%enter", Args: "kind:int name limits", Private: true, Cost: entry.Constant, Waits: true,
		Fn:  enterGuard,
		Doc: "Acquires a guard."},
	{NS: "clojure.core", Name: "%leave", Args: "", Private: true, Cost: entry.Constant, Fn: leaveGuard,
		Doc: "Releases the guard that was acquired last."},
	{NS: "clojure.core", Name: "%retry-options", Args: "options", Private: true, Cost: entry.Constant, Fn: retryOptions,
		Doc: "Returns a vector of the options of retry: :times :backoff-ms :max-ms :on."},
	{NS: "clojure.core", Name: "retry", Args: "options & body", Cost: entry.Syntax, Macro: expandRetry,
		Doc: "Evaluates body, and again if it fails with a retryable error. options is a map of :times, the maximum number " +
			"of attempts (3), :backoff-ms, the wait before the second attempt (100), which doubles each time, " +
			":max-ms, the longest wait (30000), and :on, the set of the codes of tools or errors to retry. Without :on, " +
			"errors whose data has :retryable? true are retried. " +
			"Each wait is a random part, between half and all, of that time, and at least as long as the error asks for.",
		Examples: []string{"(retry {:times 2} 7) => 7",
			`(retry {:times 2 :backoff-ms 1 :on #{:exception}} (throw (ex-info "no" {}))) !exception`,
			"(retry {:time 2} 1) !illegal-argument"}},
}

// The functions that expansions call.
var (
	fnGuarded = expand.CoreSym("%guarded")
	fnRetry   = expand.CoreSym("%retry")
)

func expandHostExclusive(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(host-exclusive host body…)")
	return underGuard(x, form, effect.HostExclusive, args[0], value.Nil, args[1:])
}

func expandRateLimited(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 2, -1, "(rate-limited key {:per-second 10 :burst 10} body…)")
	return underGuard(x, form, effect.RateLimited, args[0], args[1], args[2:])
}

func expandGlobalExclusive(x *expand.Expansion, form value.Value) value.Value {
	return underGuard(x, form, effect.GlobalExclusive, value.Nil, value.Nil, expand.FormItems(form)[1:])
}

func underGuard(x *expand.Expansion, form value.Value, kind effect.GuardKind, name, limits value.Value,
	body []value.Value) value.Value {
	return x.List(form, fnGuarded, value.Int(int64(kind)), name, limits, x.Scoped(form, body))
}

func expandRetry(x *expand.Expansion, form value.Value) value.Value {
	args := x.Args(form, 1, -1, "(retry {:times 3 :backoff-ms 100} body…)")
	return x.List(form, fnRetry, args[0], x.Scoped(form, args[1:]))
}

func enterGuard(t *value.Task, a []value.Value) value.Value {
	hint, host := effect.Hint{Kind: effect.GuardKind(a[0].AsInt())}, ""
	switch hint.Kind {
	case effect.HostExclusive:
		host = guardName(t, "host-exclusive", "host", a[1])
	case effect.RateLimited:
		hint.Key = guardName(t, "rate-limited", "key", a[1])
		hint.PerSecond, hint.Burst = rateOf(t, a[2])
	}
	if f := t.Host.EnterGuard(hint, host); f != nil {
		failGuard(t, f)
	}
	return value.Nil
}

// failGuard throws the exception of a refused guard. Its data reports whether retry may try again.
func failGuard(t *value.Task, f *effect.Failure) {
	e := t.NewException(f.Kind, f.Message)
	if e.Hint = f.Hint; f.Retryable {
		e.Data = t.MapOf(keyCode, t.Keyword("", f.Code), keyRetryable, value.True)
	}
	if f.Err != nil {
		e.Way = &value.Way{Err: f.Err}
		t.Charge(e.Way.Size())
	}
	t.Throw(e)
}

// guardName returns the name of a host or key.
func guardName(t *value.Task, who, what string, v value.Value) string {
	if !v.IsString() || v.AsString().S == "" {
		t.FailHint(diag.IllegalArgument, "(str x) makes a string of anything",
			"%s: got %s for the %s, want a string that is not empty", who, value.Describe(t, v), what)
	}
	return v.AsString().S
}

// The names of limits of a rate.
var (
	keyPerSecond = value.ConstKeyword("per-second")
	keyBurst     = value.ConstKeyword("burst")
)

// rateOf returns the numbers of a rate.
func rateOf(t *value.Task, v value.Value) (perSecond float64, burst int) {
	const want = "want a map such as {:per-second 10 :burst 10}"
	if !v.Is(value.Maps) {
		t.Fail(diag.IllegalArgument, "rate-limited: got %s for the limits, %s", value.Describe(t, v), want)
	}
	burst = 1
	for i := range value.MapCount(v) {
		k, x := value.EntryAt(v, i)
		n := math.NaN()
		if x.Is(value.Numbers) {
			n = value.ToDouble(t, x)
		}
		switch {
		case value.Equal(t, k, keyPerSecond) && n > 0:
			perSecond = n
		case value.Equal(t, k, keyBurst) && n >= 1 && n <= 1e9 && n == math.Trunc(n):
			burst = int(n)
		default:
			t.Fail(diag.IllegalArgument, "rate-limited: got %s %s, %s", value.Show(t, k), value.Show(t, x), want)
		}
	}
	if perSecond == 0 {
		t.Fail(diag.IllegalArgument, "rate-limited: got no :per-second, %s", want)
	}
	return perSecond, burst
}

func leaveGuard(t *value.Task, _ []value.Value) value.Value {
	t.Host.LeaveGuard()
	return value.Nil
}

// retryNames are the names of the options of retry, in the order of retryOptions.
var retryNames = [...]value.Value{value.ConstKeyword("times"), value.ConstKeyword("backoff-ms"),
	value.ConstKeyword("max-ms"), value.ConstKeyword("on")}

// maxRetryWait bounds the times of retry, in milliseconds: a day, longer than any run by default.
const maxRetryWait = 24 * 60 * 60 * 1000

func retryOptions(t *value.Task, a []value.Value) value.Value {
	const want = "want a map such as {:times 3 :backoff-ms 100 :max-ms 30000 :on #{:unavailable}}"
	if !a[0].Is(value.Maps) {
		t.Fail(diag.IllegalArgument, "retry: got %s for the options, %s", value.Describe(t, a[0]), want)
	}
	options := [len(retryNames)]value.Value{value.Int(3), value.Int(100), value.Int(30_000), value.Nil}
	for i := range value.MapCount(a[0]) {
		k, v := value.EntryAt(a[0], i)
		at := -1
		for n, name := range retryNames {
			if value.Equal(t, k, name) {
				at = n
			}
		}
		switch {
		case at == 0 && v.IsInt() && v.AsInt() >= 1,
			(at == 1 || at == 2) && v.IsInt() && v.AsInt() >= 0 && v.AsInt() <= maxRetryWait,
			at == 3 && v.Is(value.Colls):
			options[at] = v
		default:
			t.Fail(diag.IllegalArgument, "retry: got %s %s, %s", value.Show(t, k), value.Show(t, v), want)
		}
	}
	return t.Vector(options[:]...)
}
