// This file defines the PostgreSQL server of the tests: one in PTC_TEST_POSTGRES, or one
// that is made for them where its programs are installed.

package sql_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// withServer ends the server after the tests, before the check for leaks.
type withServer struct{ *testing.M }

func (m withServer) Run() int {
	code := m.M.Run()
	if s, err := theServer(); err == nil && s.stop != nil {
		s.stop()
	}
	return code
}

type server struct {
	url  string // of a role that may do anything
	stop func()
}

// theServer starts the server when it is first asked for.
var theServer = sync.OnceValues(func() (server, error) {
	if url := os.Getenv("PTC_TEST_POSTGRES"); url != "" {
		return server{url: url}, nil
	}
	return startServer()
})

// serverProgram finds a program of the server, which distributions keep out of PATH.
func serverProgram(name string) (string, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if len(found) > 0 {
		return found[len(found)-1], nil
	}
	return exec.LookPath(name)
}

func startServer() (server, error) {
	initdb, err := serverProgram("initdb")
	if err != nil {
		return server{}, err
	}
	postgres, err := serverProgram("postgres")
	if err != nil {
		return server{}, err
	}
	dir, err := os.MkdirTemp("", "ptc-postgres")
	if err != nil {
		return server{}, err
	}
	s, err := runServer(initdb, postgres, dir)
	if err != nil {
		return server{}, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

func runServer(initdb, postgres, dir string) (server, error) {
	if err := forServer(dir); err != nil {
		return server{}, err
	}
	data := filepath.Join(dir, "data")
	if out, err := asServer(exec.Command(initdb, "-D", data, "-U", "tester", "-A", "trust", "-N", "-E", "UTF8", "--locale=C")).CombinedOutput(); err != nil {
		return server{}, fmt.Errorf("initdb: %w: %s", err, out)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return server{}, err
	}
	port := free.Addr().(*net.TCPAddr).Port
	free.Close()
	cmd := asServer(exec.Command(postgres, "-D", data, "-p", fmt.Sprint(port), "-c", "listen_addresses=127.0.0.1",
		"-c", "unix_socket_directories=", "-c", "fsync=off", "-c", "log_min_messages=panic"))
	if err := cmd.Start(); err != nil {
		return server{}, err
	}
	s := server{url: fmt.Sprintf("postgres://tester@127.0.0.1:%d/postgres?sslmode=disable", port)}
	s.stop = func() {
		_ = cmd.Process.Signal(os.Interrupt) // ends the server without waiting for its clients
		_ = cmd.Wait()
		_ = os.RemoveAll(dir)
	}
	if err := s.wait(); err != nil {
		s.stop()
		return server{}, err
	}
	return s, nil
}

// wait waits until the server answers.
func (s server) wait() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		conn, err := pgx.Connect(ctx, s.url)
		if err == nil {
			return conn.Close(ctx)
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// serverURL returns the address of the server; it skips the test where there is none.
func serverURL(t *testing.T) string {
	t.Helper()
	s, err := theServer()
	if err != nil {
		t.Skipf("there is no PostgreSQL server (PTC_TEST_POSTGRES, or one installed): %v", err)
	}
	return s.url
}
