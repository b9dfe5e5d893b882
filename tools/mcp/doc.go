// Package mcp makes the tools of servers of the Model Context Protocol (https://modelcontextprotocol.io) tools of
// programs: the tool NAME of the server SERVER is tool/SERVER.NAME.
//
//	servers, err := mcp.Open(ctx, mcp.Grant{Servers: []mcp.Server{
//		{Name: "files", Command: "mcp-server-filesystem", Args: []string{"/srv/data"}},
//		{Name: "tickets", URL: "https://tickets.example.com/mcp"},
//	}})
//	defer servers.Close()
//	registry.Add(servers.Tools()...)
//
//	(tool/files.read_text_file {:path "/srv/data/notes.txt"})
//
// Open starts the commands and connects to the URLs, in parallel, and asks each server for its tools. It speaks the
// revisions of the protocol that the SDK knows, the newest first.
//
// # Results
//
// The result of a call is the structured content, if the server sends one. Otherwise it is the content: nil for none,
// the value of one block, a list of the values of several. The value of a text is the text, or its data if it is a
// JSON object or array. Images, audio and resources are maps with :type, :mime-type and :base64; data
// larger than 1 MB is replaced by :dropped, its size in bytes. A result that has isError is a failure with
// its text as message.
//
// # Classes
//
// A tool with the annotation readOnlyHint is read-only, one with idempotentHint idempotent, and any other a write. The
// server could lie: [Server.Classes] overrides it.
//
// # Lost connections
//
// A connection that is lost is made again by the next call, after a pause if the previous one did not last. A call
// that was not sent is sent then. One that was under way fails with the code disconnected. It is retryable if the
// tool is read-only or idempotent; it is unknown whether a write has happened. A tool whose declaration
// differs on the new connection, or after the server has reported a change of its tools, is refused with
// the code changed.
//
// # Bounds on servers
//
// The names, descriptions and schemas of a server are bounded; a tool that is beyond them is refused, see
// [Servers.Refused]. A description is quoted, as the words of the server. So is a message larger than 16 MB, an endless
// list, and a server that does not answer. The process of a server gets PATH, HOME and the variables of the grant, no
// others, and no open files. Its process group is killed when its connection is closed.
package mcp
