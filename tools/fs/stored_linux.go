package fs

import (
	"errors"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// withoutBlocks are file systems that store files although they may report no blocks.
var withoutBlocks = []int64{unix.TMPFS_MAGIC, unix.RAMFS_MAGIC, unix.FUSE_SUPER_MAGIC,
	unix.V9FS_MAGIC, unix.OVERLAYFS_SUPER_MAGIC}

// stored reports whether an open file or directory is in a file system that stores files. Those
// of the kernel (procfs, sysfs, cgroups, debugfs and so on) store none and have no blocks, so one
// of a later kernel is recognized too; only that of the firmware's variables reports some.
func stored(file *os.File) (bool, error) {
	var st unix.Statfs_t
	raw, err := file.SyscallConn()
	if err != nil {
		return false, err
	}
	var failed error
	err = raw.Control(func(fd uintptr) { failed = unix.Fstatfs(int(fd), &st) })
	if err = errors.Join(err, failed); err != nil {
		return false, err
	}
	kind := int64(uint32(st.Type)) // of 32 bits, signed on some processors
	if kind == unix.EFIVARFS_MAGIC {
		return false, nil
	}
	return st.Blocks > 0 || slices.Contains(withoutBlocks, kind), nil
}

// openDir opens a directory only to ask about it, which needs no permission to read it.
func openDir(root *os.Root) (*os.File, error) { return root.OpenFile(".", unix.O_PATH, 0) }
