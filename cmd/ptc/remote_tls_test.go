//go:build unix

package main

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/internal/tlstest"
)

// TestRemoteTLS reaches a service with TLS, by a token and by a certificate of the client.
func TestRemoteTLS(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, text []byte) string {
		t.Helper()
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, text, 0o600))
		return path
	}
	ca, clients := tlstest.New(t, "ca"), tlstest.New(t, "clients")
	cert, key := ca.Server()
	config := file("ptcd.yaml", []byte("tls-cert: "+file("cert.pem", cert)+"\ntls-key: "+file("key.pem", key)+
		"\nclient-ca: "+file("clients.pem", clients.PEM())+
		"\nidentities: [{name: deploy, role: submitter, tenant: default, subject: CN=deploy}]\n"))
	s := startService(t, "--config", config)
	require.True(t, strings.HasPrefix(s.URL, "https://"), s.URL)
	roots := file("ca.pem", ca.PEM())
	mine, mineKey := clients.Issue(x509.Certificate{Subject: pkix.Name{CommonName: "deploy"}})
	certFlag, keyFlag := file("mine.pem", mine), file("mine.key", mineKey)
	wants{0, "3\n", ""}.check(t, remoteWith(t, s, "run", "-e", "(+ 1 2)", "--ca-file", roots))
	wants{exitService, "", "certificate"}.check(t, remoteWith(t, s, "list", "--patience", "1ms"))
	wants{exitUsage, "", "can't be used"}.check(t, remoteWith(t, s, "list", "--cert", certFlag, "--key", certFlag))

	t.Setenv("PTC_TOKEN_FILE", "")
	with := func(words ...string) outcome {
		return ptcWith("", append([]string{"remote", words[0], "--server", s.URL, "--ca-file", roots}, words[1:]...)...)
	}
	wants{0, "3\n", ""}.check(t, with("run", "-e", "(+ 1 2)", "--cert", certFlag, "--key", keyFlag))
	wants{exitService, "", "use --token-file FILE, or set PTC_TOKEN_FILE"}.check(t, with("list"))
}
