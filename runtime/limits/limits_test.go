package limits_test

import (
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ptc-lang/ptc/runtime/limits"
)

// TestValidate sets each field of the limits to values at and beyond its ends.
func TestValidate(t *testing.T) {
	most := reflect.ValueOf(limits.Most())
	for i := range most.NumField() {
		var l limits.Limits
		field, name := reflect.ValueOf(&l).Elem().Field(i), most.Type().Field(i).Name
		set := func(n int64) error { field.SetInt(n); return l.Validate() }
		widest := most.Field(i).Int()
		require.Positive(t, widest, name)
		require.NoError(t, set(0), name)
		require.NoError(t, set(widest), name)
		assert.ErrorContains(t, set(-1), "is -1", name)
		assert.Error(t, set(math.MinInt64), name)
		if widest < math.MaxInt64 {
			assert.ErrorContains(t, set(widest+1), "want at most", name)
			assert.ErrorContains(t, set(math.MaxInt64), "is 9223372036854775807", name)
		}
		assert.LessOrEqual(t, reflect.ValueOf(limits.Default()).Field(i).Int(), widest, name)
	}
	assert.Error(t, limits.Limits{Memory: limits.MinMemory - 1}.Validate())
	assert.Error(t, limits.Limits{WorkerMemory: limits.MinMemory - 1}.Validate())
}
