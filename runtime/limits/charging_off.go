//go:build nocharge

// This file disables charging.

package limits

const charging = false
