// This file defines the test of faults: three processes write to one log while they are killed, stopped, cut off, and
// lose or damage their files, one at a time. After each fault and at the end no acknowledged record is lost or moved.

//go:build unix

package etcd

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/cluster/internal/engine"
)

var (
	thorough = flag.Bool("thorough", false, "make the faults of -faults in TestFaults, not a few")
	faults   = flag.Int("faults", 300, "the number of faults, with -thorough")
	seed     = flag.Uint64("seed", 1, "of the choice of faults")
	every    = flag.Duration("every", 50*time.Millisecond, "the time between the records of a writer; each process has three")
	keep     = flag.String("keep", "", "a directory for the files of rounds that have failed")
)

// perRound is how many faults a cluster has with -thorough before it is checked as a whole and a new one starts.
const perRound = 14

// patience bounds the wait for events that must happen. It is far longer than a busy machine needs.
const patience = 2 * time.Minute

// chaos is a cluster of processes.
type chaos struct {
	*network
	t     *testing.T
	rng   *rand.Rand
	work  string
	nodes []*node
	count int // of processes
	every time.Duration
}

// node is a member of the cluster, or the process of it that was started last.
type node struct {
	c       *chaos
	i       int
	dir     string
	start   Start
	cmd     *exec.Cmd
	stdin   io.Closer
	control string
	errors  *bytes.Buffer
	ready   chan struct{} // closed when it answers requests
	exited  chan struct{}
	since   time.Time
	boot    string // milliseconds of Open
}

func newChaos(t *testing.T, rng *rand.Rand, every time.Duration) *chaos {
	c := &chaos{network: newNetwork(t, 3), t: t, rng: rng, work: t.TempDir(), every: every}
	for i := range 3 {
		c.nodes = append(c.nodes, &node{c: c, i: i, dir: filepath.Join(c.work, fmt.Sprintf("data%d", i+1)), start: New})
	}
	t.Cleanup(func() {
		for _, n := range c.nodes {
			n.kill()
		}
	})
	begin := time.Now()
	for _, n := range c.nodes {
		n.run()
	}
	for _, n := range c.nodes {
		require.True(t, n.works(begin, patience), "%s does not start: %s", nodeName(n.i), n.evidence())
	}
	return c
}

// run starts the process of a node.
func (n *node) run() {
	c := n.c
	c.count++
	s := settings{Options: c.options(n.i, n.dir), SNI: link(n.i), Out: nodeFile(c.work, n.i), Process: c.count, Writers: 3,
		Every: c.every}
	s.Options.Start = n.start
	text, err := json.Marshal(s)
	require.NoError(c.t, err)
	n.cmd = exec.Command(os.Args[0])
	n.cmd.Env = append(os.Environ(), nodeEnv+"="+string(text))
	n.errors = &bytes.Buffer{}
	n.cmd.Stderr = n.errors
	n.stdin, err = n.cmd.StdinPipe()
	require.NoError(c.t, err)
	out, err := n.cmd.StdoutPipe()
	require.NoError(c.t, err)
	n.since, n.ready, n.exited = time.Now(), make(chan struct{}), make(chan struct{})
	require.NoError(c.t, n.cmd.Start())
	go func(cmd *exec.Cmd, ready, exited chan struct{}) {
		scan := bufio.NewScanner(out)
		for scan.Scan() {
			if f := strings.Fields(scan.Text()); len(f) == 3 && f[0] == "control" {
				n.control, n.boot = f[1], f[2]
				close(ready)
			}
		}
		cmd.Wait()
		close(exited)
	}(n.cmd, n.ready, n.exited)
}

func (n *node) signal(s syscall.Signal) { _ = n.cmd.Process.Signal(s) }

func (n *node) kill() {
	if n.cmd != nil {
		n.signal(syscall.SIGKILL)
		<-n.exited
		n.stdin.Close()
	}
}

func (n *node) alive() bool {
	select {
	case <-n.exited:
		return false
	default:
		return true
	}
}

// evidence returns the end of the log of the process.
func (n *node) evidence() string {
	if n.alive() {
		return "it runs"
	}
	text := n.errors.String()
	return text[max(0, len(text)-1500):]
}

// ask makes a request of a process, and reads the answer into v if that is not nil.
func (n *node) ask(timeout time.Duration, path string, v any) error {
	select {
	case <-n.ready:
	default:
		return fmt.Errorf("%s is not ready", nodeName(n.i))
	}
	client := http.Client{Timeout: timeout}
	r, err := client.Get("http://" + n.control + path)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err == nil && r.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s", bytes.TrimSpace(text))
	}
	if err == nil && v != nil {
		err = json.Unmarshal(text, v)
	}
	return err
}

// state is the state of the engine as a process knows it.
type state struct {
	LastAck int64 // in ms since 1970
	Status  engine.Status
}

func (n *node) state() (s state, err error) {
	err = n.ask(10*time.Second, "/status", &s)
	return s, err
}

