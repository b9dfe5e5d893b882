// This file defines the forms of values.

package config

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ptc-lang/ptc/cluster/pki"
)

// target is where a value goes. set takes the text of a scalar.
type target interface{ set(text string) error }

// lister is a target of a list.
type lister interface{ setAll(texts []string) error }

type word struct{ to *string }

func (t word) set(text string) error {
	if text == "" {
		return errors.New("want a word, or no key")
	}
	*t.to = text
	return nil
}

type name struct {
	to   *string
	kind string
}

func (t name) set(text string) error {
	*t.to = text
	return pki.CheckName(t.kind, text)
}

type choice struct {
	to    *string
	words []string
}

func (t choice) set(text string) error {
	if !slices.Contains(t.words, text) {
		last := len(t.words) - 1
		return fmt.Errorf("want %s or %s", strings.Join(t.words[:last], ", "), t.words[last])
	}
	*t.to = text
	return nil
}

type toggle struct{ to *bool }

func (t toggle) set(text string) error {
	if text != "true" && text != "false" {
		return errors.New("want true or false")
	}
	*t.to = text == "true"
	return nil
}

type number struct {
	to          *int
	least, most int
}

func (t number) set(text string) error {
	n, err := strconv.Atoi(strings.ReplaceAll(text, "_", ""))
	if err != nil || n < t.least || n > t.most {
		return fmt.Errorf("want a whole number from %d to %d", t.least, t.most)
	}
	*t.to = n
	return nil
}

type fraction struct{ to *float64 }

func (t fraction) set(text string) error {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0 && x <= 1) {
		return errors.New("want a number from 0 to 1, such as 0.2")
	}
	*t.to = x
	return nil
}

// millis is a time in milliseconds.
type millis struct {
	to          *time.Duration
	least, most int
}

func (t millis) set(text string) error {
	var n int
	if err := (number{&n, t.least, t.most}).set(text); err != nil {
		return fmt.Errorf("%w, of milliseconds", err)
	}
	*t.to = time.Duration(n) * time.Millisecond
	return nil
}

type hours struct {
	to          *time.Duration
	least, most int
}

func (t hours) set(text string) error {
	var n int
	if err := (number{&n, t.least, t.most}).set(text); err != nil {
		return fmt.Errorf("%w, of hours", err)
	}
	*t.to = time.Duration(n) * time.Hour
	return nil
}

// address is HOST:PORT. Only one to listen on may be that of all interfaces, and have no host.
type address struct {
	to     *string
	listen bool
}

func (t address) set(text string) error {
	host, port, err := net.SplitHostPort(text)
	n, bad := strconv.Atoi(port)
	if err != nil || bad != nil || n < 1 || n > 65535 {
		return errors.New("want HOST:PORT, such as node1.example.com:9000, with a port from 1 to 65535")
	}
	if ip := net.ParseIP(host); !t.listen && (host == "" || ip != nil && ip.IsUnspecified()) {
		return errors.New("want a host that other nodes can reach, such as node1.example.com:9000")
	}
	*t.to = text
	return nil
}

// peers are nodes of other clusters: CLUSTER/NODE=HOST:PORT.
type peers struct{ to *[]RegionPeer }

func (t peers) set(text string) error { return t.setAll([]string{text}) }

func (t peers) setAll(texts []string) error {
	for _, text := range texts {
		var p RegionPeer
		who, at, found := strings.Cut(text, "=")
		p.Cluster, p.Node, _ = strings.Cut(who, "/")
		if !found || pki.CheckName("cluster", p.Cluster) != nil || pki.CheckName("node", p.Node) != nil ||
			(address{&p.Address, false}).set(at) != nil {
			return fmt.Errorf("got %q, want CLUSTER/NODE=HOST:PORT, such as prod-eu/node1=node1.eu.example.com:9002", text)
		}
		*t.to = append(*t.to, p)
	}
	return nil
}

type list struct{ to *[]string }

func (t list) set(text string) error { return t.setAll([]string{text}) }

func (t list) setAll(texts []string) error {
	if slices.Contains(texts, "") {
		return errors.New("want words that are not empty")
	}
	*t.to = texts
	return nil
}
