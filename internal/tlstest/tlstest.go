// Package tlstest makes certificates for tests.
package tlstest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Authority signs certificates. They are valid for an hour.
type Authority struct {
	t    testing.TB
	Cert *x509.Certificate
	key  *ecdsa.PrivateKey
	last int64 // serial number
}

// New returns an authority with a new key.
func New(t testing.TB, name string) *Authority {
	t.Helper()
	a := &Authority{t: t, last: 1}
	a.Cert = &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, key := a.sign(a.Cert)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	a.Cert, a.key = cert, key
	return a
}

// sign returns a certificate with a new key, signed by the authority, or by itself if the authority has none yet.
func (a *Authority) sign(template *x509.Certificate) ([]byte, *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(a.t, err)
	signer := a.key
	if signer == nil {
		signer = key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.Cert, &key.PublicKey, signer)
	require.NoError(a.t, err)
	return der, key
}

// Issue returns a certificate for a client or a server, and its key, in PEM. The template needs only the
// special fields.
func (a *Authority) Issue(template x509.Certificate) (cert, key []byte) {
	a.t.Helper()
	a.last++
	template.SerialNumber = big.NewInt(a.last)
	if template.NotAfter.IsZero() {
		template.NotAfter = time.Now().Add(time.Hour)
	}
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth}
	der, private := a.sign(&template)
	text, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(a.t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: text})
}

// PEM returns the certificate of the authority.
func (a *Authority) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.Cert.Raw})
}

// Server returns the certificate of a server on 127.0.0.1, and its key.
func (a *Authority) Server() (cert, key []byte) {
	return a.Issue(x509.Certificate{
		Subject: pkix.Name{CommonName: "server"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}})
}

// Client returns the configuration of a client that trusts the authorities, and shows a certificate unless it is nil.
func Client(t testing.TB, cert, key []byte, trusted ...*Authority) *tls.Config {
	t.Helper()
	c := &tls.Config{RootCAs: x509.NewCertPool()}
	for _, a := range trusted {
		c.RootCAs.AddCert(a.Cert)
	}
	if cert != nil {
		pair, err := tls.X509KeyPair(cert, key)
		require.NoError(t, err)
		// Also to a server that names other authorities.
		c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }
	}
	return c
}
