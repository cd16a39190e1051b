//go:build !linux

package disk

import (
	"errors"
	"os"
)

func lockDescription(*os.File, int) error { return errors.ErrUnsupported }
