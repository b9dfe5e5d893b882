//go:build unix

// This file defines that no open file of this process reaches the programs that it runs.

package process

import (
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// firstDescriptor is the first one after standard input, output and error, which a program gets from its call.
const firstDescriptor = 3

// KeepDescriptors makes the system close, when a program starts, every open file that it
// would inherit. Go opens its own files that way; the others were left open by the parent of this process
// (`ptc run … 9<file`), or opened by C code.
//
// A file that this process passes on explicitly, as os/exec does, is not affected.
func KeepDescriptors() {
	if markAll() != nil {
		markEach()
	}
}

// maxDescriptors bounds the descriptors that are marked one by one. A process may have more only
// if the limit of its parent was as high and the parent has used it.
const maxDescriptors = 1 << 16

// markEach marks them one by one, once, in some milliseconds: it is for systems that cannot mark all of
// them in one call, and finds the files that this process was started with.
func markEach() { markedEach.Do(markUpToLimit) }

var markedEach sync.Once

func markUpToLimit() {
	var most unix.Rlimit
	n := maxDescriptors
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &most) == nil {
		n = int(min(uint64(most.Max), maxDescriptors)) // a lower current limit does not close the descriptors above it
	}
	for fd := firstDescriptor; fd < n; fd++ {
		syscall.CloseOnExec(fd) // of one that is not open it does nothing
	}
}
