package layout

import (
	"path/filepath"

	"toolevo/envs/disk"
)

// RemoveLeftovers removes what killed programs left of the corpus file at path, which may be
// gigabytes.
func RemoveLeftovers(path string) error {
	folder, name := filepath.Split(path)
	return disk.RemoveLeftovers(folder, "."+name+".", "")
}
