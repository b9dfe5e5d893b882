// This file defines what a member asks the others before it starts.

package etcd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"
)

// mayBegin returns an error if a member must not start on an empty directory.
func (e *Engine) mayBegin(ctx context.Context, marked *member) error {
	o := &e.options
	if o.Start == Restart {
		return fmt.Errorf("%w: %s is empty; if the member is new, start it as a new or as a joining one, else %s",
			ErrWiped, o.Dir, repair)
	}
	answered, found := false, false
	for name, address := range o.Members {
		if name == o.Name {
			continue
		}
		all, err := e.recall(ctx, name, address)
		if err != nil {
			return err
		}
		answered = answered || len(all) > 0
		if m := o.own(all); m != nil {
			if found = true; len(m.ClientURLs) > 0 {
				return fmt.Errorf("%w: %s is empty, and the other members know that %s has run; %s",
					ErrWiped, o.Dir, m.Name, repair)
			}
		}
	}
	if answered && !found && o.Start == New {
		return fmt.Errorf("the cluster runs already, and %s at %s is not one of its members: let it join with a token",
			o.Name, o.Peer)
	}
	return nil
}

// recall returns the members that another one knows; none if it does not run. One that runs and is slow is waited for:
// a member without its files that began anew, because nobody had told in time that it had run, would vote without the
// commits that it has acknowledged. etcd panics when the leader tells it of one.
func (e *Engine) recall(ctx context.Context, name, address string) (all []known, err error) {
	for wait := probe; ; wait = min(2*wait, maxProbe) {
		err := e.get(ctx, wait, address, "/members", &all)
		switch {
		case err == nil:
			return all, nil
		case ctx.Err() != nil:
			return nil, fmt.Errorf("%s has not said whether %s has run before: %w", name, e.options.Name, ctx.Err())
		case !errors.Is(err, errSlow):
			return nil, nil
		}
		e.log.Warn("another member runs and does not answer: the engine waits until it says whether this one has run before",
			"part", "engine", "member", name, "error", err)
	}
}

// probe bounds a request to another member that is asked whether it runs, and maxProbe one to a member that is slow.
const (
	probe    = 500 * time.Millisecond
	maxProbe = 10 * time.Second
)

// errSlow is the error of a request that another member has taken and not answered in time.
var errSlow = errors.New("it has not answered in time")

// known is a member as another one knows it.
type known struct {
	Name       string   `json:"name"`
	PeerURLs   []string `json:"peerURLs"`
	ClientURLs []string `json:"clientURLs"` // empty if it has never taken part
}

// ask returns the members that the other members of the first start know; none if nobody answers.
func (e *Engine) ask(ctx context.Context) []known {
	for name, address := range e.options.Members {
		if name == e.options.Name {
			continue
		}
		var list []known
		if e.get(ctx, probe, address, "/members", &list) == nil {
			return list
		}
	}
	return nil
}

// answered reports whether another member of the options answers soon. A busy one is asked several times.
func (e *Engine) answered(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, 4*probe)
	defer cancel()
	var asking sync.WaitGroup
	var found atomic.Bool
	for name, address := range e.options.Members {
		if name == e.options.Name {
			continue
		}
		asking.Go(func() {
			for ctx.Err() == nil {
				if e.get(ctx, probe, address, "/version", nil) == nil {
					found.Store(true)
					cancel()
				}
				select {
				case <-ctx.Done():
				case <-time.After(probe / 5):
				}
			}
		})
	}
	asking.Wait()
	return found.Load()
}

// get asks another member, and reads its answer in JSON into v if that is not nil. The error is errSlow if the member
// takes connections and does not answer in time.
func (e *Engine) get(ctx context.Context, wait time.Duration, address, path string, v any) (err error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	var connected atomic.Bool
	defer func() {
		if err != nil && ctx.Err() != nil && connected.Load() {
			err = fmt.Errorf("%w: %w", errSlow, err)
		}
	}()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		ConnectDone: func(_, _ string, err error) { connected.Store(connected.Load() || err == nil) },
		GotConn:     func(httptrace.GotConnInfo) { connected.Store(true) },
	})
	u := e.options.url(address)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String()+path, nil)
	if err != nil {
		return err
	}
	resp, err := e.peers.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", u.String()+path, resp.Status)
	}
	if v == nil {
		return nil
	}
	return json.NewDecoder(resp.Body).Decode(v)
}
