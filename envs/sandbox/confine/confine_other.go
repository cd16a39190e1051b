//go:build !linux

package confine

import (
	"errors"
	"syscall"
)

var errSystem = errors.New("it takes Linux 5.13 or later")

var probes = map[Wall]func() error{
	Landlock: func() error { return errSystem },
	Seccomp:  func() error { return errSystem },
}

func attributes(bool) *syscall.SysProcAttr { return nil }

// LandlockABI is 0: this system has no Landlock.
func LandlockABI() int { return 0 }

// LeftToSeccomp is nil: this system has no filters.
func LeftToSeccomp(version int) []string { return nil }

func hide() error { return errSystem }

func launch(string) error { return errSystem }

// Filter is nil: this system has no filters.
func Filter(without ...Wall) (program []byte, pids []int) { return nil, nil }