// leader returns the number of the leader, -1 if there is none.
func (c *chaos) leader() int {
	for _, n := range c.nodes {
		if s, err := n.state(); err == nil {
			for i := range c.nodes {
				if s.Status.Leader == nodeName(i) {
					return i
				}
			}
		}
	}
	return -1
}

// works waits until a node has written a record after a moment. It returns false if its process ends, if it is the
// cause of an alarm, or after a time.
func (n *node) works(after time.Time, wait time.Duration) bool {
	for end := time.Now().Add(wait); time.Now().Before(end); time.Sleep(30 * time.Millisecond) {
		if !n.alive() {
			return false
		}
		s, err := n.state()
		if err != nil {
			continue
		}
		if slices.Contains(s.Status.Alarms, "corrupt on "+nodeName(n.i)) {
			return false
		}
		if s.LastAck > after.UnixMilli() {
			return true
		}
	}
	return false
}

// change makes a change of the members on any node but one, until one has made it.
func (c *chaos) change(but *node, query string) (members map[string]string, err error) {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		for _, n := range c.nodes {
			if n != but {
				if err = n.ask(20*time.Second, "/admin?"+query, &members); err == nil {
					return members, nil
				}
			}
		}
	}
	return nil, err
}

// replace repairs a node as its errors say.
func (c *chaos) replace(n *node) error {
	n.kill()
	name, peer := nodeName(n.i), url.QueryEscape(c.peers[n.i])
	if _, err := c.change(n, "op=replace&name="+name+"&peer="+peer); err != nil {
		// An attempt without an answer may have removed the member.
		if !strings.Contains(err.Error(), "does not run") {
			return err
		}
		if _, err = c.change(n, "op=replace&name="+name+"&peer="+peer); err != nil {
			return err
		}
	}
	if err := empty(n.dir); err != nil {
		return err
	}
	n.start = Join
	n.run()
	if _, err := c.change(n, "op=promote&name="+name); err != nil {
		return fmt.Errorf("%w: %s", err, n.evidence())
	}
	if !n.works(time.Now(), patience) {
		return fmt.Errorf("%s does not work: %s", name, n.evidence())
	}
	return nil
}

