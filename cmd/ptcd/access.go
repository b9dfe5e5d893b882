// This file defines the settings of who may use the service: TLS, tenants and client certificates.

package main

import (
	"errors"
	"log/slog"

	"github.com/goccy/go-yaml/ast"

	"github.com/ptc-lang/ptc/cluster"
	"github.com/ptc-lang/ptc/cmd/internal/buildinfo"
	"github.com/ptc-lang/ptc/cmd/internal/flags"
	"github.com/ptc-lang/ptc/cmd/ptcd/internal/token"
	"github.com/ptc-lang/ptc/serve/access"
)

// accessSettings are the values of the flags and sections of this file.
type accessSettings struct {
	hosts, origins []string
	tls            access.TLS
	clientCerts    string
	tenants        map[string]access.Share
	otherTenants   access.Share
	identities     access.Identities
}

// The values of --client-certs.
const (
	certsOptional = "optional"
	certsRequired = "required"
)

func (a *accessSettings) flags() []flags.Spec {
	each := func(list *[]string) flags.Target {
		return flags.Func(func(text string) error { *list = append(*list, text); return nil })
	}
	return []flags.Spec{
		{Name: "host", Value: "NAME", Repeats: true, Text: "host name of the service in requests, besides that of --listen",
			To: each(&a.hosts)},
		{Name: "origin", Value: "URL", Repeats: true, Text: "origin of pages that may call the API with a token",
			To: each(&a.origins)},
		{Name: "tls-cert", Value: "FILE", Text: "certificate of the service, PEM; it is read again when it changes",
			To: flags.File(&a.tls.Cert)},
		{Name: "tls-key", Value: "FILE", Text: "key of the certificate, PEM", To: flags.File(&a.tls.Key)},
		{Name: "client-ca", Value: "FILE", Text: "authority of client certificates, PEM; the identities in the file of " +
			"--config say whose each one is", To: flags.File(&a.tls.ClientCA)},
		{Name: "client-certs", Value: "WHEN", Initial: certsOptional, Choices: []string{certsOptional, certsRequired},
			Text: "whether each client needs a certificate: optional or required", To: flags.Word(&a.clientCerts)},
	}
}

// tokensOf returns the keeper of the tokens of a service, or of the cluster of a node.
func tokensOf(file string) (token.Keeper, error) {
	s, err := parse([]string{"--config", file})
	switch {
	case err != nil:
		return nil, err
	case s.node() != "":
		return cluster.Users{Config: s.cluster, Release: buildinfo.Version(version)}, nil
	}
	return token.Dir(s.dir), nil
}

// sections are the keys of the file of flags that are no flags.
func (a *accessSettings) sections() map[string]func(*configReader, ast.Node) {
	return map[string]func(*configReader, ast.Node){
		"tenants": a.readTenants,
		"other-tenants": func(r *configReader, n ast.Node) {
			r.mapping("other-tenants", n, token.ShareFlags(&a.otherTenants))
		},
		"identities": a.readIdentities,
	}
}

// readTenants reads the shares of tenants, by their names.
func (a *accessSettings) readTenants(r *configReader, n ast.Node) {
	m, ok := n.(ast.MapNode)
	if !ok {
		r.mistake(n.GetToken(), "tenants: want names of tenants with their shares, such as acme: {running: 10}")
		return
	}
	a.tenants = make(map[string]access.Share)
	for it := m.MapRange(); it.Next(); {
		at, name := it.Key().GetToken(), it.Key().GetToken().Value
		if _, twice := a.tenants[name]; twice {
			r.mistake(at, "tenants: the tenant %s is there twice", name)
		}
		var share access.Share
		r.mapping("tenants: "+name, it.Value(), token.ShareFlags(&share))
		a.tenants[name] = share
	}
}

// readIdentities reads the identities of client certificates.
func (a *accessSettings) readIdentities(r *configReader, n ast.Node) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		r.mistake(n.GetToken(), "identities: want a list, such as - {name: ci, role: submitter, subject: \"CN=ci\"}")
		return
	}
	for _, item := range list.Values {
		id := access.Identity{}
		role, before := "", len(r.mistakes)
		r.mapping("identities", item, []flags.Spec{
			{Name: "name", To: flags.Word(&id.Name)},
			{Name: "role", To: flags.Word(&role), Choices: token.Roles()},
			{Name: "tenant", To: flags.Word(&id.Tenant)},
			{Name: "subject", To: flags.Word(&id.Subject)},
			{Name: "san", Repeats: true, To: flags.Func(func(text string) error {
				id.SAN = append(id.SAN, text)
				return nil
			})},
		})
		id.Role = access.Role(role)
		if id.Tenant == "" {
			id.Tenant = access.DefaultTenant
		}
		if len(r.mistakes) > before {
			continue
		}
		all := append(a.identities, id)
		if err := all.Check(); err != nil {
			r.mistake(item.GetToken(), "%v", err)
			continue
		}
		a.identities = all
	}
}

// complete checks the combination of flags and sections.
func (a *accessSettings) complete() error {
	a.tls.Required = a.clientCerts == certsRequired
	if len(a.identities) > 0 && a.tls.ClientCA == "" {
		return errors.New("there are identities for client certificates, but no --client-ca to check them")
	}
	return nil
}

// members returns a function that puts the tenants and identities of the file of --config into effect, if they have
// changed since it was called last.
func (s *settings) members(door *door, shares *access.Shares, log *slog.Logger) (look func(), err error) {
	if s.config == "" {
		return func() {}, nil
	}
	return access.Watch(log, func() error {
		now := &settings{accessSettings: accessSettings{tls: s.tls, clientCerts: s.clientCerts}}
		if err := readConfig(s.config, new(settings).flags(), now.sections(), nil); err != nil {
			return err
		}
		if err := now.complete(); err != nil {
			return err
		}
		return errors.Join(shares.Replace(now.tenants, now.otherTenants), door.gate.Identify(now.identities))
	}, s.config)
}
