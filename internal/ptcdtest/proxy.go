package ptcdtest

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Proxy passes connections on to a service, whose address may change, and can cut them.
type Proxy struct {
	URL string

	listener net.Listener
	mu       sync.Mutex
	target   string // "" refuses connections
	open     map[net.Conn]bool
	passed   int
}

// NewProxy returns a proxy that refuses connections until To is called.
func NewProxy(t *testing.T) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &Proxy{URL: "http://" + l.Addr().String(), listener: l, open: make(map[net.Conn]bool)}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { p.pass(c) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		p.To("")
		wg.Wait()
	})
	return p
}

// To cuts all connections. New ones are passed on to the service at a URL; "" refuses them.
func (p *Proxy) To(url string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = strings.TrimPrefix(url, "http://")
	for c := range p.open {
		c.Close()
	}
	clear(p.open)
}

// Passed returns the number of connections that were passed on.
func (p *Proxy) Passed() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.passed
}

// keep notes an open connection, and reports whether it still leads to the target.
func (p *Proxy) keep(target string, c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.target != target {
		return false
	}
	p.open[c] = true
	return true
}

func (p *Proxy) pass(c net.Conn) {
	defer c.Close()
	p.mu.Lock()
	target := p.target
	p.mu.Unlock()
	if target == "" || !p.keep(target, c) {
		return
	}
	service, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	defer service.Close()
	if !p.keep(target, service) {
		return
	}
	p.mu.Lock()
	p.passed++
	p.mu.Unlock()
	var wg sync.WaitGroup
	wg.Go(func() {
		io.Copy(service, c)
		service.Close()
	})
	io.Copy(c, service)
	c.Close()
	wg.Wait()
}
