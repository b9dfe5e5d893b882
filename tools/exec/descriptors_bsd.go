//go:build unix && !linux

package exec

import "errors"

func markAll() error { return errors.ErrUnsupported }
