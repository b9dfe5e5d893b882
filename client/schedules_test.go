package client_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/client"
	"github.com/ptc-lang/ptc/serve"
	"github.com/ptc-lang/ptc/serve/access"
	"github.com/ptc-lang/ptc/serve/api"
	"github.com/ptc-lang/ptc/serve/schedule"
	"github.com/ptc-lang/ptc/serve/wire"
	"github.com/ptc-lang/ptc/store"
	"github.com/ptc-lang/ptc/store/dir"
)

// newScheduled returns a client of a service with schedules.
func newScheduled(t *testing.T) *client.Client {
	t.Helper()
	st, err := dir.Open(t.TempDir())
	require.NoError(t, err)
	engine, err := serve.New(t.Context(), serve.Options{Store: st})
	require.NoError(t, err)
	schedules, err := schedule.New(t.Context(), engine, schedule.Options{Store: st})
	require.NoError(t, err)
	handler := api.New(engine, api.Options{Schedules: schedules})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := access.Who{Name: "ann", Tenant: "default", Role: access.Operator}
		handler.ServeHTTP(w, r.WithContext(access.With(r.Context(), who)))
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		schedules.Close()
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		engine.Drain(ctx, 0)
		st.Close()
	})
	return connect(t, server.URL, client.Options{})
}

func TestSchedules(t *testing.T) {
	c, ctx := newScheduled(t), t.Context()
	set := wire.ScheduleSetting{Cron: "30 2 * * *", Zone: "Europe/Berlin", Run: store.Submission{Source: "(+ 1 2)"}}
	ref := wire.ScheduleRef{Name: "nightly"}
	one, err := c.PutSchedule(ctx, ref, wire.NewSchedule{ScheduleSetting: set, Version: 1})
	require.NoError(t, err)
	assert.Equal(t, "ann", one.Owner)
	one, err = c.Schedule(ctx, ref, 7)
	require.NoError(t, err)
	assert.Len(t, one.Next, 7)
	for listed, err := range c.Schedules(ctx, "") {
		require.NoError(t, err)
		assert.Equal(t, "nightly", listed.Name)
	}
	run, err := c.RunSchedule(ctx, ref, "k")
	require.NoError(t, err)
	again, err := c.RunSchedule(ctx, ref, "k")
	require.NoError(t, err)
	assert.Equal(t, run.ID, again.ID)
	run, err = c.Wait(ctx, run.ID)
	require.NoError(t, err)
	assert.Equal(t, "3", string(run.Value))

	set.Run.Source = "(+ 1"
	_, err = c.PutSchedule(ctx, ref, wire.NewSchedule{ScheduleSetting: set})
	var program *ptc.Error
	assert.ErrorAs(t, err, &program)
	set.Cron = "x"
	_, err = c.PutSchedule(ctx, ref, wire.NewSchedule{ScheduleSetting: set})
	var problem *client.Error
	require.ErrorAs(t, err, &problem)
	assert.Contains(t, err.Error(), "cron: got")
	require.NoError(t, c.DeleteSchedule(ctx, ref))
	_, err = c.Schedule(ctx, ref, 0)
	assert.Error(t, err)
}

func TestSessions(t *testing.T) {
	c, ctx := newScheduled(t), t.Context()
	s, err := c.BeginSession(ctx, wire.NewSession{})
	require.NoError(t, err)
	_, err = c.Evaluate(ctx, s.ID, "(def x 20)")
	require.NoError(t, err)
	out, err := c.Evaluate(ctx, s.ID, "(println :a) (inc x)")
	require.NoError(t, err)
	assert.Equal(t, "21 :a\n", string(out.Value)+" "+out.Prints)
	all, err := c.Sessions(ctx)
	require.NoError(t, err)
	require.Len(t, all, 1)
	s, err = c.Session(ctx, s.ID)
	require.NoError(t, err)
	assert.Equal(t, 2, s.Evaluations)
	require.NoError(t, c.EndSession(ctx, s.ID))
	_, err = c.Evaluate(ctx, s.ID, "x")
	assert.ErrorContains(t, err, "begin another one")
}
