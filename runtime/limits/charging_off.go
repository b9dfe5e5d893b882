//go:build nocharge

// This file leaves charging out.

package limits

const charging = false
