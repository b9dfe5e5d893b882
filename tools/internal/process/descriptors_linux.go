package process

import (
	"math"

	"golang.org/x/sys/unix"
)

// markAll marks all descriptors in one call, in some microseconds. Linux can do so from 5.11 on.
func markAll() error {
	return unix.CloseRange(firstDescriptor, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
}
