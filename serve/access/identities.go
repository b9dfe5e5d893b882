// This file defines the identities of client certificates.

package access

import (
	"crypto/x509"
	"fmt"
	"net"
	"slices"
	"strings"
)

// An Identity maps client certificates to a name, a tenant and a role. A certificate must have been signed by the
// service's client CA, and match all of Subject and SAN that are set.
type Identity struct {
	Who
	Subject string   // all of it, such as CN=deploy,O=Acme (RFC 2253)
	SAN     []string // alternative names: dns:…, uri:…, email:… or ip:…
}

// Identities are the client certificates that a service knows.
type Identities []Identity

// Check returns the first mistake.
func (all Identities) Check() error {
	for i, id := range all {
		if err := id.check(); err != nil {
			return fmt.Errorf("identity %d: %w", i+1, err)
		}
		if slices.ContainsFunc(all[:i], func(o Identity) bool { return o.Name == id.Name }) {
			return fmt.Errorf("identity %d: there is another one with the name %s", i+1, id.Name)
		}
	}
	return nil
}

func (id *Identity) check() error {
	if err := id.Who.check(); err != nil {
		return err
	}
	if id.Subject == "" && len(id.SAN) == 0 {
		return fmt.Errorf("%s has neither a subject nor alternative names, so it would match all certificates", id.Name)
	}
	for _, san := range id.SAN {
		kind, name, ok := strings.Cut(san, ":")
		if !ok || name == "" || !slices.Contains([]string{"dns", "uri", "email", "ip"}, kind) {
			return fmt.Errorf("%s has the alternative name %q, want dns:…, uri:…, email:… or ip:…", id.Name, san)
		}
		if kind == "ip" && net.ParseIP(name) == nil {
			return fmt.Errorf("%s has the alternative name %q, which is not an IP address", id.Name, san)
		}
	}
	return nil
}

// named returns the identity with a name; false if there is none.
func (all Identities) named(name string) (Who, bool) {
	i := slices.IndexFunc(all, func(id Identity) bool { return id.Name == name })
	if i < 0 {
		return Who{}, false
	}
	return all[i].Who, true
}

// of returns the identity of a verified certificate: the first one that matches.
func (all Identities) of(cert *x509.Certificate) (Who, bool) {
	for i := range all {
		if all[i].matches(cert) {
			return all[i].Who, true
		}
	}
	return Who{}, false
}

func (id *Identity) matches(cert *x509.Certificate) bool {
	if id.Subject != "" && id.Subject != cert.Subject.String() {
		return false
	}
	return !slices.ContainsFunc(id.SAN, func(san string) bool { return !hasSAN(cert, san) })
}

// hasSAN reports whether a certificate has an alternative name. There are no wildcards: a certificate for
// *.acme.example does not identify a single client.
func hasSAN(cert *x509.Certificate, san string) bool {
	kind, name, _ := strings.Cut(san, ":")
	switch kind {
	case "dns":
		return slices.ContainsFunc(cert.DNSNames, func(s string) bool { return strings.EqualFold(s, name) })
	case "email":
		return slices.Contains(cert.EmailAddresses, name)
	case "ip":
		ip := net.ParseIP(name)
		return slices.ContainsFunc(cert.IPAddresses, ip.Equal)
	case "uri":
		for _, u := range cert.URIs {
			if u.String() == name {
				return true
			}
		}
	}
	return false
}
