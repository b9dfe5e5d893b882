package sched

import "syscall"

// yieldThread lets the threads run first that wait for the processor of this one. It keeps its processor of Go
// in the meantime, as a thread does whose slice has ended.
func yieldThread() { _, _, _ = syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0) }
