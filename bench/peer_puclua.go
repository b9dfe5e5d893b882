// This file defines the peer PUC Lua 5.4, the reference implementation in C,
// which runs as a separate process.

package bench

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

type pucLua struct{}

func (pucLua) Name() string { return "lua5.4" }
func (pucLua) Ext() string  { return "lua" }

// pucDriver calls the program between loading the data and writing the result.
//
//go:embed driver.lua
var pucDriver string

func (pucLua) Compile(_, src string) (Program, error) {
	path, err := exec.LookPath("lua5.4")
	if err != nil {
		return nil, SkipError("lua5.4 is not installed (apt-get install lua5.4)")
	}
	return pucProgram{path, src}, nil
}

type pucProgram struct{ path, src string }

func (p pucProgram) Bind(data map[string]any) (Run, error) {
	var script strings.Builder
	script.WriteString("data = ")
	if err := writeLua(&script, data); err != nil {
		return nil, err
	}
	fmt.Fprintf(&script, "\nlocal function program()\n%s\nend\n%s", p.src, pucDriver)
	return func() (any, error) { return p.run(script.String()) }, nil
}

// run returns the result and the processor time of the process since the call of the program.
func (p pucProgram) run(script string) (any, error) {
	var out, errOut bytes.Buffer
	cmd := exec.Command(p.path, "-")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(script), &out, &errOut
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, errOut.String())
	}
	wall := time.Since(start)
	var reply struct {
		Setup float64 // seconds
		Value any
	}
	if err := json.Unmarshal(out.Bytes(), &reply); err != nil {
		return nil, err
	}
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return External{
		Value: reply.Value,
		CPU:   float64(cpu) - reply.Setup*float64(time.Second),
		Wall:  float64(wall),
	}, nil
}

// writeLua writes v as a Lua expression.
func writeLua(b *strings.Builder, v any) error {
	switch v := v.(type) {
	case int:
		b.WriteString(strconv.Itoa(v))
	case string:
		b.WriteString(strconv.Quote(v))
	case []any:
		b.WriteByte('{')
		for _, e := range v {
			if err := writeLua(b, e); err != nil {
				return err
			}
			b.WriteByte(',')
		}
		b.WriteByte('}')
	case map[string]any:
		b.WriteByte('{')
		for k, e := range v {
			b.WriteString(k + "=")
			if err := writeLua(b, e); err != nil {
				return err
			}
			b.WriteByte(',')
		}
		b.WriteByte('}')
	default:
		return fmt.Errorf("no Lua expression for %T", v)
	}
	return nil
}
