// This file defines the faults of files and disks, and the replacement of a member.

//go:build unix

package etcd

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/stretchr/testify/require"
)

// damage changes the files of a node that does not run.
func (c *chaos) damage(kind string, n *node) string {
	if kind == "wipe" {
		require.NoError(c.t, empty(n.dir))
		if c.rng.IntN(2) == 0 { // the data only
			_ = os.WriteFile(filepath.Join(n.dir, "lock"), nil, 0o600)
		}
		return "the directory"
	}
	var files []string
	_ = filepath.WalkDir(dataDir(n.dir), func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !strings.HasSuffix(path, ".tmp") && used(path) > 64 {
			files = append(files, path)
		}
		return nil
	})
	path := files[c.rng.IntN(len(files))]
	size := used(path)
	name := fmt.Sprintf("%s of %d bytes", filepath.Base(path), size)
	if kind == "truncate" {
		cut := 1 + c.rng.Int64N(min(size-1, []int64{8, 300, 20_000}[c.rng.IntN(3)]))
		require.NoError(c.t, os.Truncate(path, size-cut))
		return fmt.Sprintf("%s by %d", name, cut)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(c.t, err)
	defer f.Close()
	at := c.rng.Int64N(size)
	b := []byte{0}
	_, err = f.ReadAt(b, at)
	require.NoError(c.t, err)
	b[0] ^= 1 << c.rng.IntN(8)
	_, err = f.WriteAt(b, at)
	require.NoError(c.t, err)
	return fmt.Sprintf("%s at %d", name, at)
}

// used returns the size of a file without the zeros at its end, which a log has in advance.
func used(path string) int64 {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	return int64(len(bytes.TrimRight(text, "\x00")))
}

// replaceDuring replaces a node while another fault happens to a second one.
func (c *chaos) replaceDuring(n *node) string {
	other := c.nodes[(n.i+1+c.rng.IntN(2))%3]
	stop, wait := c.rng.IntN(2) == 0, time.Duration(c.rng.IntN(800))*time.Millisecond
	var during sync.WaitGroup
	during.Go(func() {
		time.Sleep(wait)
		if stop {
			other.signal(syscall.SIGSTOP)
			time.Sleep(2 * time.Second)
			other.signal(syscall.SIGCONT)
			return
		}
		other.kill()
		time.Sleep(time.Second)
		other.run()
	})
	err := c.replace(n)
	during.Wait()
	if err != nil {
		return "FAILED: " + err.Error()
	}
	return fmt.Sprintf("while %s is stopped=%t after %v", nodeName(other.i), stop, wait)
}

// fillDisk fills the disk of a node, which is a small one in memory, and makes room again. It needs the right to mount.
func (c *chaos) fillDisk(n *node) string {
	n.kill()
	saved := n.dir + ".saved"
	require.NoError(c.t, os.Rename(n.dir, saved))
	require.NoError(c.t, os.Mkdir(n.dir, 0o700))
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=1g,mode=0700", "tmpfs", n.dir).CombinedOutput(); err != nil {
		require.NoError(c.t, os.Remove(n.dir))
		require.NoError(c.t, os.Rename(saved, n.dir))
		return fmt.Sprintf("left out, mount: %v %s", err, out)
	}
	c.t.Cleanup(func() { // if the fault does not end
		n.kill()
		_ = exec.Command("umount", n.dir).Run()
	})
	require.NoError(c.t, os.CopyFS(n.dir, os.DirFS(saved)))
	n.run()
	require.True(c.t, n.works(time.Now(), patience), n.evidence())
	filler := filepath.Join(n.dir, "filler")
	f, err := os.Create(filler)
	require.NoError(c.t, err)
	_, err = io.Copy(f, zeros{})
	f.Close()
	_ = c.nodes[(n.i+1)%3].ask(time.Minute, "/fill", nil)
	died := false
	select {
	case <-n.exited:
		died = true
	case <-time.After(5 * time.Second):
	}
	n.kill()
	require.NoError(c.t, os.Remove(filler))
	require.NoError(c.t, os.RemoveAll(saved))
	require.NoError(c.t, os.CopyFS(saved, os.DirFS(n.dir)))
	out, umount := exec.Command("umount", n.dir).CombinedOutput()
	require.NoError(c.t, umount, "%s", out)
	require.NoError(c.t, os.Remove(n.dir))
	require.NoError(c.t, os.Chmod(saved, 0o700))
	require.NoError(c.t, os.Rename(saved, n.dir))
	return fmt.Sprintf("%v; the member has ended=%t", err, died)
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}
