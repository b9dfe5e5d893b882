// This file defines the operation on the tools of the service.

package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/runtime/tool"
	"github.com/ptc-lang/ptc/serve/wire"
)

// onFullFail is the word for ptc.OnFullFail.
const onFullFail = "fail"

type toolsReply struct {
	Body wire.Tools
}

// tools adds the operation that lists the tools.
func (a *API) tools() {
	op := operation(http.MethodGet, "/v1/tools", "list-tools", "List the tools that programs may call", "programs")
	op.Description = "With their schemas, as a replay of a journal needs them."
	huma.Register(a.huma, op, func(context.Context, *struct{}) (*toolsReply, error) {
		o := a.engine.Options().Run
		out := &toolsReply{wire.Tools{Tools: []tool.Description{}, Approve: o.Approve}}
		if o.OnFull == ptc.OnFullFail {
			out.Body.OnFull = onFullFail
		}
		for _, t := range o.Tools.All() {
			out.Body.Tools = append(out.Body.Tools, t.Describe())
		}
		return out, nil
	})
}
