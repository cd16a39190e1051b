package layout

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// CodeWidth returns how many bytes a code takes when there are so many words.
func CodeWidth(words int) int {
	switch {
	case words <= 1<<8:
		return 1
	case words <= 1<<16:
		return 2
	default:
		return 4
	}
}

// AppendCode appends a code in so many bytes.
func AppendCode(buf []byte, code uint32, width int) []byte {
	switch width {
	case 1:
		return append(buf, byte(code))
	case 2:
		return binary.LittleEndian.AppendUint16(buf, uint16(code))
	default:
		return binary.LittleEndian.AppendUint32(buf, code)
	}
}

// BlobSum is the hash of a column: of its words and codes, SHA-256 in hexadecimal digits.
func BlobSum(words, codes []byte) string {
	h := sha256.New()
	h.Write(words)
	h.Write(codes)

	return hex.EncodeToString(h.Sum(nil))
}
