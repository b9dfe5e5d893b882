// This file defines the authority of a cluster.

package pki

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"time"

	"github.com/ptc-lang/ptc/internal/durable"
)

// Lifetimes of certificates.
const (
	AuthorityLifetime = 10 * 365 * 24 * time.Hour
	NodeLifetime      = 365 * 24 * time.Hour
	// early is how long before its signature a certificate is valid: clocks of machines differ.
	early = time.Hour
)

// The names of the files of an authority in its directory.
const (
	AuthorityCert = "ca.pem"
	AuthorityKey  = "ca-key.pem"
)

// Authority signs the certificates of the nodes of a cluster. It is safe for concurrent use.
type Authority struct {
	cert *x509.Certificate
	key  crypto.Signer
}

// hostName is a name that DNS may have.
var hostName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$`)

// names are the host names and addresses of a node that its certificate is for, beside its identity.
type names struct {
	dns []string
	ips []net.IP
}

// NewAuthority makes an authority with a new key, ECDSA on P-256.
func NewAuthority(cluster string, lifetime time.Duration) (*Authority, error) {
	if err := CheckName("cluster", cluster); err != nil {
		return nil, err
	}
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: serial(), Subject: pkix.Name{CommonName: "cluster " + cluster, Organization: []string{"ptc"}},
		NotBefore: now.Add(-early), NotAfter: now.Add(lifetime),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign,
		// It can sign only for nodes of its own cluster.
		PermittedURIDomains: []string{cluster}, PermittedDNSDomainsCritical: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	return &Authority{cert, key}, err
}

// LoadAuthority reads the certificate and the key of an authority. The file of certificates may have others, too: while
// an authority is replaced. Others than its owner must not be able to read the file of the key.
func LoadAuthority(certFile, keyFile string) (*Authority, error) {
	certs, err := readCerts(certFile)
	if err != nil {
		return nil, err
	}
	text, err := readPrivate(keyFile)
	if err != nil {
		return nil, err
	}
	key, err := parseKey(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", keyFile, err)
	}
	for _, cert := range certs {
		public, ok := cert.PublicKey.(interface{ Equal(crypto.PublicKey) bool })
		switch {
		case !ok || !public.Equal(key.Public()):
		case !cert.IsCA:
			return nil, fmt.Errorf("%s: the certificate is that of %q, want that of an authority", certFile, cert.Subject)
		default:
			return &Authority{cert, key}, nil
		}
	}
	return nil, fmt.Errorf("%s: it is not the key of the certificate in %s", keyFile, certFile)
}

// PEM returns the certificate of the authority.
func (a *Authority) PEM() []byte { return encode("CERTIFICATE", a.cert.Raw) }

// Pin returns the hash of the public key of the authority, by which a node that joins knows it.
func (a *Authority) Pin() [32]byte { return pin(a.cert) }

// PinOf returns the Pin of the authority whose certificate is in a file.
func PinOf(certFile string) (hash [32]byte, err error) {
	certs, err := readCerts(certFile)
	if err != nil {
		return hash, err
	}
	return pin(certs[0]), nil
}

func pin(c *x509.Certificate) [32]byte { return sha256.Sum256(c.RawSubjectPublicKeyInfo) }

// Write writes the certificate and the key to a directory, as AuthorityCert and AuthorityKey. It fails if they exist.
func (a *Authority) Write(dir string) error {
	key, err := encodeKey(a.key)
	if err != nil {
		return err
	}
	return errors.Join(durable.Create(filepath.Join(dir, AuthorityKey), key),
		durable.Create(filepath.Join(dir, AuthorityCert), a.PEM()), durable.SyncDir(dir))
}

// Issue makes a key for a node, and signs its certificate. hosts are its host names and IP addresses.
func (a *Authority) Issue(cluster, node string, hosts []string, lifetime time.Duration) (cert, key []byte, err error) {
	private, err := newKey()
	if err != nil {
		return nil, nil, err
	}
	if cert, err = a.sign(private.Public(), cluster, node, hosts, lifetime); err != nil {
		return nil, nil, err
	}
	key, err = encodeKey(private)
	return cert, key, err
}

// Sign signs the certificate of a node for the public key of a request in DER. It takes nothing else from the request,
// whose signature proves that its sender has the key.
func (a *Authority) Sign(request []byte, cluster, node string, hosts []string, lifetime time.Duration) ([]byte, error) {
	r, err := x509.ParseCertificateRequest(request)
	if err != nil {
		return nil, fmt.Errorf("the request for a certificate can't be read: %w", err)
	}
	if err := r.CheckSignature(); err != nil {
		return nil, fmt.Errorf("the request for a certificate is not signed with its key: %w", err)
	}
	if key, ok := r.PublicKey.(*ecdsa.PublicKey); !ok || key.Curve != elliptic.P256() {
		return nil, fmt.Errorf("the request for a certificate has a key of the type %T, want ECDSA on P-256", r.PublicKey)
	}
	return a.sign(r.PublicKey, cluster, node, hosts, lifetime)
}

func (a *Authority) sign(key crypto.PublicKey, cluster, node string, hosts []string,
	lifetime time.Duration) ([]byte, error) {
	if err := errors.Join(CheckName("cluster", cluster), CheckName("node", node)); err != nil {
		return nil, err
	}
	also, err := parseHosts(hosts)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	end := now.Add(lifetime)
	if end.After(a.cert.NotAfter) {
		end = a.cert.NotAfter
	}
	template := &x509.Certificate{
		SerialNumber: serial(), Subject: pkix.Name{CommonName: node, Organization: []string{"ptc " + cluster}},
		NotBefore: now.Add(-early), NotAfter: end, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		BasicConstraintsValid: true,
		URIs:                  []*url.URL{URI(cluster, node)},
		DNSNames:              append(also.dns, Host(cluster, node), EngineHost(cluster)), IPAddresses: also.ips,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key, a.key)
	if err != nil {
		return nil, err
	}
	return encode("CERTIFICATE", der), nil
}

// parseHosts sorts host names from addresses.
func parseHosts(hosts []string) (n names, err error) {
	for _, h := range hosts {
		if ip := net.ParseIP(h); ip != nil {
			n.ips = append(n.ips, ip)
			continue
		}
		if !hostName.MatchString(h) {
			return n, fmt.Errorf("the host of a certificate is %q, want a host name or an IP address", h)
		}
		n.dns = append(n.dns, h)
	}
	return n, nil
}

// newKey returns a new private key.
func newKey() (*ecdsa.PrivateKey, error) { return ecdsa.GenerateKey(elliptic.P256(), rand.Reader) }

// serial returns a number that no other certificate has.
func serial() *big.Int {
	var b [16]byte
	rand.Read(b[:])
	b[0] = b[0]&0x7f | 0x40 // positive, and of one length
	return new(big.Int).SetBytes(b[:])
}

func encode(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

func encodeKey(key crypto.Signer) ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	return encode("PRIVATE KEY", der), err
}

// parseKey returns the first private key of a text.
func parseKey(text []byte) (crypto.Signer, error) {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		var key any
		var err error
		switch block.Type {
		case "PRIVATE KEY":
			key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
		case "EC PRIVATE KEY":
			key, err = x509.ParseECPrivateKey(block.Bytes)
		default:
			continue
		}
		if err != nil {
			return nil, err
		}
		if signer, ok := key.(crypto.Signer); ok {
			return signer, nil
		}
		return nil, fmt.Errorf("the key is of the type %T, want one that signs", key)
	}
	return nil, errors.New("it has no private key in PEM")
}

// readCerts reads all certificates of a file; there is at least one.
func readCerts(file string) (all []*x509.Certificate, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	all, err = parseCerts(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return all, nil
}

// parseCerts returns all certificates of a text; there is at least one.
func parseCerts(text []byte) (all []*x509.Certificate, err error) {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	if len(all) == 0 {
		return nil, errors.New("it has no certificate in PEM")
	}
	return all, nil
}

// readPrivate reads a file that others than its owner must not be able to use.
func readPrivate(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s: users other than its owner can use the key, its mode is %#o: run chmod 600 %s",
			file, info.Mode().Perm(), file)
	}
	var b bytes.Buffer
	_, err = b.ReadFrom(f)
	return b.Bytes(), err
}
