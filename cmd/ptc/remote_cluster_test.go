//go:build unix

package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestRemoteCluster asks a service that is no node of a cluster, and has words that make no sense.
func TestRemoteCluster(t *testing.T) {
	s := startService(t)
	for _, c := range []struct {
		words []string
		code  int
		want  string
	}{
		{[]string{"status"}, exitService, "this service is not a node of a cluster"},
		{[]string{"drain", "node1", "--undo"}, exitService, "this service is not a node of a cluster"},
		{[]string{"queues"}, exitOK, ""},
		{[]string{"settle"}, exitOK, ""},
		{[]string{"drain"}, exitUsage, "remote cluster drain takes the name of a node, got 0 arguments"},
		{[]string{"members", "x"}, exitUsage, "remote cluster members takes no arguments, got 1"},
		{[]string{"stat"}, exitUsage, `got "stat", want one of status, members`},
		{nil, exitUsage, "want one of status, members"},
		{[]string{"settle", "x"}, exitUsage, "want the id of a run"},
	} {
		got := remoteWith(t, s, append([]string{"cluster"}, c.words...)...)
		assert.Equal(t, c.code, got.code, "%q: %s", c.words, got.err)
		assert.Contains(t, got.err, c.want, "%q", c.words)
	}
}
