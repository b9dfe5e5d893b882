// This file defines the tools that tests grant to programs.

package ptctest

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/tool"
)

type searchArgs struct {
	Query string `json:"query" jsonschema:"what to look for"`
	Limit int    `json:"limit,omitempty"`
}

type hit struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

func search(_ context.Context, in searchArgs) ([]hit, error) {
	hits := []hit{{1, in.Query + " one"}, {2, in.Query + " two"}, {3, in.Query + " three"}}
	if in.Limit > 0 && in.Limit < len(hits) {
		hits = hits[:in.Limit]
	}
	return hits, nil
}

// FetchArgs are the arguments of the tool fetch.
type FetchArgs struct {
	URL string `json:"url"`
}

// Page is the result of the tool fetch.
type Page struct {
	Status int    `json:"status"`
	Body   string `json:"body"`
}

// HostArgs are the arguments of a tool that works on a host.
type HostArgs struct {
	Host string `json:"host"`
}

// Clock returns the tool whose grant lets a program read the time of day.
func Clock() *tool.Tool {
	return tool.New("time.now", "Returns the time.", func(context.Context, struct{}) (int, error) { return 0, nil },
		tool.ReadOnly())
}

// Tools returns a registry of tools that succeed, tools that fail, and the tools in more.
func Tools(t *testing.T, more ...*tool.Tool) *tool.Registry {
	var failures atomic.Int32
	tools := []*tool.Tool{
		tool.New("search", "Searches the catalogue.", search, tool.ReadOnly(), tool.Example(`(tool/search {:query "lamp"})`)),
		tool.New("fetch", "Fetches a page.", func(_ context.Context, in FetchArgs) (Page, error) {
			if in.URL == "" {
				return Page{}, &tool.Error{Code: "no-url", Message: "there is no URL", Data: map[string]int{"status": 400}}
			}
			return Page{200, "<" + in.URL + ">"}, nil
		}, tool.ReadOnly()),
		tool.New("flaky", "Fails twice.", func(context.Context, struct{}) (string, error) {
			if failures.Add(1) <= 2 {
				return "", &tool.Error{Code: "unavailable", Message: "try again", Retryable: true}
			}
			return "done", nil
		}, tool.ReadOnly()),
		tool.New("panics", "Panics.", func(context.Context, struct{}) (int, error) { panic("a bug") }),
		tool.New("plain", "Fails.", func(context.Context, struct{}) (int, error) { return 0, errors.New("it is broken") }),
		tool.New("slow", "Waits for its context.", func(ctx context.Context, _ struct{}) (int, error) {
			<-ctx.Done()
			return 0, ctx.Err()
		}, tool.Timeout(20*time.Millisecond)),
		tool.New("count", "Counts the bytes of a string.", func(_ context.Context, in struct {
			Text string `json:"text"`
		}) (int, error) {
			return len(in.Text), nil
		}),
		tool.New("big", "Returns a string of n bytes.", func(_ context.Context, in struct {
			N int `json:"n"`
		}) (string, error) {
			return strings.Repeat("x", in.N), nil
		}, tool.ReadOnly()),
	}
	reg, err := tool.NewRegistry(append(tools, more...)...)
	require.NoError(t, err)
	return reg
}
