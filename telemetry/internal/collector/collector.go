// Package collector sends messages of OTLP to a collector of OpenTelemetry, over HTTP or gRPC with Protocol Buffers. It
// needs the standard library only: the command ptc must not link the libraries of OpenTelemetry or gRPC. A call of gRPC
// without a stream is one request of HTTP/2 whose message has a prefix of five bytes.
package collector

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Client sends the messages of one signal. Environment.Client makes it. It is safe for concurrent use.
type Client struct {
	HTTP     http.Client
	Resource []slog.Attr // describes the process

	url      string
	shown    string // the URL without a password
	header   http.Header
	timeout  time.Duration
	compress bool
	grpc     bool
}

// Close closes the connections that are kept.
func (c *Client) Close() { c.HTTP.CloseIdleConnections() }

// Send sends a message, and repeats the request if the collector can't take it then.
func (c *Client) Send(ctx context.Context, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	if c.compress {
		body = compressed(body)
	}
	if c.grpc {
		body = framed(body, c.compress)
	}
	for pause := 100 * time.Millisecond; ; pause *= 2 {
		again, after, err := c.post(ctx, body)
		if err == nil || !again {
			return err
		}
		timer := time.NewTimer(max(pause, after))
		select {
		case <-ctx.Done():
			timer.Stop()
			return err
		case <-timer.C:
		}
	}
}

func compressed(body []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(body) // into memory
	_ = z.Close()
	return b.Bytes()
}

// framed returns a message of gRPC: a byte for its compression, its length, and itself.
func framed(body []byte, compress bool) []byte {
	frame := make([]byte, 5, 5+len(body))
	if compress {
		frame[0] = 1
	}
	binary.BigEndian.PutUint32(frame[1:], uint32(len(body)))
	return append(frame, body...)
}

// maxAnswer bounds the answer of a collector that is read.
const maxAnswer = 64 << 10

// post makes one request. again reports whether it may be repeated, and after when at the earliest.
func (c *Client) post(ctx context.Context, body []byte) (again bool, after time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return false, 0, err
	}
	req.Header = c.header
	resp, err := c.HTTP.Do(req)
	if err != nil {
		return false, 0, err // such as a collector that is not there: a command must not wait for it
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, io.LimitReader(resp.Body, maxAnswer)) // so that the connection can be used again
	if s, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
		after = time.Duration(min(max(s, 0), 3600)) * time.Second
	}
	if c.grpc && resp.StatusCode == http.StatusOK {
		if err != nil {
			return false, 0, err
		}
		again, err = c.answered(resp)
		return again, after, err
	}
	if resp.StatusCode/100 == 2 {
		return false, 0, nil
	}
	err = fmt.Errorf("%s answered %s", c.shown, resp.Status)
	switch resp.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true, after, err
	}
	return false, 0, err
}

// answered returns the error of a call of gRPC, and reports whether it may be repeated. The status is in the trailer,
// or in the header if there is no message.
func (c *Client) answered(resp *http.Response) (again bool, err error) {
	from := resp.Trailer
	if from.Get("Grpc-Status") == "" {
		from = resp.Header
	}
	status := from.Get("Grpc-Status")
	if status == "0" {
		return false, nil
	}
	message, err := url.PathUnescape(from.Get("Grpc-Message"))
	if err != nil {
		message = from.Get("Grpc-Message")
	}
	switch status {
	case "1", "4", "10", "11", "14", "15": // the codes that the specification of OTLP lists
		again = true
	}
	return again, fmt.Errorf("%s answered with the status %q of gRPC: %.200s", c.shown, status, message)
}
