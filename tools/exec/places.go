// This file defines where a program is looked for.

package exec

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Places returns the paths at which Find looks for the program of a name, up to that of the
// program that it found: a file that comes to be at one of them would be found instead, the
// next time.
func Places(name string, found Program) []string {
	places := []string{found.Path}
	if strings.ContainsRune(filepath.ToSlash(name), '/') {
		return places
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		path, err := filepath.Abs(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		places = append(places, path)
		if runtime.GOOS == "windows" {
			for _, ext := range filepath.SplitList(os.Getenv("PATHEXT")) {
				places = append(places, path+ext)
			}
		}
		if filepath.Dir(path) == filepath.Dir(found.Path) {
			break
		}
	}
	return places
}
