// This file defines which role each endpoint needs.

package access

import (
	"net/http"
	"net/url"
	"sync"
)

// A Rule is the role that requests need.
type Rule struct {
	Pattern string // as of http.ServeMux
	Role    Role   // the least one; not used if Open
	Open    bool   // nobody needs to sign in
	Audited bool   // requests that change nothing stand in the audit log too
}

// Rules returns the rules of the endpoints of a service. A request that none matches needs an operator. The rules
// say nothing about tenants: the handlers compare the tenant of a run with Who.Sees and Who.Changes.
func Rules() []Rule {
	return []Rule{
		{Pattern: "GET /healthz", Open: true},
		{Pattern: "GET /readyz", Open: true},
		{Pattern: "GET /openapi.json", Open: true}, // as public as the source
		{Pattern: "GET /metrics", Role: Viewer},    // totals, without tenants, hosts or arguments
		{Pattern: "/debug/pprof/", Role: Operator, Audited: true},

		{Pattern: "GET /v1/runs", Role: Viewer},
		{Pattern: "POST /v1/runs", Role: Submitter},
		{Pattern: "GET /v1/runs/{id}", Role: Viewer},
		{Pattern: "GET /v1/runs/{id}/result", Role: Viewer},
		{Pattern: "GET /v1/runs/{id}/journal", Role: Viewer, Audited: true}, // all arguments and results
		{Pattern: "GET /v1/runs/{id}/trace", Role: Viewer},
		{Pattern: "GET /v1/runs/{id}/events", Role: Viewer},
		{Pattern: "GET /v1/runs/{id}/prints", Role: Viewer},
		{Pattern: "GET /v1/runs/{id}/units", Role: Viewer},
		{Pattern: "POST /v1/runs/{id}/cancel", Role: Submitter},
		{Pattern: "POST /v1/runs/{id}/resume", Role: Submitter},
		{Pattern: "POST /v1/runs/{id}/settle", Role: Submitter},
		{Pattern: "GET /v1/pending", Role: Viewer},

		// Programs are shared by all tenants, so their authors are operators.
		{Pattern: "GET /v1/programs", Role: Viewer},
		{Pattern: "GET /v1/programs/{name}", Role: Viewer},
		{Pattern: "GET /v1/programs/{name}/versions", Role: Viewer},
		{Pattern: "GET /v1/programs/{name}/versions/{version}", Role: Viewer},
		{Pattern: "PUT /v1/programs/{name}", Role: Operator},
		{Pattern: "GET /v1/tools", Role: Viewer},
		{Pattern: "GET /v1/schedules", Role: Viewer},
		{Pattern: "GET /v1/schedules/{name}", Role: Viewer},
		{Pattern: "PUT /v1/schedules/{name}", Role: Submitter},
		{Pattern: "DELETE /v1/schedules/{name}", Role: Submitter},
		{Pattern: "POST /v1/schedules/{name}/run", Role: Submitter},

		{Pattern: "/v1/sessions", Role: Submitter}, // each runs code
		{Pattern: "/v1/sessions/", Role: Submitter},
		{Pattern: "/mcp", Role: Submitter},

		// Waiting executions and guards show the hosts of all tenants, so they are for operators.
		{Pattern: "GET /v1/actions", Role: Viewer},
		{Pattern: "GET /v1/actions/{ref}/queue-stats", Role: Viewer},
		{Pattern: "POST /v1/actions/{ref}/executions", Role: Submitter}, // to do something outside of the service
		{Pattern: "GET /v1/executions/{id}", Role: Viewer},
		{Pattern: "GET /v1/policies", Role: Viewer},
		{Pattern: "GET /v1/cluster", Role: Viewer},            // names and loads of nodes; all changes are for operators
		{Pattern: "POST /v1/policies/validate", Role: Viewer}, // changes nothing
		{Pattern: "POST /v1/executions/{id}/complete", Role: Submitter},
	}
}

// endpoints is the rulebook of Rules.
var endpoints = sync.OnceValue(func() *rulebook { return newRulebook(Rules()) })

// RuleOf returns the rule of an endpoint of the service, for documents. The path may have wildcards such as {id}.
func RuleOf(method, path string) Rule {
	return endpoints().of(&http.Request{Method: method, URL: &url.URL{Path: path}})
}

// rulebook finds the rule of a request, with the matching of http.ServeMux, so that it sees a path as the service
// does.
type rulebook struct {
	mux *http.ServeMux
	by  map[string]Rule
}

// newRulebook panics if two rules conflict, as http.ServeMux does.
func newRulebook(rules []Rule) *rulebook {
	b := &rulebook{http.NewServeMux(), make(map[string]Rule)}
	for _, r := range rules {
		b.mux.Handle(r.Pattern, http.NotFoundHandler())
		b.by[r.Pattern] = r
	}
	return b
}

// of returns the rule of a request.
func (b *rulebook) of(r *http.Request) Rule {
	_, pattern := b.mux.Handler(r)
	if rule, ok := b.by[pattern]; ok {
		return rule
	}
	return Rule{Role: Operator}
}
