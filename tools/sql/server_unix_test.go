//go:build unix

// This file defines the user of the server: PostgreSQL does not run as root.

package sql_test

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// serverUser returns the ids of the user postgres if the tests run as root.
func serverUser() (uid, gid int, needed bool, err error) {
	if os.Getuid() != 0 {
		return 0, 0, false, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return 0, 0, true, err
	}
	uid, err = strconv.Atoi(u.Uid)
	if err != nil {
		return 0, 0, true, err
	}
	gid, err = strconv.Atoi(u.Gid)
	return uid, gid, true, err
}

// forServer changes the owner of a folder to that user.
func forServer(dir string) error {
	uid, gid, needed, err := serverUser()
	if !needed || err != nil {
		return err
	}
	return os.Chown(dir, uid, gid)
}

// asServer has a program run as that user.
func asServer(cmd *exec.Cmd) *exec.Cmd {
	cmd.Dir = "/"
	if uid, gid, needed, err := serverUser(); needed && err == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
	return cmd
}
