//go:build unix

// Package docs holds the documents for those who use ptc; its tests follow them, as a
// reader would.
package docs

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"testing"

	"github.com/ptc-lang/ptc/internal/commandtest"
	"github.com/ptc-lang/ptc/internal/filetest"
	"github.com/ptc-lang/ptc/internal/sshtest"
	"github.com/ptc-lang/ptc/internal/testlevel"
)

func TestTutorial(t *testing.T) {
	testlevel.System(t)
	t.Parallel()
	filetest.Document{Path: "tutorial.md", Clone: "..", Ports: []string{"18077"}}.Follow(t)
}

// TestOperating follows operating.md with four hosts, one of which is unknown.
func TestOperating(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b", "c", "d"}
	hosts := sshtest.Start(t, func(_ context.Context, c sshtest.Command) int {
		if c.Host == "c" {
			fmt.Fprintln(c.Stdout, "failed")
			return 3
		}
		fmt.Fprintln(c.Stdout, "active")
		return 0
	}, names...)
	var replace []string
	for i, name := range names {
		replace = append(replace, fmt.Sprintf("127.0.0.1:2200%d", i+1), hosts.Address(name))
	}
	filetest.Document{Path: "operating.md", Clone: "..", Replace: replace, Bin: install(t),
		Env: []string{"HOME=" + hosts.Home(t, "a", "b", "c"), "SSH_AUTH_SOCK="}}.Follow(t)
}

// TestService follows service.md. It needs curl, as its readers do.
func TestService(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("there is no curl: ", err)
	}
	t.Parallel()
	filetest.Document{Path: "service.md", Clone: "..", Bin: install(t), Ports: []string{"18080"}}.Follow(t)
}

// TestRemote follows remote.md. Its commands find the service in the environment, which the document leaves out.
func TestRemote(t *testing.T) {
	t.Parallel()
	port := freePort(t)
	filetest.Document{Path: "remote.md", Clone: "..", Bin: install(t), Replace: []string{"18090", port},
		Env: []string{"PTC_SERVER=http://127.0.0.1:" + port, "PTC_TOKEN_FILE=state/operator.token"}}.Follow(t)
}

// freePort returns a port that nobody listens on.
func freePort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// commands has the commands that the documents call.
var commands commandtest.Commands

func TestMain(m *testing.M) { os.Exit(commands.Run(m)) }

// install returns the folder of ptc and ptcd. A go install of a document finds them up to date there.
func install(t *testing.T) string {
	t.Helper()
	testlevel.System(t)
	commands.Path(t, "ptc")
	commands.Path(t, "ptcd")
	return commands.Dir
}

func TestQuestions(t *testing.T) {
	t.Parallel()
	filetest.Document{Path: "faq.md", Clone: "..", Bin: install(t)}.Follow(t)
}

func TestReadme(t *testing.T) {
	t.Parallel()
	filetest.Document{Path: "../README.md", Clone: "..", Bin: install(t), Other: func(t *testing.T, b filetest.Block) {
		if b.Info != "go" { // which TestReadmeEmbedding in cmd/ptc runs
			t.Errorf("README.md:%d: nothing runs a block of the kind %q", b.Line, b.Info)
		}
	}}.Follow(t)
}

func TestTroubleshooting(t *testing.T) {
	t.Parallel()
	filetest.Document{Path: "troubleshooting.md", Clone: "..", Bin: install(t)}.Follow(t)
}
