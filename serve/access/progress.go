// This file defines requests and responses that must make progress.

package access

import (
	"context"
	"io"
	"net/http"
	"time"
)

// response is a response whose client must take each write within writeTime, however long the whole response takes. It
// keeps the status.
type response struct {
	http.ResponseWriter
	control *http.ResponseController
	status  int

	still   func() error // the present error of the proof of the identity; see watch
	cancel  context.CancelCauseFunc
	checked time.Time
}

func newResponse(w http.ResponseWriter) *response {
	r := &response{ResponseWriter: w, control: http.NewResponseController(w)}
	r.wait() // the connection has the deadline of the response before
	return r
}

// Unwrap lets http.ResponseController find the methods of the server's writer.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *response) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *response) Write(b []byte) (int, error) {
	w.begin()
	defer w.wait()
	return w.ResponseWriter.Write(b)
}

// Flush is for handlers that ask for an http.Flusher.
func (w *response) Flush() { w.FlushError() }

// FlushError is for http.ResponseController.
func (w *response) FlushError() error {
	w.begin()
	defer w.wait()
	if err := w.check(time.Now()); err != nil {
		return err
	}
	return w.control.Flush()
}

// checkEvery is the time for which a response of events may outlive its token.
const checkEvery = time.Second

// watch sets the proof of the identity. A response that is flushed again and again ends, by cancel, when the proof
// no longer holds: events of a revoked token must not continue for hours.
func (w *response) watch(still func() error, cancel context.CancelCauseFunc) {
	w.still, w.cancel, w.checked = still, cancel, time.Now()
}

func (w *response) check(now time.Time) error {
	if w.still == nil || now.Sub(w.checked) < checkEvery {
		return nil
	}
	w.checked = now
	err := w.still()
	if err != nil {
		w.cancel(err)
	}
	return err
}

// begin sets the deadline of a write. A server without deadlines, such as a recorder of a test, sets none.
func (w *response) begin() {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	w.control.SetWriteDeadline(time.Now().Add(writeTime))
}

// wait takes the deadline away: HTTP/2 resets a stream at its deadline even if there is nothing to write, and the
// events of a run may be minutes apart.
func (w *response) wait() { w.control.SetWriteDeadline(time.Time{}) }

// end is called after the handler, before the server writes its buffer.
func (w *response) end() { w.begin() }

// body is the body of a request: some bytes must arrive within each bodyTime, and all within bodyWhole. At its end the
// server takes the deadline away.
type body struct {
	io.ReadCloser
	control *http.ResponseController
	until   time.Time // the end of bodyWhole; zero before the first read
	ended   bool
}

func (b *body) Read(p []byte) (int, error) {
	now := time.Now()
	if b.until.IsZero() {
		b.until = now.Add(bodyWhole)
	}
	next := now.Add(bodyTime)
	if next.After(b.until) {
		next = b.until
	}
	b.control.SetReadDeadline(next)
	n, err := b.ReadCloser.Read(p)
	b.ended = b.ended || err != nil
	return n, err
}

// abandon bounds the time in which the server reads the rest that the handler has not read.
func (b *body) abandon() {
	if !b.ended {
		b.control.SetReadDeadline(time.Now().Add(bodyTime))
	}
}
