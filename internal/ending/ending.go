// Package ending bounds each step in the end of a process, and reports which steps it still waits for.
package ending

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Steps are the steps of the end of a process. Any number of goroutines may use them.
type Steps struct {
	log *slog.Logger

	mu  sync.Mutex
	now []string
}

// New returns Steps. A nil log discards.
func New(log *slog.Logger) *Steps {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Steps{log: log}
}

// slow is the time from which on a step is worth a line in the log. A step takes some milliseconds.
const slow = time.Second

// ErrLate is the error of a step that has not ended in time.
var ErrLate = errors.New("the end does not wait for it any longer")

// Do calls f and returns its error. After the time most it does not wait any longer: f continues, and the
// error is ErrLate.
func (s *Steps) Do(what string, most time.Duration, f func() error) error {
	s.mu.Lock()
	s.now = append(s.now, what)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		i := slices.Index(s.now, what)
		s.now = slices.Delete(s.now, i, i+1)
	}()
	begin, done := time.Now(), make(chan error, 1)
	go func() { done <- f() }()
	late := time.NewTimer(most)
	defer late.Stop()
	select {
	case err := <-done:
		if took := time.Since(begin); took >= slow {
			s.log.Info("the end of the service has waited", "for", what, "after", took)
		}
		return err
	case <-late.C:
		s.log.Warn("the end of the service does not wait any longer; please report it", "for", what, "after", most)
		return fmt.Errorf("%s: %w, after %v", what, ErrLate, most)
	}
}

// Now returns the steps that the end waits for.
func (s *Steps) Now() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.now)
}
