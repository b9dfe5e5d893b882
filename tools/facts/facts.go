// Package facts has the tools with which programs read and write facts about hosts: facts.get, facts.list,
// facts.watch and facts.put. A Source keeps the facts: the nodes of a cluster do (spec/facts.md).
//
//	tools := facts.Tools(source, facts.Write)
//
//	(tool/facts.put {:host "web-1" :fact "os" :value {:name "debian" :release 13}})
//	(:facts (tool/facts.get {:host "web-1"}))
//	;; {:os {:name "debian", :release 13}}
//
// Reads are effects of class read-only: a replay returns the recorded results.
package facts

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/ptc-lang/ptc/runtime/tool"
)

// Source keeps facts. Its errors are *tool.Error with one of the codes of this package, if a program can act on them.
type Source interface {
	// Get returns the facts of a host, as fresh as a level requires; "" is the default one.
	Get(ctx context.Context, host string, level Level) (Facts, error)
	// List returns up to limit names of hosts with facts that begin with a prefix, after a host.
	List(ctx context.Context, prefix, after string, limit int) (Hosts, error)
	// Watch waits until facts of a host change after a version, and returns those that have changed.
	Watch(ctx context.Context, host string, after int64) (Facts, error)
	// Put sets a fact, and returns its version. If version is not nil, the fact must have that version; 0
	// means that there must be no fact.
	Put(ctx context.Context, host, fact string, value json.RawMessage, version *int64) (int64, error)
}

// Level is how fresh a read is.
type Level string

// The levels, see spec/facts.md.
const (
	Eventual Level = "eventual"
	Session  Level = "session"
	Strong   Level = "strong"
	Quorum   Level = "quorum"
)

// Valid reports whether there is such a level.
func (l Level) Valid() bool {
	switch l {
	case Eventual, Session, Strong, Quorum:
		return true
	}
	return false
}

// The codes of failures.
const (
	CodeBadLevel    = "bad-level"
	CodeConflict    = "conflict"    // :if-version is not the current version
	CodeTooLarge    = "too-large"   // a bound of the source, or of the run
	CodeUnavailable = "unavailable" // no majority of the nodes can be reached
	CodeCompacted   = "compacted"   // the changes that facts.watch is to return are not kept any more
)

// Grant is the access that programs have. The zero value is none.
type Grant string

// The grants.
const (
	Read  Grant = "read"
	Write Grant = "write" // and read
)

// Names returns the tools of this package, each with the way to grant it.
func Names() map[string]string {
	const read, write = "grant it with --allow-facts read, on the nodes of a cluster",
		"grant it with --allow-facts write, on the nodes of a cluster"
	return map[string]string{"facts.get": read, "facts.list": read, "facts.watch": read, "facts.put": write}
}

// Stubs returns the tools of a grant, not to be called.
func Stubs(g Grant) []*tool.Tool { return Tools(nil, g) }

// Tools returns the tools of a grant.
func Tools(s Source, g Grant) []*tool.Tool {
	const (
		get = "Returns what is known about a host: its facts by name, and their versions. :level is how fresh they are: " +
			"\"eventual\", \"session\" (a few seconds old at most, and with the run's own writes), \"strong\" or \"quorum\"."
		list  = "Lists the hosts that have facts. If :more is true, the next page begins :after the last host of this one."
		watch = "Waits until facts of a host change after a version, at most :seconds, and returns the facts that have " +
			"changed, and the version to continue with."
		put = "Sets a fact of a host; with :if-version, only if the fact has that version. 0 stands for no fact."
	)
	t := tools{s}
	all := []*tool.Tool{
		tool.New("facts.get", get, t.get, tool.ReadOnly(),
			tool.Example(`(tool/facts.get {:host "web-1" :level "strong"})`)),
		tool.New("facts.list", list, t.list, tool.ReadOnly(),
			tool.Example(`(:hosts (tool/facts.list {:prefix "web-"}))`)),
		tool.New("facts.watch", watch, t.watch, tool.ReadOnly(), tool.Timeout(maxWatch+10*time.Second),
			tool.Example(`(tool/facts.watch {:host "web-1" :after 17 :seconds 10})`)),
	}
	if g == Write {
		all = append(all, tool.Dynamic("facts.put", put, json.RawMessage(putArgs), json.RawMessage(putResult), t.put,
			tool.Example(`(tool/facts.put {:host "web-1" :fact "os" :value {:name "debian" :release 13}})`)))
	}
	return all
}

// tools are the functions of the tools.
type tools struct{ source Source }

// GetArgs are the arguments of facts.get.
type GetArgs struct {
	Host  string `json:"host"`
	Fact  string `json:"fact,omitempty" jsonschema:"only this fact"`
	Level Level  `json:"level,omitempty" jsonschema:"eventual, session, strong or quorum"`
}

