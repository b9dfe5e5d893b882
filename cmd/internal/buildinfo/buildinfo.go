// Package buildinfo knows the version of a command.
package buildinfo

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// Unset is the version that the linker has not set.
const Unset = "devel"

// Version returns the version of a release, which the linker has set in linked; otherwise that of the module that go
// install has built, or of the commit.
func Version(linked string) string {
	info, ok := debug.ReadBuildInfo()
	if ok && linked == Unset && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return linked
}

// Text returns the version of a command, with the Go release and the platform it was built for.
func Text(command, linked string) string {
	return fmt.Sprintf("%s %s %s %s/%s", command, Version(linked), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
