// This file defines how the service serves clients of the Model Context Protocol.

package main

import (
	"log/slog"
	"net/http"

	"github.com/ptc-lang/ptc/cmd/internal/buildinfo"
	"github.com/ptc-lang/ptc/mcp"
	"github.com/ptc-lang/ptc/serve"
	servemcp "github.com/ptc-lang/ptc/serve/mcp"
	"github.com/ptc-lang/ptc/tools/grant"
)

// programs returns the server for the clients; nil without --serve-mcp.
func (s *settings) programs(engine *serve.Engine, granted *grant.Set, log *slog.Logger) (*mcp.Server, error) {
	if !s.serveMCP {
		return nil, nil
	}
	return servemcp.New(engine, mcp.Options{Reach: granted.Reach(), Version: buildinfo.Version(version),
		CardTokens: s.cardTokens, Log: log})
}

// programsHandler returns the handler of such a server, if there is one.
func programsHandler(server *mcp.Server) http.Handler {
	if server == nil {
		return nil
	}
	return servemcp.Handler(server)
}
