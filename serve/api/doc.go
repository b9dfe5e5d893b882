// Package api is the HTTP API of an Engine: an http.Handler that a server, or the program that embeds it, mounts.
//
//	http.ListenAndServe(addr, gate(api.New(engine, api.Options{})))
//
// It does not authenticate: the handler in front of it does, and puts the identity of the caller into the context of
// the request; see access.With. A request without it may do nothing. The handlers compare the tenant of a run with
// that of the request: a run of another tenant is not found.
//
// The types of package store are the JSON of the API. Errors are problem details of RFC 9457 with a code; see Problem.
// The document of the API, OpenAPI 3.1, is at /openapi.json and is made from the Go types.
package api
