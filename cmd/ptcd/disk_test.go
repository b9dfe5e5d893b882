//go:build linux

package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/store"
)

// smallDisk returns the path of a file system with so many bytes.
func smallDisk(t *testing.T, size int) string {
	path := t.TempDir()
	mount := exec.Command("mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%d", size), "tmpfs", path)
	if out, err := mount.CombinedOutput(); err != nil {
		t.Skipf("a file system can't be mounted, which takes root: %s", out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", path).CombinedOutput(); err != nil {
			t.Errorf("umount: %s", out)
		}
	})
	return path
}

// fill writes a file until the disk is full.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	require.NoError(t, err)
	defer f.Close()
	for size := 64 << 10; size > 0; {
		if _, err = f.Write(make([]byte, size)); err != nil {
			require.ErrorIs(t, err, syscall.ENOSPC)
			size /= 2
		}
	}
}

// TestFullDisk fills the disk of a service. Submissions are refused with the reason, a run under way waits
// for space, and confirmed changes are kept. When there is space again, everything continues.
func TestFullDisk(t *testing.T) {
	disk := smallDisk(t, 8<<20)
	c := newCounter(t)
	s := startService(t, filepath.Join(disk, "state"), c.flags()...)
	source := fmt.Sprintf(`(println "before") (tool/http.get "%[1]s/") (:status (tool/http.post {:url "%[1]s/?key=w" :body "x"}))`, c.URL)
	working := s.submit(source)
	<-c.holds
	filler := filepath.Join(disk, "filler")
	require.NoError(t, os.WriteFile(filler, make([]byte, 3<<20), 0o600))
	submit := func(i int) (run store.Run, err error) {
		var out struct {
			store.Run
			Code, Detail string
		}
		one := store.Submission{Source: fmt.Sprintf("%d ;%s", i, strings.Repeat("x", 100_000)), Key: fmt.Sprint("key", i)}
		resp := s.call("POST", "/v1/runs", one, &out)
		if resp.StatusCode == http.StatusCreated {
			return out.Run, nil
		}
		assert.Equal(t, http.StatusInsufficientStorage, resp.StatusCode, out.Detail)
		assert.Equal(t, "disk-full", out.Code)
		assert.NotEmpty(t, resp.Header.Get("Retry-After"))
		return out.Run, errors.New(out.Detail)
	}
	var told []store.Run
	for full := 0; full < 3; {
		if run, err := submit(len(told)); err == nil {
			told = append(told, run)
		} else {
			full++
		}
	}
	require.NotEmpty(t, told)
	fill(t, filepath.Join(disk, "rest"))
	close(c.hold) // the run continues to a write, which can't be recorded
	for _, run := range told {
		var got store.Run
		assert.Equal(t, http.StatusOK, s.call("GET", "/v1/runs/"+run.ID, nil, &got).StatusCode, "a full disk can be read")
	}
	assert.Equal(t, http.StatusOK, s.call("GET", "/healthz", nil, nil).StatusCode)
	_, err := submit(len(told))
	require.Error(t, err)
	require.NoError(t, os.Remove(filler))
	require.Eventually(t, func() bool {
		working = s.wait(working.ID)
		if working.State == store.Parked { // it would try again after a time
			s.call("POST", "/v1/runs/"+working.ID+"/resume", nil, nil)
		}
		return working.State.Final()
	}, 2*time.Minute, time.Millisecond)
	assert.Equal(t, "200", string(working.Value), working.Text)
	assert.Equal(t, "before\n", working.Prints)
	check := func() {
		for i, run := range told {
			got := s.wait(run.ID)
			assert.Equal(t, store.Succeeded, got.State, got.Text)
			assert.Equal(t, fmt.Sprint(i), string(got.Value))
		}
	}
	again, err := submit(len(told)) // with the key that was refused
	require.NoError(t, err)
	told = append(told, again)
	check()
	c.mu.Lock()
	assert.Equal(t, 1, c.writes["w"])
	c.mu.Unlock()
	assert.Equal(t, 0, s.Stop(), s.Log)
	s.Restart()
	check()
}
