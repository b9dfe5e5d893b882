//go:build !nocharge

// This file has allocations charged. The tag nocharge leaves charging out, so that a
// benchmark can tell what it costs; nothing bounds memory then.

package limits

const charging = true
