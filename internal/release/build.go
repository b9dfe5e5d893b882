// This file builds the programs and documents of a release.

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// building is one build of a release.
type building struct {
	*release
	tree  string    // a clone of the commit
	cache string    // of Go, for a build with an empty cache
	time  time.Time // of the commit, and of every file in the archives
	files []file    // of each archive besides the program
	extra []file    // of those of ptc
}

// programs are the commands of a release. Each has separate archives, because users who only run programs
// need no service.
var programs = []string{"ptc", "ptcd"}

// git runs git in the repository and returns its output.
func (r *release) git(args ...string) (string, error) {
	return output(exec.Command("git", append([]string{"-C", r.source}, args...)...))
}

// output runs a command and returns its standard output without surrounding white space.
func output(cmd *exec.Cmd) (string, error) {
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, exit.Stderr)
	}
	return strings.TrimSpace(string(out)), err
}

// program builds a command for a platform. It sets every variable of the environment that would change
// the program.
func (b *building) program(name, to, goos, goarch string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w -X main.version="+b.version, "-o",
		to, "./cmd/"+name)
	cmd.Dir = b.tree
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch, "GOAMD64=v1", "GOARM64=v8.0",
		"GOFLAGS=", "GOEXPERIMENT=", "GOWORK=off", "GOFIPS140=off")
	if b.cold {
		cmd.Env = append(cmd.Env, "GOCACHE="+b.cache)
	}
	_, err := output(cmd)
	return err
}

// documents collects the files of each archive besides the program: files of the repository, and
// files that the program writes.
func (b *building) documents(work string) error {
	host := filepath.Join(work, "host")
	if runtime.GOOS == "windows" {
		host += ".exe"
	}
	if err := b.program("ptc", host, runtime.GOOS, runtime.GOARCH); err != nil {
		return err
	}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		text, err := os.ReadFile(filepath.Join(b.tree, name))
		if err != nil {
			return err
		}
		b.files = append(b.files, file{name, 0o644, text})
	}
	for _, d := range []struct {
		name string
		args []string
	}{
		{"man/ptc.1", []string{"man"}},
		{"completions/ptc.bash", []string{"completion", "bash"}},
		{"completions/_ptc", []string{"completion", "zsh"}},
		{"completions/ptc.fish", []string{"completion", "fish"}},
	} {
		text, err := exec.Command(host, d.args...).Output()
		if err != nil {
			return fmt.Errorf("ptc %s: %w", strings.Join(d.args, " "), err)
		}
		b.extra = append(b.extra, file{d.name, 0o644, text})
	}
	return nil
}

// archive builds a command for a platform and packs it.
func (b *building) archive(work, command, target string) (name string, archive []byte, err error) {
	goos, goarch, ok := strings.Cut(target, "/")
	if !ok {
		return "", nil, errors.New("want a platform such as linux/amd64")
	}
	program, pack, ending := command, tarball, ".tar.gz"
	if goos == "windows" {
		program, pack, ending = command+".exe", zipped, ".zip"
	}
	built := filepath.Join(work, goos+"-"+goarch, program)
	if err := b.program(command, built, goos, goarch); err != nil {
		return "", nil, err
	}
	text, err := os.ReadFile(built)
	if err != nil {
		return "", nil, err
	}
	folder := fmt.Sprintf("%s_%s_%s_%s", command, strings.TrimPrefix(b.version, "v"), goos, goarch)
	files := append([]file{{program, 0o755, text}}, b.files...)
	if command == "ptc" {
		files = append(files, b.extra...)
	}
	archive, err = pack(folder, files, b.time)
	return folder + ending, archive, err
}
