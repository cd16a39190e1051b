//go:build linux && amd64

package disk_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"toolevo/envs/disk"
	"toolevo/envs/faulttest"
)

// A folder is claimed by one at a time, and its work removed, also where nothing can be locked.
func TestClaimFolderWithout(t *testing.T) {
	for name, lacks := range map[string][]string{
		"flock":    {faulttest.Flock},
		"any lock": {faulttest.Flock, faulttest.RecordLocks},
	} {
		t.Run(name, func(t *testing.T) {
			faulttest.Without(t, nil, func(dir string) {
				dir = filepath.Join(dir, "export")
				if err := os.Mkdir(dir, 0o755); err != nil {
					t.Fatal(err)
				}

				for range 2 {
					work, release, err := disk.ClaimFolder(dir)
					if err != nil {
						t.Fatal(err)
					}

					if _, _, err := disk.ClaimFolder(dir); !errors.Is(err, disk.ErrNoLocks) {
						t.Errorf("claimed twice: %v", err)
					}

					if err := disk.Exchange(work, dir); err != nil {
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

// A released file can be locked at once, though a process that is being started has it open.
func TestRelease(t *testing.T) {
	t.Parallel()

	path := filepath.Join(t.TempDir(), "file")

	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}

	copied, err := syscall.Dup(int(f.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(copied)

	if err := errors.Join(disk.Lock(f, syscall.LOCK_EX), disk.Release(f)); err != nil {
		t.Fatal(err)
	}

	next, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close()

	if err := disk.Lock(next, syscall.LOCK_SH); err != nil {
		t.Error(err)
	}
}
