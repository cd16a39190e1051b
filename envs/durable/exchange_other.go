//go:build !linux

package durable

import "errors"

// Exchange is not supported here.
func Exchange(a, b string) error { return errors.ErrUnsupported }
