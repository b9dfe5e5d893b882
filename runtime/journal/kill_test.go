//go:build unix

// This file defines the test that kills a real process.

package journal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// childVar names the folder in which a child process of the test works.
const childVar = "PTC_JOURNAL_TEST_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childVar); dir != "" {
		child(dir)
		return
	}
	goleak.VerifyTestMain(m)
}

const killElements = 6

// child is a run of a program with six elements in parallel, each of which makes four writes with reads in
// between. It reports each effect.
func child(dir string) {
	j, rec, err := openChild(filepath.Join(dir, "run.journal"))
	if errors.Is(err, ErrFinished) { // it was killed when it had ended
		fmt.Println("value:", rec.Final.Value)
		return
	}
	if err != nil {
		fmt.Println("error:", err)
		return
	}
	world, err := os.OpenFile(filepath.Join(dir, "world"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		fmt.Println("error:", err)
		return
	}
	sums := make([]int, killElements)
	var wg sync.WaitGroup
	for i := range killElements {
		wg.Go(func() { sums[i] = childElement(j, world, fmt.Sprintf("0.1.%d", i)) })
	}
	wg.Wait()
	if err := j.Finish(Final{Value: fmt.Sprint(sums)}); err != nil {
		fmt.Println("error:", err)
	}
	fmt.Println("value:", sums)
	_ = j.Close()
}

// openChild begins the run, or continues it: for each effect in doubt it looks in the world whether the
// effect has happened.
func openChild(path string) (*Journal, *Recording, error) {
	rec, err := ReadFile(path)
	if err != nil {
		j, err := Create(path, Header{Program: "child"}, Options{})
		return j, nil, err
	}
	world, err := os.ReadFile(filepath.Join(filepath.Dir(path), "world"))
	if err != nil && !os.IsNotExist(err) {
		return nil, nil, err
	}
	var settle []effect.Settlement
	for _, e := range rec.InDoubt() {
		settle = append(settle, settlementOf(e.Effect, strings.Contains(string(world), e.ID+"\n")))
	}
	j, rec, err := Resume(path, settle, Options{})
	j, err = ApplyGiven(j, err)
	return j, rec, err
}

func childElement(j *Journal, world io.Writer, path string) int {
	sum := 0
	for n := range 8 {
		e := effect.Effect{ID: fmt.Sprintf("%s#%d", path, n), Kind: effect.KindCall, Class: []effect.Class{effect.ReadOnly, effect.Write}[n%2], Args: fmt.Appendf(nil, "%d", sum)}
		o, do, err := j.Begin(context.Background(), e)
		if err == nil && do {
			if e.Class == effect.Write {
				fmt.Fprintln(world, e.ID)
			}
			o = effect.Record{Result: strconv.AppendInt(nil, int64(result(e)), 10)}
			err = j.End(e.ID, o)
			fmt.Println("did", e.ID)
		}
		if err != nil {
			fmt.Println("error:", err)
			return 0
		}
		got, _ := strconv.Atoi(string(o.Result))
		sum = (sum*31 + got) % 1_000_003
	}
	return sum
}

// TestKill kills the process of a run, again and again, until it has come to its end:
// the value is that of a run which was left alone, and nothing was written twice.
func TestKill(t *testing.T) {
	want := runChild(t, t.TempDir(), 0)
	require.Contains(t, want, "value: [")
	r := rand.New(rand.NewPCG(1, 1))
	kills := 0
	for range 3 {
		dir := t.TempDir()
		got := ""
		for i := 0; got == "" && i < 100; i++ {
			if got = runChild(t, dir, 1+r.IntN(8)); got == "" {
				kills++
			}
		}
		require.Equal(t, want, got)
		world, err := os.ReadFile(filepath.Join(dir, "world"))
		require.NoError(t, err)
		times := map[string]int{}
		for id := range strings.Lines(string(world)) {
			times[id]++
			require.Equal(t, 1, times[id], "%s was written twice", id)
		}
		require.Len(t, times, killElements*4)
	}
	require.Greater(t, kills, 6)
}

// runChild runs a child, kills it when it has told of so many effects (0: never), and
// returns the line with its value, if it wrote that.
func runChild(t *testing.T, dir string, effects int) string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVar+"="+dir)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	value, did := "", 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		require.NotContains(t, lines.Text(), "error:")
		if strings.HasPrefix(lines.Text(), "value:") {
			value = lines.Text()
		}
		if did++; did == effects {
			require.NoError(t, cmd.Process.Kill())
		}
	}
	_ = cmd.Wait() // killed, or not
	return value
}
