// This file reads the configuration from the standard environment variables.

package collector

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// defaultTimeout is that of the specification.
const defaultTimeout = 10 * time.Second

// Signal is the kind of data that a client sends.
type Signal struct {
	variable string // part of the names of variables
	path     string // of OTLP over HTTP
	service  string // the path of OTLP over gRPC
}

// The signals.
var (
	Traces  = Signal{"TRACES", "v1/traces", "/opentelemetry.proto.collector.trace.v1.TraceService/Export"}
	Metrics = Signal{"METRICS", "v1/metrics", "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"}
)

// Environment reads the variables that configure the export of a signal. The first error is kept.
type Environment struct {
	Get    func(name string) string // nil is os.Getenv
	Signal Signal
	Err    error
}

// Client returns a client for the collector that the variables name; nil if nothing is to be exported. service is the
// default for the name of the service.
func (e *Environment) Client(service, version string) *Client {
	if e.Get == nil {
		e.Get = os.Getenv
	}
	u := e.endpoint()
	if u == nil {
		return nil
	}
	c := &Client{grpc: e.grpc()}
	path := e.Signal.path
	if c.grpc {
		u.Path, u.RawQuery, path = e.Signal.service, "", ""
	}
	if !e.exact() && path != "" {
		u = u.JoinPath(path)
	}
	c.url, c.shown, c.timeout, c.compress = u.String(), u.Redacted(), e.timeout(), e.compressed()
	c.header, c.Resource = e.headers(c), e.resource(service, version)
	c.HTTP = http.Client{Transport: e.transport(c.grpc),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return c
}

// Option returns a variable of the exporter: OTEL_EXPORTER_OTLP_<signal>_name, or else OTEL_EXPORTER_OTLP_name.
func (e *Environment) Option(name string) string {
	return cmp.Or(e.Get("OTEL_EXPORTER_OTLP_"+e.Signal.variable+"_"+name), e.Get("OTEL_EXPORTER_OTLP_"+name))
}

// Fail keeps an error about a variable.
func (e *Environment) Fail(name, format string, args ...any) {
	if e.Err == nil {
		e.Err = fmt.Errorf(name+": "+format, args...)
	}
}

// exports reports whether OTEL_<signal>_EXPORTER asks for OTLP, which is the default. A service answers the requests of
// Prometheus in any case.
func (e *Environment) exports() (is bool) {
	name := "OTEL_" + e.Signal.variable + "_EXPORTER"
	for exporter := range strings.SplitSeq(cmp.Or(e.Get(name), "otlp"), ",") {
		switch exporter = strings.TrimSpace(exporter); {
		case exporter == "otlp":
			is = true
		case exporter == "none", exporter == "prometheus" && e.Signal == Metrics:
		default:
			e.Fail(name, "got %.40q, want otlp or none", exporter)
			return false
		}
	}
	return is
}

// exact reports whether the variable for the endpoint has the whole URL.
func (e *Environment) exact() bool {
	return e.Get("OTEL_EXPORTER_OTLP_"+e.Signal.variable+"_ENDPOINT") != ""
}

// endpoint returns the URL of the collector; nil if nothing is to be exported.
func (e *Environment) endpoint() *url.URL {
	if strings.EqualFold(e.Get("OTEL_SDK_DISABLED"), "true") || !e.exports() {
		return nil
	}
	text := e.Option("ENDPOINT")
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		e.Fail("OTEL_EXPORTER_OTLP_ENDPOINT", "got %.200q, want a URL such as http://localhost:4318", text)
		return nil
	}
	return u
}

// grpc reports whether the protocol is gRPC.
func (e *Environment) grpc() bool {
	switch p := e.Option("PROTOCOL"); p {
	case "", "http/protobuf":
		return false
	case "grpc":
		return true
	default:
		e.Fail("OTEL_EXPORTER_OTLP_PROTOCOL", "got %.40q, want http/protobuf or grpc", p)
		return false
	}
}

