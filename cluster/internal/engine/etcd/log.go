// This file defines the log of etcd, which goes to that of the node.

package etcd

import (
	"context"
	"log/slog"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// sameMessages is how many records with the same message are logged within a second. Without a majority, etcd writes
// one for each heartbeat and each read: 16 MB a minute.
const sameMessages = 5

// logger returns a logger of etcd that writes to log. The information of etcd is logged at the level debug,
// its warnings as warnings. A failure that etcd can't survive ends the process, after a record with the
// next step.
func logger(log *slog.Logger) *zap.Logger {
	all := core{handler: log.With("part", "engine").Handler()}
	return zap.New(zapcore.NewSamplerWithOptions(all, time.Second, sameMessages, 0), zap.WithFatalHook(fatal{}))
}

// fatal makes etcd panic where it would end the process, so that Open can return the error. After Open the
// panic ends the process, because nothing recovers it.
type fatal struct{}

// OnWrite implements zapcore.CheckWriteHook.
func (fatal) OnWrite(entry *zapcore.CheckedEntry, fields []zapcore.Field) {
	message := entry.Message
	for _, f := range fields {
		if err, ok := f.Interface.(error); ok {
			message += ": " + err.Error()
		}
	}
	panic(message)
}

// core is a zapcore.Core on a handler of slog.
type core struct{ handler slog.Handler }

func level(l zapcore.Level) slog.Level {
	switch {
	case l <= zapcore.InfoLevel:
		return slog.LevelDebug
	case l == zapcore.WarnLevel:
		return slog.LevelWarn
	}
	return slog.LevelError
}

// Enabled implements zapcore.Core.
func (c core) Enabled(l zapcore.Level) bool {
	return l > zapcore.DebugLevel && c.handler.Enabled(context.Background(), level(l))
}

// With implements zapcore.Core.
func (c core) With(fields []zapcore.Field) zapcore.Core {
	return core{c.handler.WithAttrs(attrs(fields))}
}

// Check implements zapcore.Core.
func (c core) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(entry.Level) {
		return checked.AddCore(entry, c)
	}
	return checked
}

// Write implements zapcore.Core.
func (c core) Write(entry zapcore.Entry, fields []zapcore.Field) error {
	r := slog.NewRecord(entry.Time, level(entry.Level), entry.Message, 0)
	r.AddAttrs(attrs(fields)...)
	if entry.Level > zapcore.ErrorLevel {
		r.AddAttrs(slog.String("advice", "the engine can't continue; if the disk is full, make room and start the node; "+
			"if it does not start, "+repair))
	}
	return c.handler.Handle(context.Background(), r)
}

// Sync implements zapcore.Core.
func (core) Sync() error { return nil }

// attrs returns fields as attributes, in their order.
func attrs(fields []zapcore.Field) []slog.Attr {
	var list []slog.Attr
	for _, f := range fields {
		enc := zapcore.NewMapObjectEncoder()
		f.AddTo(enc)
		for key, value := range enc.Fields {
			list = append(list, slog.Any(key, value))
		}
	}
	return list
}