// empty removes the contents of a directory, and keeps the directory, which may be a mount.
func empty(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if err == nil {
			err = os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
	return err
}

// fault is a fault of a node, with the expectations afterwards.
type fault struct {
	kind   string
	note   string
	leader bool
	gap    time.Duration // the longest time between two acknowledgements of a writer on another node
	back   time.Duration // from the end of the fault to the next acknowledgement of the node
	repair string        // "" if the node recovers on its own
	wrong  []string
}

func (f fault) String() string {
	return fmt.Sprintf("%-8s leader=%-5t gap=%-6d back=%-6d repair=%q %s wrong=%q",
		f.kind, f.leader, f.gap.Milliseconds(), f.back.Milliseconds(), f.repair, f.note, f.wrong)
}

// one makes a fault on a node, ends it, and waits until all nodes work.
func (c *chaos) one(kind string, n *node) fault {
	f := fault{kind: kind, leader: c.leader() == n.i}
	begin := time.Now()
	pause := func(least, most int) { time.Sleep(time.Duration(least+c.rng.IntN(most-least)) * time.Millisecond) }
	files := false
	switch kind {
	case "kill":
		n.kill()
		pause(200, 2000)
	case "term":
		n.signal(syscall.SIGTERM)
		<-n.exited
	case "stop":
		n.signal(syscall.SIGSTOP)
		pause(1000, 6000)
		n.signal(syscall.SIGCONT)
	case "cut":
		c.Cut(n.i)
		pause(1000, 6000)
		c.Heal()
	case "slow":
		c.Slow(n.i, time.Duration(5+c.rng.IntN(100))*time.Millisecond)
		pause(2000, 5000)
		c.Heal()
	case "all":
		for _, o := range c.nodes {
			o.signal(syscall.SIGKILL)
		}
		for _, o := range c.nodes {
			<-o.exited
		}
	case "truncate", "flip", "wipe":
		files = true
		if c.rng.IntN(2) == 0 {
			n.signal(syscall.SIGTERM)
			<-n.exited
		}
		n.kill()
		f.note = c.damage(kind, n)
		pause(100, 1000)
	case "full":
		f.note = c.fillDisk(n)
	case "replace":
		files = true
		f.note = c.replaceDuring(n)
	}
	end := time.Now()
	for _, i := range c.rng.Perm(len(c.nodes)) {
		if o := c.nodes[i]; !o.alive() {
			o.run()
		}
	}
	f.repair = c.recovered(end)
	f.gap, f.back = c.gap(n, begin), c.back(n, end)
	if files && f.repair != "" && !strings.HasPrefix(f.repair, "replaced") {
		f.wrong = append(f.wrong, "not repaired")
	}
	if kind != "kill" && kind != "term" && kind != "slow" {
		var wrong []string
		wrong, _ = c.check()
		f.wrong = append(f.wrong, wrong...)
	}
	return f
}

// recovered waits until all nodes work, and replaces one that does not. It returns a description of its repairs.
func (c *chaos) recovered(since time.Time) string {
	repair := ""
	for _, n := range c.nodes {
		if n.works(since, patience) {
			continue
		}
		why := n.evidence()
		advised := strings.Contains(why, "replace this one")
		if !n.alive() && !advised { // it has ended while it ran: the second start tells
			n.run()
			if n.works(time.Now(), patience) {
				repair += "started again; "
				continue
			}
			why = n.evidence()
		}
		begin := time.Now()
		if err := c.replace(n); err != nil {
			return fmt.Sprintf("FAILED to replace %s: %v; it said: %s", nodeName(n.i), err, why)
		}
		why = strings.TrimSpace(why)
		if i := strings.LastIndex(why, "engine of "); i >= 0 {
			why = why[i:]
		}
		repair += fmt.Sprintf("replaced in %v: %.200s; ", time.Since(begin).Round(10*time.Millisecond), why)
	}
	return repair
}

// gap returns the longest time between two acknowledgements of a writer on another node than n since a moment.
func (c *chaos) gap(n *node, since time.Time) (longest time.Duration) {
	last := map[string]int64{}
	for _, a := range c.acks() {
		if a.node == n.i {
			continue
		}
		if before := last[a.writer]; before != 0 && a.at > since.UnixMicro() {
			longest = max(longest, time.Duration(a.at-before)*time.Microsecond)
		}
		last[a.writer] = a.at
	}
	return longest
}

func (c *chaos) back(n *node, since time.Time) (first time.Duration) {
	for _, a := range c.acks() {
		if d := time.UnixMicro(a.at).Sub(since); a.node == n.i && d > 0 && (first == 0 || d < first) {
			first = d
		}
	}
	return first
}

// finish stops the writers, and checks everything.
func (c *chaos) finish() (summary string, wrong []string) {
	for _, n := range c.nodes {
		if err := n.ask(patience, "/stop", nil); err != nil {
			wrong = append(wrong, err.Error())
		}
	}
	time.Sleep(time.Second)
	found, records := c.check()
	wrong = append(wrong, found...)
	acks := c.acks()
	took := make([]int64, 0, len(acks))
	for _, a := range acks {
		took = append(took, a.took)
	}
	slices.Sort(took)
	summary = fmt.Sprintf("%d records, %d acknowledged", records, len(acks))
	if len(took) > 0 {
		summary += fmt.Sprintf(", p50 %d µs, p99 %d µs", took[len(took)/2], took[len(took)*99/100])
	}
	for _, n := range c.nodes {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", n.cmd.Process.Pid))
		for line := range strings.SplitSeq(string(text), "\n") {
			if strings.HasPrefix(line, "VmRSS") {
				summary += ", " + strings.Join(strings.Fields(line)[1:], " ")
			}
		}
		summary += ", open " + n.boot + " ms"
	}
	return summary, wrong
}

// TestFaults makes a few faults, one of each kind that files survive and one repair, or many with -thorough.
func TestFaults(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(*seed, 7))
	if !*thorough {
		c := newChaos(t, rng, *every)
		leader := max(c.leader(), 0)
		for _, f := range []fault{
			c.one("kill", c.nodes[leader]),
			c.one("stop", c.nodes[(leader+1)%3]),
			c.one("cut", c.nodes[(leader+2)%3]),
			c.one("wipe", c.nodes[leader]),
		} {
			t.Log(f)
			require.Empty(t, f.wrong)
		}
		summary, wrong := c.finish()
		t.Log(summary)
		require.Empty(t, wrong)
		return
	}
	kinds := strings.Fields("kill kill kill stop stop cut cut slow all term truncate truncate flip flip wipe replace full")
	for done := 0; done < *faults; {
		t.Run(fmt.Sprintf("from %d", done), func(t *testing.T) {
			c := newChaos(t, rng, *every)
			for i := 0; i < perRound && done < *faults; i++ {
				target := rng.IntN(3)
				if leader := c.leader(); leader >= 0 && rng.IntN(3) == 0 {
					target = leader
				}
				f := c.one(kinds[rng.IntN(len(kinds))], c.nodes[target])
				done++
				fmt.Printf("%s %d %v\n", time.Now().Format(time.TimeOnly), done, f)
				if len(f.wrong) > 0 || strings.Contains(f.repair+f.note, "FAILED") {
					t.Errorf("fault %d: %v", done, f)
					c.save()
					return
				}
			}
			summary, wrong := c.finish()
			fmt.Printf("round: %s\n", summary)
			if len(wrong) > 0 {
				t.Errorf("at the end: %q", wrong)
				c.save()
			}
		})
	}
}

// save keeps the files of a round that has failed.
func (c *chaos) save() {
	for _, n := range c.nodes {
		n.kill()
	}
	if *keep != "" {
		_ = os.CopyFS(filepath.Join(*keep, fmt.Sprint(time.Now().UnixNano())), os.DirFS(c.work))
	}
}
