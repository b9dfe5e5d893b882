//go:build !linux

package sched

// yieldThread does nothing: there is no system call for it, or no measurement of its use.
func yieldThread() {}
