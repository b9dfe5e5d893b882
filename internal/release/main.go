// Command release builds the files of a release: for each platform an archive with ptc, the manual page, the
// completions, README and LICENSE, another one with ptcd, and SHA256SUMS with the checksums of the archives.
//
//	go run ./internal/release -version v0.1.0 -o dist
//
// It builds a clone of the committed state, so neither the name of a directory nor an uncommitted
// file affects an archive. A build of the same commit with the same release of Go produces the same
// bytes. -check builds twice and compares.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// targets are the platforms of a release.
const targets = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

// release is a release to be built.
type release struct {
	version string   // v0.1.0
	targets []string // linux/amd64
	source  string   // the repository
	cold    bool     // whether each build has an empty build cache
}

func main() {
	var r release
	flag.StringVar(&r.version, "version", "",
		"`version` of the release, such as v0.1.0; it must be the tag of the commit, if that has one")
	of := flag.String("targets", targets, "`platforms` to build for")
	out := flag.String("o", "dist", "`directory` for the archives; it must be empty, or not exist")
	check := flag.Bool("check", false, "build twice, in different directories, and compare")
	flag.BoolVar(&r.cold, "cold", false, "give each build an empty build cache, as another machine has; takes minutes")
	flag.Parse()
	r.targets, r.source = strings.Split(*of, ","), "."
	if err := r.run(*out, *check); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

var validVersion = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$`)

func (r *release) run(out string, check bool) error {
	if !validVersion.MatchString(r.version) {
		return fmt.Errorf("-version is %q, want one such as v0.1.0", r.version)
	}
	if err := r.committed(); err != nil {
		return err
	}
	if err := emptyDir(out); err != nil {
		return err
	}
	sums, err := r.build(out)
	if err != nil {
		return err
	}
	fmt.Printf("%s", sums)
	if !check {
		return nil
	}
	again, err := os.MkdirTemp("", "release-again")
	if err != nil {
		return err
	}
	defer os.RemoveAll(again)
	second, err := r.build(again)
	if err != nil {
		return err
	}
	if !bytes.Equal(sums, second) {
		return fmt.Errorf("the second build differs:\n%s", second)
	}
	fmt.Println("built twice, with the same sums")
	return nil
}

// committed checks that everything is committed, and that the version is the tag of the commit if
// it has one.
func (r *release) committed() error {
	changes, err := r.git("status", "--porcelain")
	if err != nil {
		return err
	}
	if changes != "" {
		return fmt.Errorf("not all is committed:\n%s", changes)
	}
	tags, err := r.git("tag", "--points-at", "HEAD", "v*")
	if err != nil {
		return err
	}
	if all := strings.Fields(tags); len(all) > 0 && !strings.Contains("\n"+tags+"\n", "\n"+r.version+"\n") {
		return fmt.Errorf("-version is %s, the commit has the tag %s", r.version, strings.Join(all, ", "))
	}
	return nil
}

func emptyDir(name string) error {
	if err := os.MkdirAll(name, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(name)
	if err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty", name)
	}
	return err
}

// build builds everything into a directory and returns the checksums.
func (r *release) build(out string) (sums []byte, err error) {
	work, err := os.MkdirTemp("", "release")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	b := &building{release: r, tree: filepath.Join(work, "ptc"), cache: filepath.Join(work, "cache")}
	if _, err := r.git("clone", "--quiet", ".", b.tree); err != nil {
		return nil, err
	}
	text, err := r.git("show", "-s", "--format=%ct", "HEAD")
	if err != nil {
		return nil, err
	}
	var seconds int64
	if _, err := fmt.Sscan(text, &seconds); err != nil {
		return nil, fmt.Errorf("the time of the commit: %w", err)
	}
	b.time = time.Unix(seconds, 0).UTC()
	if err := b.documents(work); err != nil {
		return nil, err
	}
	for _, command := range programs {
		for _, target := range r.targets {
			name, archive, err := b.archive(work, command, target)
			if err != nil {
				return nil, fmt.Errorf("%s for %s: %w", command, target, err)
			}
			if err := os.WriteFile(filepath.Join(out, name), archive, 0o644); err != nil {
				return nil, err
			}
			sums = append(sums, checksum(name, archive)...)
		}
	}
	return sums, os.WriteFile(filepath.Join(out, "SHA256SUMS"), sums, 0o644)
}
