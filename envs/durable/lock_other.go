//go:build !linux

package durable

import (
	"errors"
	"os"
)

func lockDescription(*os.File, int) error { return errors.ErrUnsupported }
