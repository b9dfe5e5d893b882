package detach_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc/tools/internal/detach"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestDo(t *testing.T) {
	var g detach.Group
	failed := errors.New("failed")
	got, err := detach.Do(context.Background(), &g, func(context.Context) (int, error) { return 3, failed }, nil)
	assert.Equal(t, 3, got)
	assert.Equal(t, failed, err)
	assert.PanicsWithValue(t, "a bug", func() {
		_, _ = detach.Do(context.Background(), &g, func(context.Context) (int, error) { panic("a bug") }, nil)
	})
	g.Wait()
}

func TestDoLeaves(t *testing.T) {
	var g detach.Group
	ctx, cancel := context.WithCancel(context.Background())
	release := make(chan struct{})
	var late int
	_, err := detach.Do(ctx, &g, func(context.Context) (int, error) {
		cancel()
		<-release
		return 7, nil
	}, func(n int, _ error) { late = n })
	assert.ErrorIs(t, err, context.Canceled)
	close(release)
	g.Wait()
	assert.Equal(t, 7, late, "what came too late is handed on")
}

func TestDoLeavesPanic(t *testing.T) {
	var g detach.Group
	ctx, cancel := context.WithCancel(context.Background())
	release := make(chan struct{})
	_, err := detach.Do(ctx, &g, func(context.Context) (int, error) {
		cancel()
		<-release
		panic("too late for anybody")
	}, func(int, error) { t.Error("a panic is no result") })
	assert.ErrorIs(t, err, context.Canceled)
	close(release)
	g.Wait()
}
