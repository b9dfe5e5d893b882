// This file defines the processor time of the process on Unix.

//go:build unix

package load

import (
	"syscall"
	"time"
)

// processTime returns the time that processors have spent in this process and for it, and in its children that have
// ended.
func processTime() time.Duration {
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum
}
