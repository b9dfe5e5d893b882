// This file defines the tools.

package facts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/ptc-lang/ptc/cluster/engine"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// The codes of failures.
const (
	CodeConflict    = "conflict"    // :if-version is not the version that is there
	CodeTooLarge    = "too-large"   // a bound of this package
	CodeUnavailable = "unavailable" // no majority of the nodes can be reached
	CodeCompacted   = "compacted"   // the changes that facts.watch is to return are not kept any more
)

// Names returns the tools of this package, each with the way to grant it.
func Names() map[string]string {
	const how = "grant it with facts in the section cluster of the configuration"
	return map[string]string{"facts.get": how, "facts.put": how, "facts.watch": how, "facts.list": how}
}

// Tools returns the tools that read and write facts.
func (s *Store) Tools() []*tool.Tool {
	const (
		get = "Returns what is known about a host: its facts by name, and their versions. :level is how fresh they are: " +
			"\"eventual\", \"session\" (at most 5 s old, and including the run's own writes), \"strong\" or \"quorum\"."
		list  = "Lists the hosts that have facts. If :more is true, the next page begins :after the last host of this one."
		watch = "Waits until facts of a host change after a version, at most :seconds, and returns the facts that have " +
			"changed, and the version to go on with."
		put = "Sets a fact of a host; with :if-version, only if the fact has that version. 0 stands for no fact."
	)
	return []*tool.Tool{
		tool.New("facts.get", get, s.getTool, tool.ReadOnly(),
			tool.Example(`(tool/facts.get {:host "web-1" :level "strong"})`)),
		tool.New("facts.list", list, s.listTool, tool.ReadOnly(),
			tool.Example(`(:hosts (tool/facts.list {:prefix "web-"}))`)),
		tool.New("facts.watch", watch, s.watchTool, tool.ReadOnly(), tool.Timeout(maxWatch+10*time.Second),
			tool.Example(`(tool/facts.watch {:host "web-1" :after 17 :seconds 10})`)),
		tool.Dynamic("facts.put", put, json.RawMessage(putArgs), json.RawMessage(putResult), s.putTool,
			tool.Example(`(tool/facts.put {:host "web-1" :fact "os" :value {:name "debian" :release 13}})`)),
	}
}

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

func factsOf(all map[string]Fact, only string, at engine.Revision) Facts {
	out := Facts{Facts: make(map[string]json.RawMessage), Versions: make(map[string]int64), Version: int64(at)}
	for name, f := range all {
		if only == "" || only == name {
			out.Facts[name], out.Versions[name] = f.Value, int64(f.Version)
		}
	}
	return out
}

func (s *Store) getTool(ctx context.Context, in GetArgs) (Facts, error) {
	if in.Level != "" && !in.Level.valid() {
		return Facts{}, &tool.Error{Code: "bad-level",
			Message: fmt.Sprintf("level %q, want eventual, session, strong or quorum", in.Level)}
	}
	all, at, err := s.Get(ctx, in.Host, in.Level)
	if err != nil {
		return Facts{}, failure(err)
	}
	return fitting(ctx, factsOf(all, in.Fact, at))
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

func (s *Store) listTool(ctx context.Context, in ListArgs) (Hosts, error) {
	limit := min(in.Limit, 1000)
	if limit <= 0 {
		limit = 100
	}
	hosts, more, err := s.Hosts(ctx, in.Prefix, in.After, limit)
	if err != nil {
		return Hosts{}, failure(err)
	}
	return Hosts{append([]string{}, hosts...), more}, nil
}

// WatchArgs are the arguments of facts.watch.
type WatchArgs struct {
	Host    string  `json:"host"`
	After   int64   `json:"after" jsonschema:"a :version of facts.get or facts.watch"`
	Seconds float64 `json:"seconds,omitempty" jsonschema:"maximum time to wait; default 20, at most 300"`
}

// maxWatch is the longest time that facts.watch waits.
const maxWatch = 300 * time.Second

func (s *Store) watchTool(ctx context.Context, in WatchArgs) (Facts, error) {
	wait := 20 * time.Second
	if in.Seconds > 0 {
		wait = time.Duration(min(in.Seconds, maxWatch.Seconds()) * float64(time.Second))
	}
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	changed, version, err := s.Watch(waiting, in.Host, engine.Revision(in.After))
	if err != nil && waiting.Err() != nil && ctx.Err() == nil {
		changed, version, err = nil, engine.Revision(in.After), nil
	}
	if err != nil {
		return Facts{}, failure(err)
	}
	return fitting(ctx, factsOf(changed, "", version))
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

func (s *Store) putTool(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
	var in struct {
		Host      string           `json:"host"`
		Fact      string           `json:"fact"`
		Value     json.RawMessage  `json:"value"`
		IfVersion *engine.Revision `json:"if-version"`
	}
	if err := json.Unmarshal(args, &in); err != nil {
		return nil, err
	}
	version, err := s.Put(ctx, in.Host, in.Fact, in.Value, in.IfVersion)
	if err != nil {
		return nil, failure(err)
	}
	return fmt.Appendf(nil, `{"version":%d}`, version), nil
}

// failure returns an error with the code that a program sees.
func failure(err error) error {
	var conflict *Conflict
	switch {
	case errors.As(err, &conflict):
		return &tool.Error{Code: CodeConflict, Message: err.Error(), Data: map[string]int64{"version": int64(conflict.Was)}}
	case errors.Is(err, ErrBound), errors.Is(err, engine.ErrTooLarge), errors.Is(err, engine.ErrFull):
		return &tool.Error{Code: CodeTooLarge, Message: err.Error()}
	case errors.Is(err, engine.ErrCompacted):
		return &tool.Error{Code: CodeCompacted, Message: "the changes after this version are not kept any more: read the " +
			"facts with facts.get, and watch after their version"}
	case errors.Is(err, engine.ErrUnavailable):
		return &tool.Error{Code: CodeUnavailable, Message: err.Error() + "; a write may have been made: read the fact " +
			"before writing again", Err: err}
	}
	return err
}
