//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/stretchr/testify/require"

	remote "github.com/ptc-lang/ptc/client"
)

// faults has nodes fail, one fault after the other.
type faults struct {
	*soak
	rng *rand.Rand
}

// weights are how often each kind of fault comes.
var weights = []struct {
	kind   string
	weight int
}{
	{"kill a leader of a run", 25}, {"kill the leader of the engine", 20}, {"kill a follower of a run", 20},
	{"kill again and again", 25}, {"kill most", 6}, {"kill all", 4},
	{"end", 7}, {"stop", 8}, {"cut off", 9}, {"cut a link", 5}, {"full disk", 4},
}

// one has a fault happen, and ends when all nodes run again.
func (f *faults) one(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-time.After(f.upTo(1000)):
	}
	sum := 0
	for _, w := range weights {
		sum += w.weight
	}
	at := f.rng.IntN(sum)
	for _, w := range weights {
		if at -= w.weight; at < 0 {
			f.count("fault "+w.kind, 1)
			begin := time.Now()
			node, err := f.make(w.kind)
			fmt.Printf("%s %s %s, %v\n", begin.Format("15:04:05.000"), w.kind, node, time.Since(begin).Round(time.Millisecond))
			return err
		}
	}
	return nil
}

func (f *faults) upTo(ms int) time.Duration { return time.Duration(f.rng.IntN(ms)) * time.Millisecond }

// make has a fault happen to a node.
func (f *faults) make(kind string) (node string, err error) {
	node = nodeName(1 + f.rng.IntN(f.size))
	switch kind {
	case "kill a leader of a run":
		node = f.leaderOfRun(node)
	case "kill the leader of the engine":
		node = f.leaderOfEngine(node)
	case "kill a follower of a run":
		node = f.followerOfRun(node)
	case "kill again and again": // while it starts, and when it has just started
		for range 3 {
			f.kill(node)
			f.start(node)
			time.Sleep(f.upTo(3000))
		}
	case "kill most":
		return f.most()
	case "kill all":
		for _, name := range f.names() {
			f.kill(name)
		}
		return "all", f.up(f.names()...)
	case "end":
		begin := time.Now()
		code := f.nodes[node].End(syscall.SIGTERM)
		f.save(node)
		f.note("end", time.Since(begin))
		if code != 0 {
			return node, fmt.Errorf("%s has ended with the code %d after SIGTERM", node, code)
		}
		time.Sleep(f.upTo(2000))
		return node, f.up(node)
	case "stop":
		n := f.nodes[node]
		n.Signal(syscall.SIGSTOP)
		time.Sleep(f.upTo(6000))
		n.Signal(syscall.SIGCONT)
		return node, nil
	case "cut off":
		return node, f.cutOff(node)
	case "cut a link":
		return f.cutLink(node), nil
	case "full disk":
		return f.fill()
	}
	f.kill(node)
	time.Sleep(f.upTo(2000))
	return node, f.up(node)
}

// activeRun returns the id of a run that has not ended.
func (f *faults) activeRun() (id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for id = range f.active {
		break
	}
	return id
}

// followerOfRun returns a node that takes part in a run which another one leads, or the given one.
func (f *faults) followerOfRun(node string) string {
	id := f.activeRun()
	f.any(f.rng, func(ctx context.Context, c *remote.Client) error {
		run, err := c.Get(ctx, id)
		if err != nil {
			return err
		}
		all, err := c.Units(ctx, id)
		for _, units := range all {
			if units.Node != run.Leader && f.members.nodes[units.Node] != nil {
				node = units.Node
			}
		}
		return err
	})
	return node
}

// leaderOfRun returns a node that leads a run which has not ended, or the given one.
func (f *faults) leaderOfRun(node string) string {
	id := f.activeRun()
	f.any(f.rng, func(ctx context.Context, c *remote.Client) error {
		run, err := c.Get(ctx, id)
		if err == nil && f.members.nodes[run.Leader] != nil {
			node = run.Leader
		}
		return err
	})
	return node
}

// leaderOfEngine returns the node that leads the engine, or the given one.
func (f *faults) leaderOfEngine(node string) string {
	f.any(f.rng, func(ctx context.Context, c *remote.Client) error {
		s, err := c.Cluster(ctx)
		if holder := holderOf(s, "engine"); err == nil && holder != "" {
			node = holder
		}
		return err
	})
	return node
}

func (f *faults) kill(name string) {
	f.nodes[name].Kill()
	f.save(name)
	f.count("kills", 1)
}

// readyTime bounds the start of a node. It is far longer than a busy machine needs.
const readyTime = 6 * time.Minute

// up starts nodes, and waits until they serve.
func (f *faults) up(names ...string) error {
	begin := time.Now()
	for _, name := range names {
		f.start(name)
	}
	for _, name := range names {
		select {
		case <-f.nodes[name].Listens():
		case <-time.After(readyTime):
			return fmt.Errorf("%s does not start", name)
		}
		if f.nodes[name].URL() == "" {
			return fmt.Errorf("%s has ended before it was ready: %s", name, f.nodes[name].Log())
		}
	}
	f.note("start", time.Since(begin))
	return nil
}