// headers returns the headers of requests.
func (e *Environment) headers(c *Client) http.Header {
	h := http.Header{}
	e.pairs("OTEL_EXPORTER_OTLP_HEADERS", e.Option("HEADERS"), func(key, value string) { h.Set(key, value) })
	if c.grpc {
		h.Set("Content-Type", "application/grpc")
		h.Set("Te", "trailers")
		if c.compress {
			h.Set("Grpc-Encoding", "gzip")
		}
		return h
	}
	h.Set("Content-Type", "application/x-protobuf")
	if c.compress {
		h.Set("Content-Encoding", "gzip")
	}
	return h
}

// pairs reads a list of the form a=1,b=2 in which both sides may be escaped as in URLs.
func (e *Environment) pairs(name, list string, add func(key, value string)) {
	for part := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		key, value, ok := strings.Cut(part, "=")
		key = strings.TrimSpace(key)
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || key == "" || err != nil { // the value may be a secret, so it is not shown
			e.Fail(name, "want a list of the form name=value,name=value")
			return
		}
		add(key, value)
	}
}

// timeout returns the time for a request with its repetitions.
func (e *Environment) timeout() time.Duration {
	text := e.Option("TIMEOUT")
	if text == "" {
		return defaultTimeout
	}
	ms, err := strconv.Atoi(text)
	if err != nil || ms <= 0 {
		e.Fail("OTEL_EXPORTER_OTLP_TIMEOUT", "got %.40q, want a number of milliseconds", text)
		return defaultTimeout
	}
	return time.Duration(ms) * time.Millisecond
}

// compressed reports whether requests are compressed.
func (e *Environment) compressed() bool {
	switch c := e.Option("COMPRESSION"); c {
	case "", "none":
		return false
	case "gzip":
		return true
	default:
		e.Fail("OTEL_EXPORTER_OTLP_COMPRESSION", "got %.40q, want gzip or none", c)
		return false
	}
}

// transport returns the transport of requests, with the certificates of the variables.
func (e *Environment) transport(grpc bool) *http.Transport {
	t := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}
	if grpc {
		t.Protocols = &http.Protocols{}
		t.Protocols.SetHTTP2(true)
		t.Protocols.SetUnencryptedHTTP2(true)
	}
	ca, cert, key := e.Option("CERTIFICATE"), e.Option("CLIENT_CERTIFICATE"), e.Option("CLIENT_KEY")
	if ca == "" && cert == "" && key == "" {
		return t
	}
	t.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	if ca != "" {
		text, err := os.ReadFile(ca)
		roots := x509.NewCertPool()
		if err == nil && !roots.AppendCertsFromPEM(text) {
			err = errors.New(ca + " has no certificate")
		}
		if err != nil {
			e.Fail("OTEL_EXPORTER_OTLP_CERTIFICATE", "%w", err)
		}
		t.TLSClientConfig.RootCAs = roots
	}
	if cert != "" || key != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			e.Fail("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", "%w", err)
		}
		t.TLSClientConfig.Certificates = []tls.Certificate{pair}
	}
	return t
}

// resource returns the attributes of the process. OTEL_SERVICE_NAME has precedence.
func (e *Environment) resource(service, version string) []slog.Attr {
	attrs := []slog.Attr{slog.String("telemetry.sdk.name", "ptc"), slog.String("telemetry.sdk.language", "go")}
	if version != "" {
		attrs = append(attrs, slog.String("service.version", version))
	}
	e.pairs("OTEL_RESOURCE_ATTRIBUTES", e.Get("OTEL_RESOURCE_ATTRIBUTES"), func(key, value string) {
		if key == "service.name" {
			service = value
			return
		}
		attrs = append(attrs, slog.String(key, value))
	})
	return append(attrs, slog.String("service.name", cmp.Or(e.Get("OTEL_SERVICE_NAME"), service)))
}