// Facts is the result of facts.get and facts.watch.
type Facts struct {
	Facts    map[string]json.RawMessage `json:"facts"`
	Versions map[string]int64           `json:"versions"`
	Version  int64                      `json:"version" jsonschema:"for :after of facts.watch"`
}

func (t tools) get(ctx context.Context, in GetArgs) (Facts, error) {
	if in.Level != "" && !in.Level.Valid() {
		return Facts{}, &tool.Error{Code: CodeBadLevel,
			Message: fmt.Sprintf("level %.100q, want eventual, session, strong or quorum", in.Level)}
	}
	f, err := t.source.Get(ctx, in.Host, in.Level)
	if err != nil {
		return Facts{}, err
	}
	if in.Fact != "" {
		one := Facts{Facts: make(map[string]json.RawMessage), Versions: make(map[string]int64), Version: f.Version}
		if v, ok := f.Facts[in.Fact]; ok {
			one.Facts[in.Fact], one.Versions[in.Fact] = v, f.Versions[in.Fact]
		}
		f = one
	}
	return fitting(ctx, f)
}

// fitting refuses early facts for which the run has no room.
func fitting(ctx context.Context, f Facts) (Facts, error) {
	size := int64(0)
	for name, v := range f.Facts {
		size += int64(2*len(name) + len(v) + 32)
	}
	if room := tool.ResultRoom(ctx); room > 0 && size > room {
		return Facts{}, &tool.Error{Code: CodeTooLarge,
			Message: fmt.Sprintf("the facts have %d bytes, the evaluation has room for %d: get single ones with :fact",
				size, room)}
	}
	return f, nil
}

// ListArgs are the arguments of facts.list.
type ListArgs struct {
	Prefix string `json:"prefix,omitempty" jsonschema:"prefix of the hosts; by default all hosts"`
	After  string `json:"after,omitempty" jsonschema:"the page begins after this host"`
	Limit  int    `json:"limit,omitempty" jsonschema:"maximum number of hosts; default 100, at most 1000"`
}

// Hosts is the result of facts.list.
type Hosts struct {
	Hosts []string `json:"hosts"`
	More  bool     `json:"more" jsonschema:"whether there are further hosts"`
}

func (t tools) list(ctx context.Context, in ListArgs) (Hosts, error) {
	limit := min(in.Limit, 1000)
	if limit <= 0 {
		limit = 100
	}
	out, err := t.source.List(ctx, in.Prefix, in.After, limit)
	if err == nil && out.Hosts == nil {
		out.Hosts = []string{}
	}
	return out, err
}

// WatchArgs are the arguments of facts.watch.
type WatchArgs struct {
	Host    string  `json:"host"`
	After   int64   `json:"after" jsonschema:"a :version of facts.get or facts.watch"`
	Seconds float64 `json:"seconds,omitempty" jsonschema:"maximum time to wait; default 20, at most 300"`
}

// maxWatch is the longest time that facts.watch waits.
const maxWatch = 300 * time.Second

func (t tools) watch(ctx context.Context, in WatchArgs) (Facts, error) {
	wait := 20 * time.Second
	if in.Seconds > 0 {
		wait = time.Duration(min(in.Seconds, maxWatch.Seconds()) * float64(time.Second))
	}
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	changed, err := t.source.Watch(waiting, in.Host, in.After)
	if err != nil && waiting.Err() != nil && ctx.Err() == nil {
		changed, err = Facts{Facts: map[string]json.RawMessage{}, Versions: map[string]int64{}, Version: in.After}, nil
	}
	if err != nil {
		return Facts{}, err
	}
	return fitting(ctx, changed)
}

// The schemas of facts.put, whose function takes the text of the value: decoded into Go's values, large numbers would
// lose digits.
const (
	putArgs = `{"type": "object", "required": ["host", "fact", "value"], "additionalProperties": false, "properties": {
		"host": {"type": "string"},
		"fact": {"type": "string"},
		"value": {},
		"if-version": {"type": "integer", "minimum": 0, "description": "the required version; 0 for no fact"}}}`
	putResult = `{"type": "object", "required": ["version"], "properties": {"version": {"type": "integer"}}}`
)

func (t tools) put(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
	var in struct {
		Host      string          `json:"host"`
		Fact      string          `json:"fact"`
		Value     json.RawMessage `json:"value"`
		IfVersion *int64          `json:"if-version"`
	}
	if err := json.Unmarshal(args, &in); err != nil {
		return nil, err
	}
	version, err := t.source.Put(ctx, in.Host, in.Fact, in.Value, in.IfVersion)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, `{"version":%d}`, version), nil
}
