package disk

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// sealMark begins the first line of a sealed file, a comment in YAML, which has the hash of what
// follows.
const sealMark = "# sha256 "

// WriteSealed replaces the file at path with a text below the text's hash.
func WriteSealed(path string, text []byte) error {
	return Write(path, Seal(text))
}

// Unseal returns the text of a sealed file. The error is ErrDamaged if WriteSealed did not write it
// so.
func Unseal(file []byte) ([]byte, error) {
	at := bytes.IndexByte(file, '\n') + 1
	text := file[at:]

	switch {
	case !bytes.HasPrefix(file, []byte(sealMark)):
		return nil, fmt.Errorf("%w: it does not begin with its hash", ErrDamaged)
	case !bytes.Equal(file[:at], hashLine(text)):
		return nil, fmt.Errorf("%w: its hash is not the one in its first line", ErrDamaged)
	}

	return text, nil
}

// Seal returns a text below its hash, as [WriteSealed] writes it.
func Seal(text []byte) []byte { return append(hashLine(text), text...) }

func hashLine(text []byte) []byte {
	sum := sha256.Sum256(text)
	return []byte(sealMark + hex.EncodeToString(sum[:]) + "\n")
}
