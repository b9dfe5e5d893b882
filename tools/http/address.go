// This file defines which addresses may be dialled.

package http

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"

	"github.com/ptc-lang/ptc/runtime/tool"
)

// special are the addresses that are not public, or belong to this machine and its network, by the registries
// of IANA (RFC 6890 and its successors). In version 6 these are all except 2000::/3.
var special = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),        // this network
	netip.MustParsePrefix("10.0.0.0/8"),       // private
	netip.MustParsePrefix("100.64.0.0/10"),    // shared by the customers of a carrier
	netip.MustParsePrefix("127.0.0.0/8"),      // loopback
	netip.MustParsePrefix("168.63.129.16/32"), // the metadata service of Azure, the only one at a public address
	netip.MustParsePrefix("169.254.0.0/16"),   // link-local; metadata services
	netip.MustParsePrefix("172.16.0.0/12"),    // private
	netip.MustParsePrefix("192.0.0.0/24"),     // protocols
	netip.MustParsePrefix("192.0.2.0/24"),     // documentation
	netip.MustParsePrefix("192.88.99.0/24"),   // relays from version 6, given up
	netip.MustParsePrefix("192.168.0.0/16"),   // private
	netip.MustParsePrefix("198.18.0.0/15"),    // benchmarks
	netip.MustParsePrefix("198.51.100.0/24"),  // documentation
	netip.MustParsePrefix("203.0.113.0/24"),   // documentation
	netip.MustParsePrefix("224.0.0.0/4"),      // multicast
	netip.MustParsePrefix("240.0.0.0/4"),      // reserved, broadcast
	netip.MustParsePrefix("2001::/23"),        // protocols, tunnels
	netip.MustParsePrefix("2001:db8::/32"),    // documentation
	netip.MustParsePrefix("2002::/16"),        // tunnels to addresses of version 4
	netip.MustParsePrefix("3fff::/20"),        // documentation
}

var (
	global6 = netip.MustParsePrefix("2000::/3")
	nat64   = netip.MustParsePrefix("64:ff9b::/96") // an address of version 4 in its last 32 bits
)

// isSpecial reports whether an address is not that of a host on the internet.
func isSpecial(addr netip.Addr) bool {
	addr = plainAddr(addr)
	if addr.Is6() && !global6.Contains(addr) {
		return true
	}
	return slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// plainAddr returns the address that a version 6 address leads to, which may be of version 4.
func plainAddr(addr netip.Addr) netip.Addr {
	addr = addr.WithZone("").Unmap()
	if nat64.Contains(addr) {
		b := addr.As16()
		return netip.AddrFrom4([4]byte(b[12:]))
	}
	return addr
}

// mayDial reports whether an address may be dialled for a host that is called so.
func (c *client) mayDial(name string, addr netip.Addr) bool {
	if !isSpecial(addr) {
		return true
	}
	addr = plainAddr(addr)
	if own, err := netip.ParseAddr(name); err == nil && plainAddr(own) == addr {
		return true // granted as that very address
	}
	if name == "localhost" && addr.IsLoopback() {
		return true
	}
	return slices.ContainsFunc(c.private, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// dial connects to a host. The address is checked when it is dialled, after the name has
// been resolved, so that no answer of a name server in between can change it.
func (c *client) dial(ctx context.Context, network, hostPort string) (net.Conn, error) {
	name, _, err := net.SplitHostPort(hostPort)
	if err != nil {
		return nil, err
	}
	d := c.dialer
	d.Control = func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil || !c.mayDial(name, to.Addr()) {
			return &tool.Error{Code: "refused", Message: fmt.Sprintf("%s is at the address %s, which is private or special; "+
				"grant it with --allow-http-private %s",
				name, address, grantable(to.Addr()))}
		}
		return nil
	}
	return d.DialContext(ctx, network, hostPort)
}

func grantable(addr netip.Addr) string {
	if !addr.IsValid() {
		return "ADDRESS"
	}
	return plainAddr(addr).String()
}
