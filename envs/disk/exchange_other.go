//go:build !linux

package disk

import "errors"

// Exchange is not supported here.
func Exchange(a, b string) error { return errors.ErrUnsupported }
