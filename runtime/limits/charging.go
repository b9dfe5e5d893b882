//go:build !nocharge

// This file enables charging. The tag nocharge disables it, so that a benchmark can measure its
// cost; without charging, nothing bounds memory.

package limits

const charging = true
