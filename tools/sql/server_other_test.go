//go:build !unix

package sql_test

import "os/exec"

func forServer(string) error { return nil }

func asServer(cmd *exec.Cmd) *exec.Cmd { return cmd }
