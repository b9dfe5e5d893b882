package env

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/ptc-lang/ptc"
	"github.com/ptc-lang/ptc/lang/diag"
	"github.com/ptc-lang/ptc/runtime/effect"
	"github.com/ptc-lang/ptc/runtime/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func run(t *testing.T, g Grant, program string) (string, error) {
	t.Helper()
	tools, err := Tools(g)
	require.NoError(t, err)
	reg, err := tool.NewRegistry(tools...)
	require.NoError(t, err)
	for name, how := range Names() {
		reg.Withhold(name, how)
	}
	res, err := ptc.Run(context.Background(), program, ptc.Options{Tools: reg})
	if err != nil {
		return "", err
	}
	return res.EDN()
}

func TestGet(t *testing.T) {
	t.Setenv("PTC_REGION", "north ü")
	t.Setenv("PTC_EMPTY", "")
	t.Setenv("PTC_SECRET", "secret")
	g := Grant{Names: []string{"PTC_REGION", "PTC_EMPTY", "PTC_NONE"}}
	for program, want := range map[string]string{
		`(tool/env.get "PTC_REGION")`:                                      `"north ü"`,
		`(tool/env.get "PTC_EMPTY")`:                                       `""`,
		`(tool/env.get {:name "PTC_EMPTY" :default "x"})`:                  `""`,
		`(tool/env.get "PTC_NONE")`:                                        `nil`,
		`(tool/env.get {:name "PTC_NONE" :default "x"})`:                   `"x"`,
		`(pmap tool/env.get ["PTC_REGION" "PTC_EMPTY"])`:                   `("north ü" "")`,
		`(:signature (first (tools)))`:                                     `"env.get {:name string :default string|nil?} -> string|nil"`,
		`(try (tool/env.get "x") (catch Exception e (:code (ex-data e))))`: `:refused`,
	} {
		got, err := run(t, g, program)
		require.NoError(t, err, program)
		assert.Equal(t, want, got, program)
	}
	for _, name := range []string{"PTC_SECRET", "PTC_NEVER", "ptc_region", "", "PTC_REGION\x00"} {
		_, err := run(t, g, `(tool/env.get "`+name+`")`)
		require.ErrorContains(t, err, "is not granted, only PTC_REGION, PTC_EMPTY, PTC_NONE; grant it with --allow-env "+name)
		assert.NotContains(t, err.Error(), "secret")
	}
}

func TestGrant(t *testing.T) {
	_, err := run(t, Grant{}, `(tool/env.get "PATH")`)
	var e *ptc.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, diag.NotGranted, e.Code)
	assert.Equal(t, "grant it with --allow-env NAME", e.Hint)
	for _, name := range []string{"", "A=B", "A B", "A\x00"} {
		_, err := Tools(Grant{Names: []string{name}})
		require.ErrorContains(t, err, "want a name such as REGION")
	}
	tools, err := Tools(Grant{Names: []string{"REGION"}})
	require.NoError(t, err)
	assert.Equal(t, effect.ReadOnly, tools[0].Class())
	assert.Len(t, tools, len(Names()))
}
