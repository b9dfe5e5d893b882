// Package mcp serves task programs over the Model Context Protocol (https://modelcontextprotocol.io), so that a model
// writes programs over the granted tools instead of calling them one by one.
//
//	server, err := mcp.New(mcp.Options{Run: ptc.Options{Tools: registry}})
//	defer server.Close()
//	err = server.ServeStdio(ctx, os.Stdin, os.Stdout) // or http.Handle("/mcp", server.Handler(mcp.BearerToken(token)))
//
// The server has these tools:
//
//   - run_program runs a program, and returns its value, prints and usage, or the error that the model repairs it from.
//   - check_program finds mistakes without running anything.
//   - search_tools and describe_tools find granted tools if the card, which is part of the description of run_program,
//     has no room for all of them.
//
// It has the prompt write_program, and resources: ptc://run/ID/value is a value that was too large for an answer, and
// ptc://doc/NAME the documentation of a function or tool.
//
// # Pending effects
//
// If a program waits for approvals, or answers to its questions, the server asks the person at the client by an
// elicitation. In the revision 2026-07-28 of the protocol that is an answer to the call, with which the client calls
// again; the run lives on in between, at most for Options.Lifetime. In older revisions the server asks while the call
// is under way. A client that can't ask gets the status pending, and the possible next steps. A model can
// answer questions for its person with the argument answers. It can approve nothing.
//
// # Bounds
//
// Each run has the limits of Options.Run, which a call can only narrow. At most Options.Concurrent programs
// run concurrently; others wait for their turn. Sessions, kept values and waiting runs end after
// Options.Lifetime without use, and their numbers and sizes are bounded. A run ends with the request that
// began it, so that no client that has crashed leaves one behind; with a journal, a run that was
// interrupted can be continued.
package mcp
