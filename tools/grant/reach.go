// This file defines digests of the resources that tools reach.

package grant

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/ptc-lang/ptc/tools/mcp"
)

// Digests returns a digest of the resources that each tool reaches, by the names of the tools. Two sets
// with equal digests grant the same hosts, files, programs or databases, for the same use. It includes
// neither credentials nor the state of the resources on this machine, such as the contents of a directory.
func (s *Set) Digests() map[string]string {
	all := make(map[string]string)
	for _, k := range Kinds() {
		if k.names == nil || k.reach == nil {
			continue
		}
		lines := k.reach(s)
		if len(lines) == 0 {
			continue
		}
		sum := sha256.Sum256(fmt.Appendf(nil, "%q", lines))
		for name := range k.names() {
			all[name] = hex.EncodeToString(sum[:8])
		}
	}
	s.digestServers(all)
	return all
}

// digestServers adds the tools of the MCP servers to which Registry has connected: the program or URL of
// the server, and the arguments that the tool takes.
func (s *Set) digestServers(all map[string]string) {
	if s.servers == nil {
		return
	}
	for _, t := range s.servers.Tools() {
		server, _, _ := strings.Cut(t.Name(), ".")
		i := slices.IndexFunc(s.mcp.Servers, func(one mcp.Server) bool { return one.Name == server })
		if i < 0 {
			continue
		}
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %v %s", serverPlace(&s.mcp.Servers[i]), t.Class(), t.Args().JSON()))
		all[t.Name()] = hex.EncodeToString(sum[:8])
	}
}

func (s *Set) serverReach() (lines []string) {
	for i := range s.mcp.Servers {
		lines = append(lines, serverPlace(&s.mcp.Servers[i]))
	}
	return sorted(lines)
}

// serverPlace returns the program or URL of a server.
func serverPlace(one *mcp.Server) string {
	return fmt.Sprintf("%s %q %q %q", one.Name, one.Command, one.Args, withoutPassword(one.URL))
}

// sorted returns lines in order, each once: the order of these grants does not count.
func sorted(lines []string) []string {
	slices.Sort(lines)
	return slices.Compact(lines)
}

func (s *Set) webReach() (lines []string) {
	for _, h := range s.http.Hosts {
		lines = append(lines, fmt.Sprintf("%s:%d %q with %q", h.Name, h.Port, sorted(slices.Clone(h.Methods)),
			slices.Sorted(maps.Keys(h.Header))))
	}
	if len(lines) > 0 {
		for _, p := range s.http.Private {
			lines = append(lines, "private "+p.String())
		}
	}
	return sorted(lines)
}

func (s *Set) fileReach() (lines []string) {
	for _, d := range s.fs.Dirs {
		name := d.Name
		if name == "" {
			name = d.Path
		}
		lines = append(lines, fmt.Sprintf("%s %t", name, d.Write))
	}
	return sorted(lines)
}

func (s *Set) databaseReach() (lines []string) {
	for name, db := range s.sql.Databases {
		lines = append(lines, fmt.Sprintf("%s %t %s", name, db.Write, withoutPassword(db.DSN)))
	}
	return sorted(lines)
}

// withoutPassword returns the name of a database, including the user. The settings of a URL count, because
// they may name another server, except credentials.
func withoutPassword(dsn string) string {
	if !strings.Contains(dsn, "://") {
		return dsn
	}
	u, err := url.Parse(dsn)
	if err != nil {
		return "" // opening it reports the mistake
	}
	user := ""
	if u.User != nil {
		user = u.User.Username()
	}
	settings := u.Query()
	for _, name := range []string{"password", "passfile", "sslcert", "sslkey", "sslpassword", "sslrootcert"} {
		settings.Del(name)
	}
	return user + "@" + u.Host + u.Path + "?" + settings.Encode()
}

// once returns the reach of a kind that reaches one resource or none. The names of its tools show whether
// they only read.
func once(granted bool, what string) []string {
	if !granted {
		return nil
	}
	return []string{what}
}
