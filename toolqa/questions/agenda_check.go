package questions

import (
	"encoding/binary"
	"fmt"
)

// agendaWord returns the cell in a row, from 1, of a column in the form of the table cells of a corpus file: its words,
// each behind its length, and for every row the number of its word.
func agendaWord(words, codes []byte, width, row int64) (string, error) {
	at := int((row - 1) * width)
	if width < 1 || width > 4 || at < 0 || at+int(width) > len(codes) {
		return "", fmt.Errorf("no row %d of width %d among %d bytes", row, width, len(codes))
	}
	var code [4]byte
	copy(code[:], codes[at:at+int(width)])

	for n := binary.LittleEndian.Uint32(code[:]); ; n-- {
		length, size := binary.Uvarint(words)
		if size <= 0 || uint64(len(words)-size) < length {
			return "", fmt.Errorf("row %d has no word", row)
		}

		word := words[size : size+int(length)]
		if n == 0 {
			return string(word), nil
		}

		words = words[size+int(length):]
	}
}
