// This file defines how much memory the runs may take by default.

package main

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
)

// unknownMemory is taken for the memory of a machine that does not tell it.
const unknownMemory = 4 << 30

// machineMemory returns the memory of the machine, or of the control group of the process if that has less. It returns
// a careful guess where neither is known.
func machineMemory() int64 { return cmp.Or(memoryOf("/"), unknownMemory) }

// memoryOf is machineMemory for a root of the file system; 0 if it is not known.
func memoryOf(root string) int64 {
	most := int64(0)
	info, _ := os.ReadFile(filepath.Join(root, "proc/meminfo"))
	for line := range strings.Lines(string(info)) {
		if rest, ok := strings.CutPrefix(line, "MemTotal:"); ok {
			kb, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			most = kb << 10
		}
	}
	for _, file := range []string{"sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, _ := os.ReadFile(filepath.Join(root, file))
		if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && (most == 0 || n < most) {
			most = n
		}
	}
	return most
}

// processMemory is the memory of the service besides the runs.
const processMemory = 64 << 20

// limitGarbage sets the soft memory limit of the process: collections begin before garbage exceeds a third
// of the memory that the runs may hold. A limit that the environment sets (GOMEMLIMIT) stays.
func limitGarbage(runs int64) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(runs + runs/3 + processMemory)
	}
}
