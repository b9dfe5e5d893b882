// Package pki identifies the nodes of a cluster to each other, with certificates that an authority of the cluster
// signs.
//
//   - Authority: signs certificates. NewAuthority makes one, LoadAuthority reads one.
//   - Identity: the certificate and the key of a node, and who it trusts. It makes the TLS configurations of both
//     sides, and reads its files again when they have changed.
//   - Allow: decides which nodes may connect.
//   - Token, Admitter, Join: a node without a certificate gets one for a token that is used once.
//
// A certificate of a node has the URI ptc://CLUSTER/node/NAME. A node accepts another one if its own authority has
// signed the certificate, the cluster in the URI is its own, and the name is that of an allowed node. All
// connections are TLS 1.3, so each one has its own keys, which end with it.
package pki

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// scheme is that of the URIs of nodes.
const scheme = "ptc"

// name matches the names of clusters and nodes: both are labels of a host name.
var name = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// CheckName returns an error if a cluster or a node can't have a name. kind is "cluster" or "node".
func CheckName(kind, text string) error {
	if name.MatchString(text) {
		return nil
	}
	return fmt.Errorf("the name of a %s is %q, want 1 to 63 of a-z, 0-9 and -, with no - at the ends, such as %s1",
		kind, text, kind)
}

// URI returns the identity of a node in its certificate.
func URI(cluster, node string) *url.URL {
	return &url.URL{Scheme: scheme, Host: cluster, Path: "/node/" + node}
}

// Host returns the host name of a node in its certificate, which exists in no DNS. It is for software that checks names
// of hosts only, such as etcd.
func Host(cluster, node string) string { return node + "." + cluster + ".ptc.internal" }

// EngineHost returns the host name that the certificates of all nodes of a cluster have. By it an engine knows nodes
// that have joined since it was started.
func EngineHost(cluster string) string { return Host(cluster, "engine") }

// ErrIdentity: a certificate is not that of a node that is accepted.
var ErrIdentity = errors.New("pki: the certificate is not accepted")

// identity returns the cluster and the node of a certificate.
func identity(c *x509.Certificate) (cluster, node string, err error) {
	for _, u := range c.URIs {
		if u.Scheme != scheme {
			continue
		}
		if node != "" {
			return "", "", fmt.Errorf("%w: that of %q has two identities, want one", ErrIdentity, c.Subject)
		}
		rest, ok := strings.CutPrefix(u.Path, "/node/")
		if !ok || errors.Join(CheckName("node", rest), CheckName("cluster", u.Host)) != nil ||
			u.String() != URI(u.Host, rest).String() {
			return "", "", fmt.Errorf("%w: that of %q has the identity %q, want ptc://CLUSTER/node/NAME",
				ErrIdentity, c.Subject, u)
		}
		cluster, node = u.Host, rest
	}
	if node == "" {
		return "", "", fmt.Errorf("%w: that of %q has no identity ptc://CLUSTER/node/NAME", ErrIdentity, c.Subject)
	}
	return cluster, node, nil
}

// NodeOf returns the node of a certificate of a cluster. It does not check the signature.
func NodeOf(c *x509.Certificate, cluster string) (node string, err error) {
	in, node, err := identity(c)
	switch {
	case err != nil:
		return "", err
	case in != cluster:
		return "", fmt.Errorf("%w: it is that of %s of the cluster %q, want a node of %q", ErrIdentity, node, in, cluster)
	}
	return node, nil
}

// Allow returns a function that reports whether a node is in a list of identities: names of nodes such as "node1", URIs
// such as "ptc://prod/node/node1", or "*" for all nodes of the cluster.
func Allow(cluster string, identities ...string) (func(node string) bool, error) {
	var nodes []string
	all := false
	var mistakes []error
	for _, text := range identities {
		short := strings.TrimPrefix(text, scheme+"://"+cluster+"/node/")
		switch {
		case short == "*":
			all = true
		case name.MatchString(short):
			nodes = append(nodes, short)
		default:
			mistakes = append(mistakes, fmt.Errorf("the identity is %q, want the name of a node such as node1, %s, or *",
				text, URI(cluster, "node1")))
		}
	}
	if len(mistakes) > 0 {
		return nil, errors.Join(mistakes...)
	}
	return func(node string) bool { return all || slices.Contains(nodes, node) }, nil
}
