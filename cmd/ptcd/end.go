// This file defines the end of the service.

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/ptc-lang/ptc/cluster"
	"github.com/ptc-lang/ptc/internal/ending"
	"github.com/ptc-lang/ptc/runtime/queue"
	"github.com/ptc-lang/ptc/serve"
)

// endings returns the signals that end the service in order. A terminal that is closed sends SIGHUP, which nohup has
// ignored.
func endings() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// endTime is the time that the service has to end after the grace of its runs. It takes less than a second, and some
// seconds if the disk or the other nodes do not answer.
const endTime = 20 * time.Second

// partTime is the time that a part of the service has to end. Each takes some milliseconds; a call of the engine
// without a majority takes 5 s.
const partTime = 6 * time.Second

// sayTime is the time that the log of bound has: the reader of the log may have stopped.
const sayTime = 2 * time.Second

// bound makes the process exit if the service does not end in time, and logs the stacks it waits for.
// Unfinished work is then in the same state as after a crash.
func (s *settings) bound(signals context.Context, ended <-chan struct{}, ends *ending.Steps, log *slog.Logger,
	exit func(code int)) {
	<-signals.Done()
	select {
	case <-ended:
		return
	case <-time.After(s.grace + endTime):
	}
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	said := make(chan struct{})
	go func() {
		defer close(said)
		log.Error("the service does not end in time, and exits as after a crash; please report what it waits for",
			"after", s.grace+endTime, "for", ends.Now(), "stacks", string(stacks))
	}()
	select {
	case <-said:
	case <-time.After(sayTime):
	}
	exit(exitFailed)
}

// end waits until a signal, or the end of the server, ends the service, and ends its work and the server in order.
func (s *settings) end(signals context.Context, stop context.CancelFunc, served <-chan error, drain func() error,
	server *http.Server, log *slog.Logger) (err error) {
	select {
	case err = <-served:
	case <-signals.Done():
	}
	stop() // a second signal ends the process immediately
	log.Info("the service is ending", "finish", s.finish, "grace", s.grace)
	return errors.Join(err, drain(), shutdown(server))
}

// learnTime lets the other nodes learn of the same change while there is a majority.
const learnTime = 3 * time.Second

// endReplaced ends the process when its cluster has got other contents. All nodes end then, so an end in order would
// wait for a majority. The cluster was empty before.
func endReplaced(ctx context.Context, node *cluster.Node, errs io.Writer) {
	if err := node.Failed(ctx); err != nil {
		time.Sleep(learnTime)
		fmt.Fprintln(errs, "ptcd:", err)
		os.Exit(exitFailed)
	}
}

// drain ends the engine in order. Drain waits some seconds longer than its context for the states of the runs.
func (s *settings) drain(engine *serve.Engine, ends *ending.Steps) error {
	ctx, cancel := context.WithTimeout(context.Background(), s.grace)
	defer cancel()
	err := ends.Do("the runs", s.grace+2*partTime, func() error { return engine.Drain(ctx, s.finish) })
	if q, ok := engine.Options().Run.Queue.(*queue.Enforcer); ok {
		err = errors.Join(err, q.Settle(ctx))
	}
	return err
}

// The times that responses have to end. Streams of events and requests that wait for a run do not end by themselves:
// their contexts end after streamTime.
const (
	streamTime   = 100 * time.Millisecond
	shutdownTime = 400 * time.Millisecond
)

func shutdown(server *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTime)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return server.Close()
	}
	return nil
}
