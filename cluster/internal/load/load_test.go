package load

import (
	"math"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestScore has the weights of the score.
func TestScore(t *testing.T) {
	for _, c := range []struct {
		l    Load
		want float64
	}{
		{Load{Capacity: 10}, 0},
		{Load{Capacity: 10, Connections: 5}, 0.2},
		{Load{Capacity: 10, Connections: 50}, 0.4},
		{Load{}, 0.4},
		{Load{Capacity: 1, CPU: 0.5}, 0.1},
		{Load{Capacity: 1, Memory: 0.5}, 0.1},
		{Load{Capacity: 1, Queue: 50}, 0.1},
		{Load{Capacity: 1, Queue: 5000}, 0.2},
		{Load{Capacity: 2, Connections: 1, CPU: 1, Memory: 1, Queue: 100}, 0.8},
		{Load{Capacity: 1, Connections: 9, CPU: 9, Memory: 9, Queue: 900}, 1},
		{Load{Capacity: 1, CPU: math.NaN(), Memory: math.Inf(1), Queue: -4}, 0.4},
		{Load{Capacity: 1, CPU: -1, Connections: -3}, 0},
	} {
		require.InDelta(t, c.want, c.l.Score(), 1e-9, "%+v", c.l)
	}
}

// TestGate: the gate closes above a threshold, and opens only when the load is clearly below it.
func TestGate(t *testing.T) {
	var g Gate
	at := func(l Load) (pull, back bool) {
		d := g.Decide(l)
		require.Equal(t, d.Why == "", d.Pull && !d.HandBack)
		return d.Pull, d.HandBack
	}
	check := func(l Load, pull, back bool) {
		t.Helper()
		p, b := at(l)
		require.Equal(t, []bool{pull, back}, []bool{p, b}, "%+v", l)
	}
	check(Load{CPU: 0.80}, true, false)
	check(Load{CPU: 0.81}, false, false)
	check(Load{CPU: 0.75}, false, false) // still closed
	check(Load{CPU: 0.71}, true, false)
	check(Load{CPU: 0.79}, true, false) // still open
	check(Load{Memory: 0.86}, false, true)
	check(Load{Memory: 0.80}, false, true)
	check(Load{Memory: 0.76}, true, false)
	check(Load{Queue: 50}, true, false)
	check(Load{Queue: 51}, true, true)
	check(Load{Queue: 46}, true, true)
	check(Load{Queue: 44}, true, false)
	require.Equal(t, "processor 90 %, want below 80 %, memory 91 %, want below 85 %, 60 runs wait, want fewer than 50",
		g.Decide(Load{CPU: 0.9, Memory: 0.91, Queue: 60}).Why)
	own := Gate{Thresholds: Thresholds{CPU: 0.5, Memory: 0.6, Queue: 2}}
	require.False(t, own.Decide(Load{CPU: 0.55}).Pull)
	require.True(t, own.Decide(Load{Queue: 3}).HandBack)
}

// TestMeter: the processor is an average over the window.
func TestMeter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := Usage{CPUs: 2, Memory: 30, Most: 100}
		m := NewMeter(func() Usage { return u }, 5*time.Second)
		read := func(busy time.Duration) float64 {
			time.Sleep(time.Second)
			u.CPU += busy
			cpu, memory := m.Read()
			require.InDelta(t, 0.3, memory, 1e-9)
			return cpu
		}
		require.InDelta(t, 0.5, read(time.Second), 1e-9)
		for range 10 {
			read(0)
		}
		require.Zero(t, read(0), "what is before the window is forgotten")
		require.InDelta(t, 0.2, read(2*time.Second), 1e-9, "one second of five")
		require.InDelta(t, 0.4, read(2*time.Second), 1e-9)
		for range 4 {
			read(2 * time.Second)
		}
		require.InDelta(t, 1, read(2*time.Second), 1e-9)
		u.CPU, u.Most = 0, 0
		cpu, memory := m.Read()
		require.Equal(t, []float64{0, 0}, []float64{cpu, memory}, "a counter that began again, and an unknown bound")
	})
}

// TestSystem reads the files of machines.
func TestSystem(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	own := func() time.Duration { return 7 * time.Second }
	limited := fstest.MapFS{
		"proc/self/cgroup":                          file("12:cpu:/old\n0::/ptcd.service\n"),
		"sys/fs/cgroup/ptcd.service/cpu.stat":       file("usage_usec 2500000\nuser_usec 1\n"),
		"sys/fs/cgroup/ptcd.service/cpu.max":        file("50000 100000\n"),
		"sys/fs/cgroup/ptcd.service/memory.max":     file("1000\n"),
		"sys/fs/cgroup/ptcd.service/memory.current": file("700\n"),
		"sys/fs/cgroup/ptcd.service/memory.stat":    file("anon 300\ninactive_file 200\n"),
	}
	require.Equal(t, Usage{CPU: 2500 * time.Millisecond, CPUs: 0.5, Memory: 500, Most: 1000},
		system{limited, own}.usage())

	machine := fstest.MapFS{"proc/meminfo": file("MemTotal:  1000 kB\nMemFree: 1 kB\nMemAvailable:   250 kB\n")}
	u := system{machine, own}.usage()
	require.Equal(t, 7*time.Second, u.CPU)
	require.Equal(t, []int64{750 << 10, 1000 << 10}, []int64{u.Memory, u.Most})

	limited["sys/fs/cgroup/ptcd.service/memory.max"] = file("max")
	limited["sys/fs/cgroup/ptcd.service/cpu.max"] = file("max 100000")
	limited["proc/meminfo"] = machine["proc/meminfo"]
	u = system{limited, own}.usage()
	require.Equal(t, int64(750<<10), u.Memory)
	require.GreaterOrEqual(t, u.CPUs, 1.0)
	require.Zero(t, system{fstest.MapFS{}, own}.usage().Most)
}

// TestThisProcess: the process has used some processor time, and uses more when it computes.
func TestThisProcess(t *testing.T) {
	before := processTime()
	x := 1.0
	for processTime() == before {
		for range 1_000_000 {
			x = math.Sqrt(x + 1)
		}
	}
	require.Greater(t, processTime(), before, x)
	require.Positive(t, System()().CPU)
}
