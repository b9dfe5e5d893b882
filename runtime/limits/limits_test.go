package limits_test

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"
	"time"

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

// TestExceeds widens each field by one.
func TestExceeds(t *testing.T) {
	most := limits.Default()
	require.NoError(t, most.Exceeds(most))
	require.NoError(t, limits.Limits{}.Exceeds(most))
	for i := range reflect.TypeFor[limits.Limits]().NumField() {
		l := most
		field := reflect.ValueOf(&l).Elem().Field(i)
		field.SetInt(field.Int() + 1)
		assert.ErrorContains(t, l.Exceeds(most), "want at most")
		assert.NoError(t, most.Exceeds(l))
	}
	wide, narrow := limits.Limits{Timeout: time.Hour, Steps: 9}, limits.Limits{Timeout: time.Minute, Steps: 8}
	assert.EqualError(t, wide.Exceeds(narrow),
		"limits: timeout is 1h0m0s, want at most 1m0s; steps is 9, want at most 8")
}

func TestJSON(t *testing.T) {
	all := []limits.Limits{{}, {Timeout: 90 * time.Second, Memory: 1 << 20}, {Steps: 1}, limits.Default(), limits.Most()}
	for _, l := range all {
		text, err := json.Marshal(l)
		require.NoError(t, err)
		back := limits.Limits{}
		require.NoError(t, json.Unmarshal(text, &back))
		assert.Equal(t, l, back, string(text))
	}
	text, err := json.Marshal(limits.Limits{Timeout: 90 * time.Second, Workers: 2})
	require.NoError(t, err)
	assert.Equal(t, `{"workers":2,"timeout":"1m30s"}`, string(text))
	kept := limits.Limits{Steps: 3, Timeout: time.Second}
	require.NoError(t, json.Unmarshal([]byte(`{"workers": 2}`), &kept))
	assert.Equal(t, limits.Limits{Steps: 3, Timeout: time.Second, Workers: 2}, kept)
	for _, wrong := range []string{`5`, `"5"`, `"soon"`, `{}`, `null`} {
		err := json.Unmarshal([]byte(`{"timeout": `+wrong+`}`), &limits.Limits{})
		assert.EqualError(t, err, `limits: timeout is `+wrong+`, want a time such as "30s"`)
	}
}
