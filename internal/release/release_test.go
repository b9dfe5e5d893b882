package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	packed  = []file{{"ptc", 0o755, bytes.Repeat([]byte("program"), 1000)}, {"man/ptc.1", 0o644, []byte(".TH")}}
	written = time.Date(2026, 11, 22, 4, 0, 0, 0, time.UTC)
)

func TestTarball(t *testing.T) {
	text, err := tarball("ptc_1", packed, written)
	require.NoError(t, err)
	again, err := tarball("ptc_1", packed, written)
	require.NoError(t, err)
	require.Equal(t, checksum("a", text), checksum("a", again))
	z, err := gzip.NewReader(bytes.NewReader(text))
	require.NoError(t, err)
	r := tar.NewReader(z)
	for _, f := range packed {
		head, err := r.Next()
		require.NoError(t, err)
		require.Equal(t, "ptc_1/"+f.name, head.Name)
		require.Equal(t, f.mode, head.FileInfo().Mode())
		require.Equal(t, written.Unix(), head.ModTime.Unix())
		require.Zero(t, head.Uid+head.Gid)
		got, err := io.ReadAll(r)
		require.NoError(t, err)
		require.Equal(t, f.text, got)
	}
	_, err = r.Next()
	require.ErrorIs(t, err, io.EOF)
}

func TestZipped(t *testing.T) {
	text, err := zipped("ptc_1", packed, written)
	require.NoError(t, err)
	r, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	require.NoError(t, err)
	require.Len(t, r.File, len(packed))
	for i, f := range packed {
		require.Equal(t, "ptc_1/"+f.name, r.File[i].Name)
		require.Equal(t, f.mode, r.File[i].Mode())
		require.Equal(t, written.Unix(), r.File[i].Modified.Unix())
		in, err := r.File[i].Open()
		require.NoError(t, err)
		got, err := io.ReadAll(in)
		require.NoError(t, err)
		require.Equal(t, f.text, got)
	}
}

// repository returns a release of a new repository with a commit and a tag.
func repository(t *testing.T) *release {
	t.Helper()
	r := &release{version: "v1.2.3", source: t.TempDir()}
	require.NoError(t, os.WriteFile(filepath.Join(r.source, "a"), nil, 0o644))
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"},
		{"-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-qm", "a"}, {"tag", "v1.2.3"}} {
		_, err := r.git(args...)
		require.NoError(t, err)
	}
	return r
}

func TestCommitted(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	r := repository(t)
	require.NoError(t, r.committed())
	r.version = "v1.2.30"
	require.ErrorContains(t, r.committed(), "-version is v1.2.30, the commit has the tag v1.2.3")
	require.NoError(t, os.WriteFile(filepath.Join(r.source, "b"), nil, 0o644))
	require.ErrorContains(t, r.committed(), "not all is committed")
}

func TestMistakes(t *testing.T) {
	for _, version := range []string{"", "1.2.3", "v1.2", "v1.2.3 -X main.x=y"} {
		require.ErrorContains(t, (&release{version: version}).run(t.TempDir(), false), "want one such as v0.1.0")
	}
	dir := t.TempDir()
	require.NoError(t, emptyDir(filepath.Join(dir, "dist")))
	require.ErrorContains(t, emptyDir(dir), "is not empty")
	_, _, err := (&building{release: &release{}}).archive(dir, "ptc", "linux")
	require.ErrorContains(t, err, "want a platform such as linux/amd64")
}
