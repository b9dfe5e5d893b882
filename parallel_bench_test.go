// This file defines the benchmarks of waiting beside computing.

package ptc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/tool"
)

// BenchmarkWaitsBesideComputing reports how late the end of a wait of 5 ms is noticed, for
// time to pass or for an answer over TCP, while as many elements compute as there are
// processors, and while none does. Spare says that Go has one processor more.
func BenchmarkWaitsBesideComputing(b *testing.B) {
	peer := slowPeer(b)
	procs := runtime.GOMAXPROCS(0)
	for _, computing := range []int{0, procs} {
		for _, spare := range []int{0, 1} {
			for _, way := range []string{"timer", "tcp"} {
				b.Run(fmt.Sprintf("%s/%d computing/%d spare", way, computing, spare), func(b *testing.B) {
					defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs + spare))
					var late []time.Duration
					wait := tool.New("wait", "Waits 5 ms.", func(context.Context, struct{}) (bool, error) {
						began := time.Now()
						if way == "timer" {
							time.Sleep(peerDelay)
						} else if err := peer(); err != nil {
							return false, err
						}
						late = append(late, time.Since(began)-peerDelay)
						return len(late) < b.N, nil
					})
					tools, err := tool.NewRegistry(wait)
					require.NoError(b, err)
					_, err = Run(context.Background(), fmt.Sprintf(`(pany (fn [x] (if (= x :wait) (loop [] (if (tool/wait {}) (recur) :done)) (loop [] (recur)))) (cons :wait (repeat %d :compute)))`, computing),
						Options{Tools: tools, Processors: NewProcessors(procs), Limits: Limits{
							Timeout: time.Hour, Steps: 1 << 60, Calls: 1 << 30, ToolCalls: 1 << 30}})
					require.NoError(b, err)
					slices.Sort(late)
					b.ReportMetric(float64(late[len(late)/2].Microseconds()), "late-µs-P50")
					b.ReportMetric(float64(late[len(late)*9/10].Microseconds()), "late-µs-P90")
				})
			}
		}
	}
}

const peerDelay = 5 * time.Millisecond

// slowPeer starts a process that answers each byte after peerDelay, and returns a function that asks it
// over one connection.
func slowPeer(b *testing.B) func() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	defer l.Close()
	peer := exec.Command(os.Args[0])
	peer.Env = append(os.Environ(), peerVar+"="+l.Addr().String())
	require.NoError(b, peer.Start())
	c, err := l.Accept()
	require.NoError(b, err)
	b.Cleanup(func() {
		c.Close()
		peer.Wait()
	})
	return func() error {
		one := []byte{0}
		if _, err := c.Write(one); err != nil {
			return err
		}
		_, err := c.Read(one)
		return err
	}
}

// peerVar asks the test binary to be the other process of BenchmarkWaitsBesideComputing.
const peerVar = "PTC_BENCH_PEER"

func answerSlowly(addr string) int {
	c, err := net.Dial("tcp", addr)
	one := []byte{0}
	for err == nil {
		if _, err = c.Read(one); err == nil {
			time.Sleep(peerDelay)
			_, err = c.Write(one)
		}
	}
	if errors.Is(err, io.EOF) {
		return 0
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// BenchmarkComputingBeforeWaiting has two elements that compute for 100 ms before four that
// wait as long: on two processors it should take little more than 100 ms.
func BenchmarkComputingBeforeWaiting(b *testing.B) {
	compute := tool.New("now", "Tells the time in ms.", func(context.Context, struct{}) (int64, error) { return time.Now().UnixMilli(), nil })
	tools, err := tool.NewRegistry(compute)
	require.NoError(b, err)
	prog, err := Compile(context.Background(), "p", `(pmap (fn [k] (if (= k :io) (Thread/sleep 100)
		(let [t (tool/now {})] (loop [] (when (< (- (tool/now {}) t) 100) (dotimes [_ 10000]) (recur)))))) [:cpu :cpu :io :io :io :io])`,
		Options{Tools: tools, Limits: Limits{Calls: 1 << 30, ToolCalls: 1 << 30}})
	require.NoError(b, err)
	for b.Loop() {
		_, err := prog.Run(context.Background(), RunOptions{})
		require.NoError(b, err)
	}
}
