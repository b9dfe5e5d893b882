package telemetry_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"
)

// TestAlerts checks that each alert of the example says what to do, and names only metrics that
// docs/telemetry.md lists. Other tests compare that list with the reported metrics.
func TestAlerts(t *testing.T) {
	text, err := os.ReadFile("../examples/alerts.yaml")
	require.NoError(t, err)
	var rules struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	require.NoError(t, yaml.UnmarshalWithOptions(text, &rules, yaml.Strict()))
	require.Len(t, rules.Groups, 1)
	docs, err := os.ReadFile("../docs/telemetry.md")
	require.NoError(t, err)
	guide, err := os.ReadFile("../docs/cluster.md")
	require.NoError(t, err)
	name := regexp.MustCompile(`\b(?:ptc|etcd)_[a-z_]+`)
	seen := make(map[string]bool)
	for _, r := range rules.Groups[0].Rules {
		require.False(t, seen[r.Alert], "%s is there twice", r.Alert)
		seen[r.Alert] = true
		require.Contains(t, []string{"page", "ticket"}, r.Labels["severity"], r.Alert)
		require.NotEmpty(t, r.Annotations["summary"], r.Alert)
		require.NotEmpty(t, r.Annotations["action"], r.Alert)
		require.Contains(t, string(guide), "`"+r.Alert+"`", "docs/cluster.md lists the alerts")
		metrics := name.FindAllString(r.Expr, -1)
		require.True(t, len(metrics) > 0 || strings.HasPrefix(r.Expr, "up{"), r.Expr)
		for _, m := range metrics {
			require.Contains(t, string(docs), "\n| `"+strings.TrimSuffix(m, "_bucket")+"` |", r.Alert)
		}
	}
	require.NotEmpty(t, seen)
}
