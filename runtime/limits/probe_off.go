//go:build !probe

// This file leaves the probe out.

package limits

const probing = false

func probe(*Meter) {}
