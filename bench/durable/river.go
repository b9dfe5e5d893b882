package main

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
)

// queue is a client of River, in this process.
type queue struct {
	pool   *pgxpool.Pool
	client *river.Client[pgx.Tx]
	cancel func()
	begun  atomic.Int64
	over   atomic.Int64
}

type jobArgs struct {
	N int `json:"n"`
}

func (jobArgs) Kind() string { return "job" }

type worker struct {
	river.WorkerDefaults[jobArgs]
}

func (worker) Work(context.Context, *river.Job[jobArgs]) error { return nil }

func startRiver(ctx context.Context, url string) (*queue, error) {
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return nil, err
	}
	migrator, err := rivermigrate.New(riverpgxv5.New(pool), nil)
	if err != nil {
		return nil, err
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return nil, err
	}
	workers := river.NewWorkers()
	river.AddWorker(workers, &worker{})
	q := &queue{pool: pool}
	q.client, err = river.NewClient(riverpgxv5.New(pool), &river.Config{Workers: workers,
		Logger: slog.New(slog.DiscardHandler),
		Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 64}}})
	if err != nil {
		return nil, err
	}
	events, cancel := q.client.SubscribeConfig(&river.SubscribeConfig{ChanSize: 1 << 20,
		Kinds: []river.EventKind{river.EventKindJobCompleted}})
	q.cancel = cancel
	go func() {
		for range events {
			q.over.Add(1)
		}
	}()
	return q, q.client.Start(ctx)
}

func (q *queue) name() string { return "river" }

func (q *queue) submit(ctx context.Context, n int) error {
	q.begun.Add(1)
	_, err := q.client.Insert(ctx, jobArgs{n}, nil)
	return err
}

func (q *queue) ended(context.Context) error {
	for q.over.Load() < q.begun.Load() {
		time.Sleep(time.Millisecond)
	}
	return nil
}

func (q *queue) close(ctx context.Context) {
	_ = q.client.Stop(ctx)
	q.cancel()
	q.pool.Close()
}
