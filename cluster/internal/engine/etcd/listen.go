// This file defines how a member listens for the others. Etcd knows only which authority has signed a certificate; the
// listener is ours, so that it knows the node, too.

package etcd

import (
	"crypto/tls"
	"fmt"
	"io"
	defaultlog "log"
	"net"
	"net/http"
	"path"
	"strings"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/transport"
	"go.etcd.io/etcd/client/pkg/v3/types"
	"go.etcd.io/etcd/server/v3/etcdserver/api/etcdhttp"
	"go.etcd.io/etcd/server/v3/etcdserver/api/membership"
	"go.etcd.io/etcd/server/v3/etcdserver/api/rafthttp"
)

// The bounds of a request of another member. A stream of the log is the answer to one, and has no end.
const (
	headerTime  = 10 * time.Second
	requestTime = 5 * time.Minute
	// senderHeader has the number of the member that sends a request.
	senderHeader = "X-Server-From"
)

// listen opens the listener of the member. Connections wait until serve is called.
func (o *Options) listen() (net.Listener, error) {
	l, err := transport.NewListenerWithOpts(o.Listen, "http",
		transport.WithTimeout(rafthttp.ConnReadTimeout, rafthttp.ConnWriteTimeout))
	if err != nil || o.TLS == nil {
		return l, err
	}
	config := o.TLS.Server
	if config == nil {
		config, err = o.TLS.info().ServerConfig()
		if err != nil {
			l.Close()
			return nil, err
		}
		config.MinVersion = tls.VersionTLS13
	}
	return tls.NewListener(l, config), nil
}

// serve answers the other members on a listener, until the server that it returns is closed.
func (e *Engine) serve(l net.Listener) *http.Server {
	server := &http.Server{Handler: e.checking(etcdhttp.NewPeerHandler(e.server.GetLogger(), e.server.Server)),
		ReadHeaderTimeout: headerTime, ReadTimeout: requestTime, ErrorLog: defaultlog.New(io.Discard, "", 0),
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){}} // no HTTP/2
	go server.Serve(l) // ends when it is closed
	return server
}

// checking has a handler answer only the nodes that TLS.Node accepts, and only requests of their own members.
func (e *Engine) checking(h http.Handler) http.Handler {
	if e.options.TLS == nil || e.options.TLS.Node == nil {
		return h
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := e.check(r); err != nil {
			e.log.Warn("the engine has refused a request", "part", "engine", "address", r.RemoteAddr, "path", r.URL.Path,
				"error", err)
			status := http.StatusUnauthorized // etcd takes StatusForbidden for the removal of its member
			if e.gone(r) {                    // so the member ends, and says why
				status = http.StatusGone
			}
			http.Error(w, err.Error(), status)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// check returns an error if a request is not that of a node that may send it.
func (e *Engine) check(r *http.Request) error {
	cluster := e.server.Server.Cluster()
	node, err := e.options.TLS.Node(*r.TLS, func(name string) bool { return named(cluster.Members(), name) })
	if err != nil {
		return err
	}
	id, err := types.IDFromString(r.Header.Get(senderHeader))
	switch {
	case err != nil && !ofLog(r.URL.Path):
		return nil // it asks, and is no part of the log
	case err != nil:
		return fmt.Errorf("%s sends as no member, want its own", node)
	}
	if m := cluster.Member(id); m != nil && m.Name != "" && m.Name != node { // without a name it has not started yet
		return fmt.Errorf("%s sends as the member of %s, want its own", node, m.Name)
	}
	if path.Dir(path.Dir(r.URL.Path)) == rafthttp.RaftStreamPrefix && path.Base(r.URL.Path) != id.String() {
		return fmt.Errorf("%s wants the messages for the member %.20s, want its own", node, path.Base(r.URL.Path))
	}
	return nil
}

// ofLog reports whether the requests of a path are those of members about the log. Probes are not.
func ofLog(at string) bool {
	return (at == rafthttp.RaftPrefix || strings.HasPrefix(at, rafthttp.RaftPrefix+"/")) && at != rafthttp.ProbingPrefix
}

// gone reports whether a request is that of a member that was removed.
func (e *Engine) gone(r *http.Request) bool {
	id, err := types.IDFromString(r.Header.Get(senderHeader))
	return err == nil && e.server.Server.IsIDRemoved(uint64(id))
}

// named reports whether there is a member with a name.
func named(members []*membership.Member, name string) bool {
	for _, m := range members {
		if m.Name == name {
			return true
		}
	}
	return false
}
