package disk

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ErrNot means that a path does not lead to a regular file.
var ErrNot = errors.New("want a regular file")

// Open opens a regular file. The error wraps ErrNot if it is something else, and fs.ErrNotExist if
// there is nothing.
func Open(path string) (*os.File, error) {
	stat, err := os.Stat(path)
	if err != nil {
		return nil, err
	}

	if !stat.Mode().IsRegular() {
		return nil, fmt.Errorf("read %s: %w, not a %s", path, ErrNot, kindOf(stat.Mode()))
	}
	return os.Open(path)
}

// ReadFile reads all of a regular file.
func ReadFile(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}

	data, err := io.ReadAll(f)
	return data, errors.Join(err, f.Close())
}

// Sum returns the SHA-256 of a regular file, in hexadecimal, and its size.
func Sum(path string) (sum string, size int64, err error) {
	f, err := Open(path)
	if err != nil {
		return "", 0, err
	}

	h := sha256.New()
	size, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), size, errors.Join(err, f.Close())
}

// kindOf names what is not a regular file.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "folder"
	case mode&fs.ModeNamedPipe != 0:
		return "pipe"
	case mode&fs.ModeDevice != 0:
		return "device"
	}

	return "special file"
}
