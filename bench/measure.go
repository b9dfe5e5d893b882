// This file defines the measurement of one peer on one workload.

package bench

import (
	"fmt"
	"runtime"
	"syscall"
	"time"
)

// Sample is the cost of one operation.
type Sample struct {
	CPU   float64 // ns of user and system time, over all threads
	Wall  float64 // ns
	Bytes float64 // allocated; Unknown for another process
}

// Unknown is the number of bytes that another process allocates.
const Unknown = -1

// budget ends the repetitions of a measurement.
const budget = time.Second

// batchTime is the least time of a batch of small operations.
const batchTime = 20 * time.Millisecond

// CPUTime returns the processor time of this process in ns.
func CPUTime() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return float64(u.Utime.Nano() + u.Stime.Nano())
}

// Measure returns the lowest cost of up to repeat operations, or of batches of small ones. It checks
// every result. A workload that is timed from its compilation and is not small is cold, and measured
// once.
func Measure(p Peer, w Workload, repeat int) (Sample, error) {
	data := w.Data()
	op, err := w.Prepare(p, data)
	if err != nil {
		return Sample{}, err
	}
	n := 1
	switch {
	case w.Small:
		if n, err = batchSize(op); err != nil {
			return Sample{}, err
		}
	case w.Stage == FromCompile:
		repeat = 1
	}
	var best Sample
	var want any
	start := time.Now()
	for i := 0; i < repeat && (i == 0 || time.Since(start) < budget); i++ {
		s, got, err := batch(op, n)
		if err != nil {
			return Sample{}, err
		}
		if i == 0 {
			want = w.Want(data)
			best = s
		}
		if !Equal(Canon(got), want) {
			return Sample{}, fmt.Errorf("wrong result %s, want %s", abridge(got), abridge(want))
		}
		best.CPU = min(best.CPU, s.CPU)
		best.Wall = min(best.Wall, s.Wall)
		best.Bytes = min(best.Bytes, s.Bytes)
	}
	return best, nil
}

// abridge returns the start of a result, for messages.
func abridge(v any) string {
	s := fmt.Sprint(v)
	return s[:min(len(s), 200)]
}

// batchSize returns the number of operations that take the time of a batch.
func batchSize(op Run) (int, error) {
	for n := 1; ; n *= 2 {
		start := time.Now()
		for range n {
			if _, err := op(); err != nil {
				return 0, err
			}
		}
		if time.Since(start) >= batchTime {
			return n, nil
		}
	}
}

// batch returns the mean cost of n operations and the last result.
func batch(op Run, n int) (Sample, any, error) {
	var before, after runtime.MemStats
	var got any
	var err error
	runtime.GC()
	runtime.ReadMemStats(&before)
	start, cpu := time.Now(), CPUTime()
	for range n {
		if got, err = op(); err != nil {
			return Sample{}, nil, err
		}
	}
	cpu, wall := CPUTime()-cpu, time.Since(start)
	runtime.ReadMemStats(&after)
	if e, ok := got.(External); ok {
		return Sample{CPU: e.CPU, Wall: e.Wall, Bytes: Unknown}, e.Value, nil
	}
	return Sample{
		CPU:   cpu / float64(n),
		Wall:  float64(wall) / float64(n),
		Bytes: float64(after.TotalAlloc-before.TotalAlloc) / float64(n),
	}, got, nil
}
