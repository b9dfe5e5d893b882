// This file defines the operations on policies.

package api

import (
	"context"
	"maps"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/ptc-lang/ptc/policy"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/wire"
)

type policiesReply struct {
	Body wire.Policies
}

type policiesRequest struct {
	Body wire.Policies
}

// policies adds the operations on policies.
func (a *API) policies() {
	huma.Register(a.huma, operation(http.MethodGet, "/v1/policies", "get-policies",
		"Get the policies that apply, as a file", "policies"), a.getPolicies)
	put := operation(http.MethodPut, "/v1/policies", "put-policies", "Replace the policies", "policies")
	put.Description = "They apply to all later calls, and to calls that wait: a wider limit lets them start. Rates " +
		"and quotas continue counting. They also hold after a restart, until the policy file of the configuration changes: " +
		"then the file holds. Hints in the text are checked, and apply when the service starts."
	put.MaxBodyBytes = 2 * policy.MaxSize // its text is quoted
	huma.Register(a.huma, put, a.putPolicies)
	check := operation(http.MethodPost, "/v1/policies/validate", "validate-policies", "Check policies", "policies")
	check.Description = "Answers with the policies in the order of the alphabet, and changes nothing."
	check.MaxBodyBytes = put.MaxBodyBytes
	huma.Register(a.huma, check, func(ctx context.Context, in *policiesRequest) (*policiesReply, error) {
		p, err := a.parsed(in.Body.Text)
		if err != nil {
			return nil, a.problem(ctx, err)
		}
		return &policiesReply{wire.Policies{Text: policy.Format(p)}}, nil
	})
}

// parsed returns the policies of a text, whose approvals name tools of the service.
func (a *API) parsed(text string) (p queue.Policies, err error) {
	const name = "policies"
	if p, err = policy.Parse(name, text); err != nil || len(p.Approve.Tools) == 0 {
		return p, err
	}
	tools := a.engine.Options().Run.Tools
	known := slices.AppendSeq([]string{}, maps.Keys(tools.Withheld()))
	for _, t := range tools.All() {
		known = append(known, t.Name())
	}
	return p, policy.CheckTools(name, text, slices.Values(known))
}

func (a *API) getPolicies(ctx context.Context, _ *struct{}) (*policiesReply, error) {
	q, err := a.queues(ctx, access.Viewer)
	if err != nil {
		return nil, err
	}
	return inForce(q), nil
}

// inForce returns the policies that apply.
func inForce(q serve.Queues) *policiesReply {
	return &policiesReply{wire.Policies{Text: policy.Format(q.Policies())}}
}

func (a *API) putPolicies(ctx context.Context, in *policiesRequest) (*policiesReply, error) {
	q, err := a.queues(ctx, access.Operator)
	if err != nil {
		return nil, err
	}
	who := access.From(ctx).Name
	if err := a.engine.PutPolicies(ctx, in.Body.Text, who, a.parsed); err != nil {
		return nil, a.problem(ctx, err)
	}
	a.log.InfoContext(ctx, "the policies were replaced", "by", who)
	return inForce(q), nil
}
