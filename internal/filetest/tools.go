// This file defines the tools that the ";; tools" directive grants.

package filetest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/ptc-lang/ptc/runtime/tool"
)

// Product is an item that the tool search finds.
type Product struct {
	ID    int     `json:"id"`
	Name  string  `json:"name"`
	Price float64 `json:"price"`
}

var catalogue = []Product{{1, "desk lamp", 25}, {2, "floor lamp", 80.5}, {3, "desk", 210}}

// SearchArgs are the arguments of the tool search.
type SearchArgs struct {
	Query string `json:"query"`
	Limit int    `json:"limit,omitempty"`
}

// FailArgs are the arguments of the tool fail.
type FailArgs struct {
	Code      string `json:"code"`
	Message   string `json:"message,omitempty"`
	Retryable bool   `json:"retryable,omitempty"`
	Times     int64  `json:"times,omitempty" jsonschema:"how often it fails; always, if 0"`
}

// Tools returns the tools of facts: search finds products, echo returns its value, fail fails.
// http.get is known, but not granted.
func Tools() (*tool.Registry, error) {
	var failed atomic.Int64
	reg, err := tool.NewRegistry(
		tool.New("search", "Searches the catalogue for products.", search, tool.ReadOnly(),
			tool.Example(`(tool/search {:query "lamp"})`)),
		tool.Dynamic("echo", "Returns its argument.",
			json.RawMessage(`{"type":"object","properties":{"value":{}},"required":["value"]}`), nil, echo, tool.ReadOnly()),
		tool.New("fail", "Fails with a code.", func(_ context.Context, in FailArgs) (string, error) {
			if n := failed.Add(1); in.Times > 0 && n > in.Times {
				return fmt.Sprintf("call %d", n), nil
			}
			return "", &tool.Error{Code: in.Code, Message: in.Message, Retryable: in.Retryable,
				Data: map[string]string{"given": in.Code}}
		}))
	if err != nil {
		return nil, err
	}
	reg.Withhold("http.get", "grant it with --allow-http example.com")
	return reg, nil
}

func search(_ context.Context, in SearchArgs) ([]Product, error) {
	var found []Product
	for _, p := range catalogue {
		if (in.Limit == 0 || len(found) < in.Limit) && strings.Contains(p.Name, in.Query) {
			found = append(found, p)
		}
	}
	return found, nil
}

func echo(_ context.Context, args json.RawMessage) (json.RawMessage, error) {
	var in struct {
		Value json.RawMessage `json:"value"`
	}
	err := json.Unmarshal(args, &in)
	return in.Value, err
}
