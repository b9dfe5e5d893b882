// This file defines how answers become results, and failures errors.

package http

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
)

// Response is the answer to a request.
type Response struct {
	Status  int               `json:"status"`
	URL     string            `json:"url" jsonschema:"the URL of the response, after redirects"`
	Headers map[string]string `json:"headers" jsonschema:"headers by name in lower case"`
	JSON    any               `json:"json,omitempty" jsonschema:"the content, if it is JSON"`
	Body    string            `json:"body,omitempty" jsonschema:"the content, if it is other text"`
	Base64  string            `json:"base64,omitempty" jsonschema:"the content, if it is not text"`
}

// maxErrorBody bounds the part of a response that an error contains.
const maxErrorBody = 16 << 10

func (c *client) read(ctx context.Context, res *http.Response, anyStatus bool) (Response, error) {
	failed := res.StatusCode >= 400 && !anyStatus
	most := c.most
	if tool.CallID(ctx) != "" {
		most = min(most, max(0, tool.ResultRoom(ctx)))
	}
	if failed {
		most = maxErrorBody
	} else if res.ContentLength > most && res.Request.Method != http.MethodHead {
		return Response{}, tooLarge(res, res.ContentLength, most)
	}
	content, err := io.ReadAll(io.LimitReader(res.Body, most+1))
	if err != nil && !failed {
		return Response{}, err
	}
	if int64(len(content)) > most {
		if !failed {
			return Response{}, tooLarge(res, int64(len(content)), most)
		}
		content = content[:most]
	}
	out := Response{Status: res.StatusCode, URL: res.Request.URL.String(),
		Headers: make(map[string]string, len(res.Header))}
	for name, values := range res.Header {
		out.Headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	out.decode(content, res.Header.Get("Content-Type"))
	if failed {
		return Response{}, c.statusError(res, out)
	}
	return out, tool.Fits(ctx, out.Body)
}

func tooLarge(res *http.Response, size, most int64) error {
	return &tool.Error{Code: "too-large", Data: map[string]int64{"most": most},
		Message: fmt.Sprintf("the response of %s has %d bytes or more, want at most %d; request less, such as one page",
			shownURL(res.Request.URL), size, most)}
}

// decode puts the content where its kind has it.
func (r *Response) decode(content []byte, contentType string) {
	kind, params, _ := mime.ParseMediaType(contentType)
	text := bytes.TrimPrefix(content, []byte("\ufeff"))
	isJSON := kind == "application/json" || kind == "text/json" || strings.HasSuffix(kind, "+json")
	switch charset := strings.ToLower(params["charset"]); {
	case isJSON && utf8.Valid(text) && json.Valid(text):
		r.JSON = json.RawMessage(text)
	case charset == "iso-8859-1" || charset == "latin1":
		var b strings.Builder
		for _, c := range content {
			b.WriteRune(rune(c))
		}
		r.Body = b.String()
	case utf8.Valid(content):
		r.Body = string(content)
	default:
		r.Base64 = base64.StdEncoding.EncodeToString(content)
	}
}

// statusError is the error of an answer with a status of 400 or more.
func (c *client) statusError(res *http.Response, answer Response) error {
	method := res.Request.Method
	e := &tool.Error{Code: "http-status", Message: fmt.Sprintf("%s %s: status %d %s", method, shownURL(res.Request.URL),
		res.StatusCode, http.StatusText(res.StatusCode))}
	data := map[string]any{"status": answer.Status}
	if answer.JSON != nil {
		data["json"] = answer.JSON
	} else if answer.Body != "" {
		data["body"] = answer.Body
	}
	switch res.StatusCode {
	case http.StatusNotFound, http.StatusGone:
		e.Code = "not-found"
	case http.StatusUnauthorized, http.StatusForbidden:
		e.Code = "unauthorized"
	case http.StatusConflict, http.StatusPreconditionFailed:
		e.Code = "conflict"
	case http.StatusTooManyRequests:
		e.Code, e.Retryable = "rate-limited", true
	case http.StatusServiceUnavailable:
		e.Code, e.Retryable = "unavailable", true
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		e.Code, e.Retryable = "unavailable", repeatable(method)
	}
	if e.Code == "rate-limited" || res.StatusCode == http.StatusServiceUnavailable {
		if e.RetryAfter = c.retryAfter(res.Header.Get("Retry-After")); e.RetryAfter > 0 {
			data["retry-after-ms"] = int64((e.RetryAfter + time.Millisecond - 1) / time.Millisecond)
			e.Message += fmt.Sprintf("; try again in %v", e.RetryAfter)
		}
	}
	e.Data = data
	return e
}

// repeatable reports whether a request may be repeated although it may have been done.
func repeatable(method string) bool { return method != http.MethodPost && method != http.MethodPatch }

// maxRetryAfter bounds the time for which a server may make a program wait.
const maxRetryAfter = time.Hour

// retryAfter reads the header Retry-After: seconds, or a date. It returns 0 if it is neither.
func (c *client) retryAfter(text string) time.Duration {
	if n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64); err == nil {
		return time.Duration(min(max(n, 0), int64(maxRetryAfter/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(at.Sub(c.now()), 0), maxRetryAfter)
	}
	return 0
}

// failure makes the error of a tool from the error of a request. It does not show the query, which may have
// secrets.
func (c *client) failure(ctx context.Context, req *http.Request, limit time.Duration, err error) error {
	var own *tool.Error
	if errors.As(err, &own) {
		return own
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	e := &tool.Error{Code: "unavailable", Message: req.Method + " " + shownURL(req.URL), Err: reasonOf(err),
		Retryable: repeatable(req.Method)}
	var dns *net.DNSError
	var op *net.OpError
	var cert *tls.CertificateVerificationError
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(req.Context().Err(), context.DeadlineExceeded):
		e.Code, e.Err = effect.CodeTimeout, fmt.Errorf("it took longer than %v", limit)
	case errors.As(err, &dns) && dns.IsNotFound:
		e.Code, e.Retryable, e.Err = "unknown-host", false, fmt.Errorf("there is no host %s", dns.Name)
	case errors.As(err, &cert):
		e.Code, e.Retryable = "bad-certificate", false
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, &corrupt):
		e.Code, e.Retryable = "bad-response", false
	case errors.As(err, &op) && op.Op == "dial":
		e.Retryable = true // nothing was sent
	}
	return e
}

// reasonOf returns an error of package http or url without the URL.
func reasonOf(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}