// note notes the longest time of something.
func (f *faults) note(what string, took time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	what = "longest " + what + " in ms"
	f.counts[what] = max(f.counts[what], int(took.Milliseconds()))
}

// calmTime is the time after which a node without a majority makes no call any more: the one for which the record of a
// call's begin counts, and one for a busy machine.
const calmTime = 6 * time.Second

// most kills a majority. The others make no call until it is back.
func (f *faults) most() (string, error) {
	all := f.names()
	f.rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	dead, left := all[:f.size/2+1], all[f.size/2+1:]
	for _, name := range dead {
		f.kill(name)
	}
	begin := time.Now()
	time.Sleep(f.upTo(9000))
	err := f.calm(begin, left...)
	return fmt.Sprint(dead), errors.Join(err, f.up(dead...))
}

// calm reports a call that nodes without a majority have made.
func (f *faults) calm(begin time.Time, names ...string) error {
	for _, name := range names {
		if f.net == nil {
			continue
		}
		if late := f.calls.lastOf(f.net.Address(number(name))).Sub(begin); late > calmTime {
			return fmt.Errorf("%s has made a call %v after it had lost the majority", name, late)
		} else if late > 0 {
			f.note("call of a minority", late)
		}
		if time.Since(begin) > calmTime {
			f.count("times without a majority that were over "+calmTime.String(), 1)
		}
	}
	return nil
}

// cutOff cuts the links between a node and all others. It still reaches the service.
func (f *faults) cutOff(name string) error {
	if f.net == nil {
		return nil
	}
	i := number(name)
	for j := 1; j <= f.size; j++ {
		if j != i {
			f.net.Cut(i, j)
		}
	}
	begin := time.Now()
	time.Sleep(f.upTo(10_000))
	err := f.calm(begin, name)
	for j := 1; j <= f.size; j++ {
		if j != i {
			f.net.Heal(i, j)
		}
	}
	return err
}

// cutLink cuts the link between two nodes. Both reach the others.
func (f *faults) cutLink(name string) string {
	i := number(name)
	j := 1 + (i-1+1+f.rng.IntN(f.size-1))%f.size
	if f.net != nil {
		f.net.Cut(i, j)
		time.Sleep(f.upTo(8000))
		f.net.Heal(i, j)
	}
	return fmt.Sprintf("%s and %s", name, nodeName(j))
}

// diskBytes is the size of small disks. The log of the engine takes 400 MB at most, and its database has to fit twice.
const diskBytes = 2 << 30

// shrink moves the data of a node to a small disk.
func (s *soak) shrink(name string) {
	if s.net == nil {
		return
	}
	disk := filepath.Join(s.dir, name+".disk")
	require.NoError(s.t, os.Mkdir(disk, 0o700))
	out, err := exec.Command("mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%d,mode=0700", diskBytes), "tmpfs", disk).CombinedOutput()
	require.NoError(s.t, err, "%s", out)
	s.t.Cleanup(func() {
		for _, n := range s.nodes {
			n.Kill()
		}
		out, err := exec.Command("umount", disk).CombinedOutput()
		require.NoError(s.t, err, "%s", out)
	})
	text, err := os.ReadFile(s.file(name))
	require.NoError(s.t, err)
	require.NoError(s.t, os.WriteFile(s.file(name), []byte(strings.Replace(string(text), "cluster:\n",
		fmt.Sprintf("cluster:\n  dir: %q\n", filepath.Join(disk, "data")), 1)), 0o600))
	s.disks = append(s.disks, name)
}

// fill fills the disk of a node for a time.
func (f *faults) fill() (string, error) {
	if len(f.disks) == 0 {
		return "left out", nil
	}
	name := f.disks[f.rng.IntN(len(f.disks))]
	path := filepath.Join(f.dir, name+".disk", "filler")
	filler, err := os.Create(path)
	if err != nil {
		return name, err
	}
	begin := time.Now()
	for wait := 5*time.Second + f.upTo(10_000); time.Since(begin) < wait && f.nodes[name].Runs(); {
		io.Copy(filler, zeros{}) // including the space that is freed in the meantime
		time.Sleep(50 * time.Millisecond)
	}
	filler.Close()
	if err := os.Remove(path); err != nil {
		return name, err
	}
	if f.nodes[name].Runs() {
		return name, nil
	}
	f.count("ends by a full disk", 1)
	f.nodes[name].Ended()
	f.save(name)
	return name, f.up(name)
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// save keeps the output of a node.
func (s *soak) save(name string) {
	file, err := os.OpenFile(filepath.Join(s.keep, name+".log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		s.fail("%v", err)
		return
	}
	defer file.Close()
	fmt.Fprintf(file, "%s\n== %s ended\n", s.nodes[name].Log(), time.Now().Format(time.TimeOnly))
}

func (s *soak) saveAll() {
	for _, name := range s.names() {
		s.save(name)
	}
}
