// This file defines the connections of a node to others.

package peer

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"syscall"
	"time"
)

// lookEvery is how often a node looks for new certificates while it calls others. Looking takes some microseconds.
const lookEvery = time.Second

// links are the connections of a node to others. The pool of net/http is not used: it opens a connection
// for each of many concurrent calls.
type links struct {
	config    Config
	life      context.Context
	transport *http.Transport

	mu      sync.Mutex
	looked  time.Time
	version int // of the certificates
	all     map[string]*lane
	closed  bool
	working sync.WaitGroup
}

// lane holds the connections to a node: several if one can't take all concurrent calls.
type lane struct {
	open []*http.ClientConn
	dial *dial // that is under way, or nil
}

// dial is the opening of a connection.
type dial struct {
	done chan struct{}
	err  error // is read after done
}

func newLinks(c Config, life context.Context) *links {
	l := &links{config: c, life: life, all: make(map[string]*lane)}
	protocols := new(http.Protocols)
	protocols.SetHTTP2(true)
	l.transport = &http.Transport{
		Protocols: protocols, DialTLSContext: l.connect, DisableCompression: true, MaxResponseHeaderBytes: maxHeader,
		HTTP2: &http.HTTP2Config{SendPingTimeout: c.Silence, PingTimeout: c.Silence, WriteByteTimeout: 2 * c.Silence},
	}
	return l
}

// reserve returns a connection that has room for a call, which the caller makes.
func (l *links) reserve(ctx context.Context, node string) (*http.ClientConn, error) {
	for {
		c, d := l.find(node)
		if c != nil {
			return c, nil
		}
		select {
		case <-d.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if d.err != nil {
			return nil, d.err
		}
	}
}

// find returns a connection with room that it has reserved, or the opening of one.
func (l *links) find(node string) (*http.ClientConn, *dial) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.look()
	k := l.all[node]
	if k == nil {
		k = new(lane)
		l.all[node] = k
	}
	k.open = slices.DeleteFunc(k.open, func(c *http.ClientConn) bool { return c.Err() != nil })
	for _, c := range k.open {
		if c.Reserve() == nil {
			return c, nil
		}
	}
	if k.dial == nil {
		k.dial = &dial{done: make(chan struct{})}
		l.working.Go(func() { l.opening(node, k, k.dial, l.version) })
	}
	return nil, k.dial
}

// look takes connections with old certificates out of use. Their calls continue; they are closed after them. l.mu is
// held.
func (l *links) look() {
	if time.Since(l.looked) < lookEvery {
		return
	}
	l.looked = time.Now()
	version := l.config.Identity.Version()
	if version == l.version {
		return
	}
	l.version = version
	for _, k := range l.all {
		for _, c := range k.open {
			l.working.Go(func() { retire(c) }) // its hook may run immediately
		}
		k.open = nil
	}
}

// retire closes a connection when no call uses it.
func retire(c *http.ClientConn) {
	c.SetStateHook(closeIdle)
	closeIdle(c)
}

func closeIdle(c *http.ClientConn) {
	if c.InFlight() == 0 {
		c.Close()
	}
}

// opening opens a connection to a node, and enters it if the certificates have not changed in the meantime.
func (l *links) opening(node string, k *lane, d *dial, version int) {
	c, err := l.transport.NewClientConn(l.life, "https", net.JoinHostPort(node, "443")) // connect finds the address
	l.mu.Lock()
	defer l.mu.Unlock()
	d.err = err
	switch {
	case err != nil:
	case l.closed, l.version != version:
		go c.Close()
	default:
		k.open = append(k.open, c)
	}
	k.dial = nil
	close(d.done)
}

// connect connects to a node, whose name is the host of the address.
func (l *links) connect(ctx context.Context, network, address string) (net.Conn, error) {
	node, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	address, ok := l.config.Find(node)
	if !ok {
		return nil, fmt.Errorf("%s knows no address of it", l.config.Identity.Name())
	}
	ctx, cancel := context.WithTimeout(ctx, l.config.Dial)
	defer cancel()
	raw, err := new(net.Dialer).DialContext(ctx, network, address)
	if errors.Is(err, syscall.ECONNREFUSED) {
		err = fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if err != nil {
		return nil, err
	}
	conn := tls.Client(raw, l.config.Identity.Client(node, "h2"))
	if err := conn.HandshakeContext(ctx); err != nil {
		raw.Close()
		return nil, fmt.Errorf("at %s: %w", address, err)
	}
	if got := conn.ConnectionState().NegotiatedProtocol; got != "h2" {
		conn.Close()
		return nil, fmt.Errorf("at %s: it speaks %q, want HTTP/2", address, got)
	}
	return conn, nil
}

// close closes all connections. The life of the links has ended.
func (l *links) close() {
	l.mu.Lock()
	l.closed = true
	var open []*http.ClientConn
	for _, k := range l.all {
		open = append(open, k.open...)
		k.open = nil
	}
	l.mu.Unlock()
	for _, c := range open {
		c.Close()
	}
	l.working.Wait()
}
