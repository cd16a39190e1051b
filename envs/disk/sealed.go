package disk

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
)

// sealMark begins the first line of a sealed file, a comment in YAML: the hash of what follows stands behind it.
const sealMark = "# sha256 "

// WriteSealed replaces the file at path with a text below the text's hash.
func WriteSealed(path string, text []byte) error {
	return WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(append(seal(text), text...))
		return err
	})
}

// Unseal returns the text of a sealed file. What is not what WriteSealed wrote is ErrDamaged.
func Unseal(file []byte) ([]byte, error) {
	at := bytes.IndexByte(file, '\n') + 1
	text := file[at:]

	switch {
	case !bytes.HasPrefix(file, []byte(sealMark)):
		return nil, fmt.Errorf("%w: it does not begin with its hash", ErrDamaged)
	case !bytes.Equal(file[:at], seal(text)):
		return nil, fmt.Errorf("%w: its hash is not the one in its first line", ErrDamaged)
	}

	return text, nil
}

func seal(text []byte) []byte {
	sum := sha256.Sum256(text)
	return []byte(sealMark + hex.EncodeToString(sum[:]) + "\n")
}
