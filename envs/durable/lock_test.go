//go:build linux && amd64

package durable_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"toolevo/envs/durable"
	"toolevo/envs/faulttest"
)

// A folder is claimed by one at a time, and its work removed, also where nothing can be locked.
func TestClaimFolderWithout(t *testing.T) {
	for name, lacks := range map[string][]string{
		"flock":    {faulttest.Flock},
		"any lock": {faulttest.Flock, faulttest.RecordLocks},
	} {
		t.Run(name, func(t *testing.T) {
			faulttest.Without(t, func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "export")
				if err := os.Mkdir(dir, 0o755); err != nil {
					t.Fatal(err)
				}

				for range 2 {
					work, release, err := durable.ClaimFolder(dir)
					if err != nil {
						t.Fatal(err)
					}

					if _, _, err := durable.ClaimFolder(dir); !errors.Is(err, durable.ErrNoLocks) {
						t.Errorf("claimed twice: %v", err)
					}

					if err := durable.Exchange(work, dir); err != nil {
						t.Fatal(err)
					}

					if err := release(); err != nil {
						t.Error(err)
					}

					if _, err := os.Stat(work); !errors.Is(err, os.ErrNotExist) {
						t.Errorf("the work is left: %v", err)
					}
				}
			}, lacks...)
		})
	}
}
