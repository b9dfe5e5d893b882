// Package client is a client of the service ptcd over its HTTP API.
//
//	c, err := client.New("https://ptc.example.com", client.Options{TokenFile: "/run/secrets/ptc"})
//	run, err := c.Submit(ctx, store.Submission{Source: source, Key: "nightly-2026-11-23"}, 0)
//	run, err = c.Follow(ctx, run.ID, os.Stdout)
//
// The types are those of packages store, for runs, and serve/wire, for the rest of the API. Package client
// itself adds only Error, which every method returns: errors.Is finds the errors of package store in it,
// and errors.As the *ptc.Error of a program that does not compile.
//
// Requests that read, and submissions that have a key, are sent again while the service does not answer, is full or is
// ending; see Options.Patience. Other requests are sent once. Streams of events continue after the last
// event when their connection is lost.
//
// The package links no more than package ptc does, and net/http.
package client
