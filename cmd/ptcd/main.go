// Command ptcd is the service: it runs programs for others over HTTP, keeps their runs in a directory, and resumes them
// after a crash.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/ptc-lang/ptc/cmd/internal/buildinfo"
	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/cmd/ptcd/internal/cluster"
	"github.com/ptc-lang/ptc/cmd/ptcd/internal/token"
)

// The exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// version is set by the linker in releases.
var version = buildinfo.Unset

const about = `ptcd is a service that runs programs of PTC over HTTP.

usage: ptcd --dir DIR [flags]
       ptcd token create|list|revoke --dir DIR [flags]
       ptcd cluster init|join|regions --dir DIR [flags]
       ptcd backup --config FILE --to FILE
       ptcd restore --config FILE --from FILE
       ptcd migrate --config FILE --from DIR
       ptcd version

The service keeps everything in the directory, and resumes its runs after a crash.
In an empty directory it writes a token for the operator to DIR/operator.token. The
flags grant tools to all programs, and limit each run; a submission that asks for
more is refused. The file given by --config has the same flags as keys, without the
leading dashes:

  listen: 0.0.0.0:8443
  timeout: 10m
  allow-http: [api.example.com=GET]

See docs/service.md.
`

func main() {
	os.Exit(dispatch(os.Args[1:], os.Stdout, os.Stderr))
}

// dispatch runs a command line.
func dispatch(args []string, out, errs io.Writer) int {
	if len(args) > 0 {
		switch args[0] {
		case "token":
			return token.Main(args[1:], tokensOf, out, errs)
		case "cluster":
			return cluster.Main(args[1:], out, errs)
		case "backup", "restore", "migrate":
			return move(args[0], args[1:], out, errs)
		case "version", "-v", "-version", "--version":
			fmt.Fprintln(out, buildinfo.Text("ptcd", version))
			return exitOK
		case "help":
			if len(args) > 1 && args[1] == "token" {
				return token.Main(append(args[2:], "--help"), tokensOf, out, errs)
			}
			if len(args) > 1 && args[1] == "cluster" {
				return cluster.Main(append(args[2:], "--help"), out, errs)
			}
			args = []string{"--help"}
		}
	}
	s, err := parse(args)
	switch {
	case errors.Is(err, flags.ErrHelp):
		io.WriteString(out, about)
		flags.Help(out, new(settings).flags())
		return exitOK
	case err != nil:
		fmt.Fprintln(errs, "ptcd:", err)
		return exitUsage
	}
	if err := s.serve(errs); err != nil {
		fmt.Fprintln(errs, "ptcd:", err)
		return exitFailed
	}
	return exitOK
}
