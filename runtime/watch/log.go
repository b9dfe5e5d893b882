// This file writes the messages of the log.

package watch

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/runtime/effect"
)

// tell writes a message of level debug.
func (w *Run) tell(event string, attrs ...slog.Attr) {
	if w.log != nil {
		w.log.LogAttrs(context.Background(), slog.LevelDebug, event, attrs...)
	}
}

// begun logs and reports that a wait for a guard begins.
func (w *Run) begun(r *effect.GuardRequest, b effect.Begun) {
	b.Worker = r.Worker
	w.began(r.ID, b)
	if w.log == nil {
		return
	}
	attrs := append(who(r), guardAttrs(b.Kind, b.Key, slog.Int("place", b.Ahead+1))...)
	if b.Holder != "" {
		attrs = append(attrs, slog.String("holder", b.Holder))
	}
	w.tell("wait begun", attrs...)
}

// Pending logs and reports that a wait for a settlement begins.
func (w *Run) Pending(p effect.Pending) {
	w.began(p.ID, effect.Begun{Kind: effect.WaitKind(p.Kind), Key: p.Tool})
	if w.log != nil {
		since := slog.String("since", p.Since.UTC().Format(time.RFC3339))
		w.tell("wait begun", append(pendingAttrs(p.ID, effect.WaitKind(p.Kind), p.Tool), since)...)
	}
}

// Over logs and reports that such a wait of an effect has ended.
func (w *Run) Over(id string, wait effect.Wait) {
	if w.log != nil {
		w.tell("wait ended", append(pendingAttrs(id, wait.Kind, wait.Key), slog.Duration("waited", wait.Duration))...)
	}
	w.ended(id, wait)
}

// pendingAttrs returns the attributes of an effect that waits for a settlement.
func pendingAttrs(id string, kind effect.WaitKind, tool string) []slog.Attr {
	path, _, _ := strings.Cut(id, "#")
	attrs := []slog.Attr{slog.String("path", path), slog.String("call", id)}
	if tool != "" {
		attrs = append(attrs, slog.String("tool", tool))
	}
	return append(attrs, slog.String("for", string(kind)))
}

// tellEnded logs the end of a wait.
func (w *Run) tellEnded(wait effect.Wait, who ...slog.Attr) {
	w.tell("wait ended", append(who, guardAttrs(wait.Kind, wait.Key, slog.Duration("waited", wait.Duration))...)...)
}

// who returns the attributes of the evaluation or the call that makes a request.
func who(r *effect.GuardRequest) (attrs []slog.Attr) {
	if name := ownerOf(r); name != "" {
		attrs = append(attrs, slog.String("path", name))
	}
	if r.Tool != "" {
		attrs = append(attrs, slog.String("tool", r.Tool), slog.String("call", r.ID))
	}
	return attrs
}

// ownerOf returns the path of the evaluation that makes a request; "" if it is not known.
func ownerOf(r *effect.GuardRequest) string {
	if r.Owner == nil {
		return ""
	}
	return r.Owner.String()
}

// guardAttrs returns the attributes of a guard or a queue.
func guardAttrs(kind effect.WaitKind, key string, more ...slog.Attr) []slog.Attr {
	attrs := []slog.Attr{slog.String("for", string(kind))}
	switch kind {
	case effect.WaitHost:
		attrs = append(attrs, slog.String("host", key))
	case effect.WaitToken:
		attrs = append(attrs, slog.String("rate", key))
	}
	return append(attrs, more...)
}
