package tool_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ptc-lang/ptc/runtime/tool"
)

// TestNilTools requires a registry to refuse tools that nothing could call.
func TestNilTools(t *testing.T) {
	var fn func(context.Context, struct{}) (bool, error)
	for _, bad := range []*tool.Tool{nil, {}} {
		_, err := tool.NewRegistry(bad)
		assert.ErrorContains(t, err, "want one of tool.New or tool.Dynamic")
	}
	_, err := tool.NewRegistry(tool.New("x", "X.", fn))
	assert.ErrorContains(t, err, "tool x: its function is nil, want one")
}
