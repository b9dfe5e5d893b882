package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFilesThatAreNone runs commands on files that are missing, too large, or not regular: the exit code
// depends on the kind of file, whichever command reads it.
func TestFilesThatAreNone(t *testing.T) {
	dir := t.TempDir()
	path := func(name string, size int) string {
		name = filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		f, err := os.Create(name)
		require.NoError(t, err)
		require.NoError(t, f.Truncate(int64(size)))
		require.NoError(t, f.Close())
		return name
	}
	ok := path("ok.ptc", 0)
	require.NoError(t, os.WriteFile(ok, []byte("1"), 0o644))
	beside := path("sub/beside.ptc", 0)
	path("sub/ptc.yaml", 64<<10+1)
	big, huge, missing := path("big", 17<<20), path("huge", 64<<20+1), filepath.Join(dir, "missing")
	for command, want := range map[string]wants{
		"run " + beside:                             {exitUsage, "", "ptc.yaml: more than 64KB"},
		"check " + beside:                           {exitUsage, "", "ptc.yaml: more than 64KB"},
		"run " + ok + " --policy " + big:            {exitUsage, "", "big: more than 1MB"},
		"prompt --policy " + big:                    {exitUsage, "", "big: more than 1MB"},
		"prompt --tools " + big:                     {exitUsage, "", "big: more than 16MB"},
		"repl --policy " + big:                      {exitUsage, "", "big: more than 1MB"},
		"run " + huge:                               {exitCompile, "", "error[source-too-large]"},
		"check " + huge:                             {exitCompile, "", "error[source-too-large]"},
		"fmt " + huge:                               {exitCompile, "", "error[source-too-large]"},
		"run " + ok + " --memory 1MB --data " + big: {exitLimit, "", "big: more than 1MB, the limit of --memory"},
	} {
		t.Run(command, func(t *testing.T) { want.check(t, ptcWith("", strings.Fields(command)...)) })
	}
	for _, command := range []string{"run ", "run " + ok + " --data ", "run " + ok + " --policy ", "check ", "fmt ", "replay ", "trace ", "resume ",
		"prompt --tools ", "prompt --data ", "repl --data "} {
		for _, file := range []string{missing, dir} {
			t.Run(command+file, func(t *testing.T) {
				got := ptcWith("", strings.Fields(command+file)...)
				require.Equal(t, exitUsage, got.code, got.err)
				require.Contains(t, got.err, file)
			})
		}
	}
}
