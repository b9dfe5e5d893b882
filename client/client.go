// This file defines the Client and its options.

package client

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

// Options are the settings of a Client. The zero value is ready for use with a service that needs no token.
type Options struct {
	// Token is sent with each request. TokenFile is a file that has it, which is read again for each request, so that
	// the token can be replaced. At most one of them is set.
	Token     string
	TokenFile string
	// CAFile has the certificates of the authorities that the certificate of the service is checked with, as PEM. By
	// default they are those of the system.
	CAFile string
	// CertFile and KeyFile are the certificate of the client and its key, as PEM.
	CertFile, KeyFile string
	// HTTPClient makes the requests, in place of one with the certificates above. Its Timeout must be 0: a
	// stream of events does not end on its own. It follows no redirects, whatever its CheckRedirect.
	HTTPClient *http.Client
	// Timeout bounds one request, in addition to the time for which it asks the service to wait. For prints,
	// journals and traces, which may be long, it bounds the time without a byte. 0 is DefaultTimeout.
	Timeout time.Duration
	// Patience bounds the time in which a request is sent again, and in which a stream of events has no connection; 0
	// is DefaultPatience. If it is below 0, nothing is sent again.
	Patience time.Duration
	// UserAgent is the name of the program; "" is that of this package.
	UserAgent string
}

// The defaults of Options: a request of some megabytes over a slow line, and the restart of a service.
const (
	DefaultTimeout  = time.Minute
	DefaultPatience = time.Minute
)

// Client is a client of one service. New makes it. It is safe for concurrent use.
type Client struct {
	base string // without a slash at the end
	http *http.Client
	opts Options
	idle time.Duration // see maxIdle
}

// New returns a client of the service at an address such as https://ptc.example.com. It makes no request. The error is
// an *Error of CodeUsage.
func New(address string, o Options) (*Client, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, usage("got the address %.200q of the service, want one such as https://ptc.example.com", address)
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.User != nil:
		return nil, usage("got the address %.200q of the service, want it without a user, a query and a fragment",
			u.Redacted())
	case o.Token != "" && o.TokenFile != "":
		return nil, usage("got a token and the file %s of a token, want one of them", o.TokenFile)
	}
	o.Timeout, o.Patience = cmp.Or(o.Timeout, DefaultTimeout), cmp.Or(o.Patience, DefaultPatience)
	o.UserAgent = cmp.Or(o.UserAgent, "ptc-client")
	c := &Client{base: strings.TrimRight(u.String(), "/"), opts: o, idle: maxIdle}
	if _, err := c.token(); err != nil {
		return nil, err
	}
	if c.http, err = o.client(); err != nil {
		return nil, err
	}
	return c, nil
}

// Address returns the address of the service.
func (c *Client) Address() string { return c.base }

// token returns the token of a request; "" for none.
func (c *Client) token() (string, error) {
	token, from := c.opts.Token, "the token"
	if c.opts.TokenFile != "" {
		text, err := os.ReadFile(c.opts.TokenFile)
		if err != nil {
			return "", usage("the token can't be read: %w", err)
		}
		token, from = strings.TrimSpace(string(text)), c.opts.TokenFile
		if token == "" {
			return "", usage("%s: got an empty file, want one with a token", from)
		}
	}
	if strings.ContainsFunc(token, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return "", usage("%s: want one line with a token, got other text", from)
	}
	return token, nil
}

// client returns the client that makes the requests. It follows no redirect: the target would get the token.
func (o *Options) client() (*http.Client, error) {
	h := &http.Client{}
	switch {
	case o.HTTPClient != nil && (o.CAFile != "" || o.CertFile != "" || o.KeyFile != ""):
		return nil, usage("got Options.HTTPClient and certificates, want one of them")
	case o.HTTPClient != nil && o.HTTPClient.Timeout != 0:
		return nil, usage("got Options.HTTPClient with a Timeout, which would end streams; want Options.Timeout")
	case o.HTTPClient != nil:
		*h = *o.HTTPClient
	default:
		config, err := o.tls()
		if err != nil {
			return nil, err
		}
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.TLSClientConfig = config
		h.Transport = t
	}
	h.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return h, nil
}

// tls returns the TLS of the client with its certificates.
func (o *Options) tls() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if o.CAFile != "" {
		pem, err := os.ReadFile(o.CAFile)
		if err != nil {
			return nil, usage("the certificates of authorities can't be read: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, usage("%s: want certificates as PEM, got none", o.CAFile)
		}
	}
	if (o.CertFile == "") != (o.KeyFile == "") {
		return nil, usage("got %s without the other file, want a certificate and its key", cmp.Or(o.CertFile, o.KeyFile))
	}
	if o.CertFile != "" {
		pair, err := tls.LoadX509KeyPair(o.CertFile, o.KeyFile)
		if err != nil {
			return nil, usage("the certificate of the client can't be used: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// usage returns the error of a client that can't be made, or of a call that makes no sense.
func usage(format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	e := newError(CodeUsage, err.Error())
	if u, ok := err.(interface{ Unwrap() error }); ok {
		e.cause = u.Unwrap()
	}
	return e
}
