package secret

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRedact(t *testing.T) {
	fields := []string{"token", "password"}
	assert.JSONEq(t, `{"token":"[secret]","n":12345678901234567890,"list":[{"password":"[secret]","x":1}]}`,
		string(Redact(json.RawMessage(`{"token":"a","n":12345678901234567890,"list":[{"password":{"deep":1},"x":1}]}`), fields)))
	assert.Equal(t, `"[secret]"`, string(Redact(json.RawMessage(`{"token`), fields)))
	assert.JSONEq(t, `{"token":"[secret]"}`, string(Redact(json.RawMessage(`{"\u0074oken":"a"}`), fields)))
	assert.Equal(t, `{"token":"a"}`, string(Redact(json.RawMessage(`{"token":"a"}`), nil)))
}
