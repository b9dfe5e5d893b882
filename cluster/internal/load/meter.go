// This file defines how the processor and the memory are measured.

package load

import (
	"bufio"
	"bytes"
	"io/fs"
	"math"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Usage is the usage of a process.
type Usage struct {
	CPU    time.Duration // of all its processors together, since a time that stays
	CPUs   float64       // that it may use at once
	Memory int64         // bytes now
	Most   int64         // bytes that it may have; 0 if that is not known
}

// Meter averages usages over a window. It is safe for concurrent use.
type Meter struct {
	read   func() Usage
	window time.Duration

	mu      sync.Mutex
	samples []sample // the oldest first
}

type sample struct {
	at time.Time // its monotonic part only is used
	Usage
}

// NewMeter returns a meter of the usage that read returns. The usual read is System().
func NewMeter(read func() Usage, window time.Duration) *Meter {
	m := &Meter{read: read, window: window}
	m.samples = []sample{{time.Now(), read()}}
	return m
}

// Read takes a sample, and returns the processor of the window and the memory now, each as a fraction of
// the limit of the process.
func (m *Meter) Read() (cpu, memory float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := sample{time.Now(), m.read()}
	m.samples = append(m.samples, now)
	for len(m.samples) > 2 && now.at.Sub(m.samples[1].at) >= m.window {
		m.samples = m.samples[1:]
	}
	first := m.samples[0]
	if took := now.at.Sub(first.at); took > 0 && now.CPUs > 0 {
		cpu = part((now.CPU - first.CPU).Seconds() / took.Seconds() / now.CPUs)
	}
	if now.Most > 0 {
		memory = part(float64(now.Memory) / float64(now.Most))
	}
	return cpu, memory
}

// System returns a function that reads the usage of this process: of its control group if it is in one,
// like a container or a service of systemd, else of the process itself, and the memory of the machine if
// nothing else bounds it.
func System() func() Usage {
	s := system{files: os.DirFS("/"), cpu: processTime}
	return s.usage
}

// system reads the files of a machine.
type system struct {
	files fs.FS
	cpu   func() time.Duration // of the process
}

func (s system) usage() Usage {
	u := Usage{CPUs: float64(runtime.NumCPU())}
	group := s.group()
	if used, ok := s.field(path.Join(group, "cpu.stat"), "usage_usec"); ok && group != "" {
		u.CPU = time.Duration(used) * time.Microsecond
	} else {
		u.CPU = s.cpu()
	}
	if quota, period, ok := strings.Cut(s.text(path.Join(group, "cpu.max")), " "); ok && group != "" {
		q, qerr := strconv.ParseFloat(quota, 64) // "max" is no number
		p, perr := strconv.ParseFloat(period, 64)
		if qerr == nil && perr == nil && q > 0 && p > 0 {
			u.CPUs = min(u.CPUs, q/p)
		}
	}
	s.memory(group, &u)
	return u
}

// memory sets the memory: of the control group if it has a bound, of the process if Go has one, or of the machine.
func (s system) memory(group string, u *Usage) {
	if group != "" {
		most, merr := strconv.ParseInt(s.text(path.Join(group, "memory.max")), 10, 64)
		now, nerr := strconv.ParseInt(s.text(path.Join(group, "memory.current")), 10, 64)
		if merr == nil && nerr == nil && most > 0 {
			cached, _ := s.field(path.Join(group, "memory.stat"), "inactive_file") // the kernel takes it back when needed
			u.Memory, u.Most = max(now-cached, 0), most
			return
		}
	}
	if most := debug.SetMemoryLimit(-1); most < math.MaxInt64 {
		read := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
		metrics.Read(read)
		u.Memory, u.Most = int64(read[0].Value.Uint64()-read[1].Value.Uint64()), most
		return
	}
	total, ok := s.field("proc/meminfo", "MemTotal:")
	free, free1 := s.field("proc/meminfo", "MemAvailable:")
	if ok && free1 {
		u.Memory, u.Most = (total-free)<<10, total<<10
	}
}

// group returns the directory of the control group of this process, of version 2; "" if there is none.
func (s system) group() string {
	for line := range strings.Lines(s.text("proc/self/cgroup")) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "0::/"); ok {
			dir := path.Join("sys/fs/cgroup", name)
			if _, err := fs.Stat(s.files, path.Join(dir, "cpu.stat")); err == nil {
				return dir
			}
		}
	}
	return ""
}

// text returns a file without the spaces around; "" if it can't be read.
func (s system) text(name string) string {
	b, err := fs.ReadFile(s.files, name)
	if err != nil {
		return ""
	}
	return string(bytes.TrimSpace(b))
}

// field returns the number that follows a name at the beginning of a line.
func (s system) field(file, name string) (int64, bool) {
	lines := bufio.NewScanner(strings.NewReader(s.text(file)))
	for lines.Scan() {
		if f := strings.Fields(lines.Text()); len(f) >= 2 && f[0] == name {
			n, err := strconv.ParseInt(f[1], 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}
