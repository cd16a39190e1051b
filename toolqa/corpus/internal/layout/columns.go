package layout

import "encoding/binary"

// CodeWidth returns how many bytes a code of a dictionary of that many words takes.
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

// AppendCode appends a code in width bytes.
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
