//go:build unix && !linux

package process

import "errors"

func markAll() error { return errors.ErrUnsupported }
