// This file defines the endpoints for those who operate the service.

package main

import (
	"net/http"
	"net/http/pprof"
)

// withProfiles returns a handler that has the profiles of Go's runtime at /debug/pprof/, beside those of next. The
// gate lets only operators in.
func withProfiles(next http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", next)
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return mux
}
