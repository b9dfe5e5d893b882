// This file defines the grant, and the tools that it provides.

package http

import (
	"crypto/x509"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/ptc-lang/ptc/runtime/tool"
)

// Grant says which hosts programs may talk to. The zero value grants none.
type Grant struct {
	Hosts []Host
	// Private are special addresses (see the package comment) that granted hosts may have.
	Private []netip.Prefix
	// MaxBytes bounds the content of an answer; below 1 it is DefaultMaxBytes.
	MaxBytes int64
	// Timeout bounds a call; below 1 it is tool.DefaultTimeout.
	Timeout time.Duration
	// Roots are the certificate authorities that are trusted; those of the system if nil.
	Roots *x509.CertPool
}

// DefaultMaxBytes is the maximum size of a response: half of the maximum result of a call, because JSON takes
// more room than the text.
const DefaultMaxBytes = 8 << 20

// Host is a host that is granted.
type Host struct {
	// Name is a name, an address, or *.example.com for all names below example.com.
	Name string
	// Port is 0 for the usual ones, 443 with https and 80 with http.
	Port uint16
	// Methods are the methods that are granted, in capitals; all if empty.
	Methods []string
	// PerSecond bounds the requests to the host, or to each of several hosts; at or below 0 there is no bound.
	// The requests of a tenth of a second may be sent together.
	PerSecond float64
	// Header is added to each request to the host, in place of such headers of the program. So a program can
	// use a credential that it does not know.
	Header http.Header
}

// grantHow names the flag that grants the tools.
const grantHow = "grant it with --allow-http HOST"

// Names returns the names of the tools, each with the flag that grants it.
func Names() map[string]string {
	const listed = ", and if that lists methods, with HOST=GET,"
	return map[string]string{"http.get": grantHow, "http.post": grantHow + listed + "POST",
		"http.request": grantHow + listed + "PUT or the like"}
}

// allows reports whether some host is granted with a method that fits.
func (g *Grant) allows(fits func(method string) bool) bool {
	return slices.ContainsFunc(g.Hosts, func(h Host) bool {
		return len(h.Methods) == 0 || slices.ContainsFunc(h.Methods, fits)
	})
}

// useful reports whether a tool can make a request that is granted, and that no simpler tool makes.
func (g *Grant) useful(t *tool.Tool) bool {
	switch t.Name() {
	case "http.get":
		return g.allows(func(m string) bool { return m == http.MethodGet })
	case "http.post":
		return g.allows(func(m string) bool { return m == http.MethodPost })
	}
	return g.allows(func(m string) bool { return m != http.MethodGet })
}

// secrets are the headers, in capitals or not, whose values are written down nowhere.
var secrets = []string{"authorization", "cookie", "set-cookie", "proxy-authorization", "x-api-key", "x-auth-token",
	"api-key", "private-token"}

// Tools returns the tools of a grant, which share connections. Without a host that allows POST there is no
// http.post, without one that allows GET no http.get, and if all hosts allow only GET no http.request.
func Tools(g Grant) ([]*tool.Tool, error) {
	c, err := newClient(g)
	if err != nil || len(g.Hosts) == 0 {
		return nil, err
	}
	return slices.DeleteFunc(c.tools(), func(t *tool.Tool) bool { return !g.useful(t) }), nil
}

func (c *client) tools() []*tool.Tool {
	common := []tool.Option{tool.Timeout(c.timeout), tool.Secret(secrets...), tool.Credentials(c.credentials()...),
		tool.Rate(c.rateOf)}
	return []*tool.Tool{
		tool.New("http.get", "Gets a URL: JSON as data under :json, other text under :body. A status of 400 or more is "+
			"an error.", c.get,
			append(common, tool.ReadOnly(),
				tool.Example(`(:json (tool/http.get "https://api.example.com/orders"))`),
				tool.Example(`(tool/http.get {:url "https://api.example.com/orders" :query {:page 2} `+
					`:headers {:accept "application/json"}})`))...),
		tool.New("http.post", "Sends data to a URL: :json, a :form or the text :body. Returns the response as http.get "+
			"does.", c.post,
			append(common, tool.Example(`(tool/http.post {:url "https://api.example.com/orders" :json {:id 8}})`))...),
		tool.New("http.request", "Makes a request with any method, such as PUT, PATCH or DELETE. Returns the response as "+
			"http.get does.", c.request,
			append(common, tool.Example(`(tool/http.request {:method "DELETE" :url "https://api.example.com/orders/8"})`))...),
	}
}
