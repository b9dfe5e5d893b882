package commands

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func shown(all [][]string, exact bool) string {
	var parts []string
	for _, words := range all {
		parts = append(parts, strings.Join(words, " "))
	}
	return fmt.Sprintf("%s %v", strings.Join(parts, " + "), exact)
}

func TestOf(t *testing.T) {
	for _, c := range []struct {
		argv []string
		want string
	}{
		{[]string{"uptime"}, "uptime true"},
		{[]string{"/usr/bin/apt-get", "install", "-y", "nginx"}, "apt-get install -y nginx true"},
		{[]string{"sudo", "-n", "apt", "update"}, "apt update true"},
		{[]string{"sudo", "-u", "root", "-E", "DEBIAN_FRONTEND=x", "apt", "update"}, "apt update true"},
		{[]string{"sudo", "--user", "root", "apt"}, "root apt false"},
		{[]string{"sudo", "-i"}, " false"},
		{[]string{"env", "A=b", "nice", "-n", "5", "dnf", "upgrade"}, "dnf upgrade true"},
		{[]string{"timeout", "-k", "5", "60", "yum", "makecache"}, "yum makecache true"},
		{[]string{"sh", "-c", "cd /x && sudo apt-get update; uptime"}, "cd /x + apt-get update + uptime true"},
		{[]string{"bash", "-lc", "uptime"}, "uptime true"},
		{[]string{"sh", "script.sh"}, "sh script.sh false"},
		{[]string{"xargs", "-n", "1", "apt-get", "install"}, "apt-get install false"},
		{nil, " false"},
	} {
		assert.Equal(t, c.want, shown(Of(c.argv...)), "%q", c.argv)
	}
}

func TestOfLine(t *testing.T) {
	for line, want := range map[string]string{
		"uptime":                              "uptime true",
		"uptime -p | tr a b":                  "uptime -p + tr a b true",
		`echo "a b" 'c;d' e\ f`:               "echo a b c;d e f true",
		"uptime > /tmp/x":                     "uptime /tmp/x false",
		"uptime $X":                           "uptime $X false",
		"echo $(apt-get update)":              "echo + apt-get update false",
		"echo `apt update`":                   "echo + apt update false",
		"if apt-get update; then echo ok; fi": "apt-get update + echo ok + fi false",
		"LANG=C sudo dnf -y install x &":      "dnf -y install x false",
		"a && b || c":                         "a + b + c true",
		`sudo sh -c "apt-get update"`:         "apt-get update true",
		`sudo sh -c "apt-get install $P"`:     "apt-get install $P false",
		"uptime 'not closed":                  "uptime not closed false",
		"":                                    " false",
		strings.Repeat("sudo ", 100) + "apt update": " false",
	} {
		assert.Equal(t, want, shown(OfLine(line)), "%q", line)
	}
}
