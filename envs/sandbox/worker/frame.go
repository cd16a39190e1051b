package worker

import (
	"encoding/binary"
	"fmt"
	"io"
)

// WriteFrame writes four bytes of length, big-endian, and the frame.
func WriteFrame(w io.Writer, frame []byte) error {
	length := binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(frame)), uint32(len(frame)))
	_, err := w.Write(append(length, frame...))
	return err
}

// ReadFrame reads a frame of up to most bytes.
func ReadFrame(r io.Reader, most int) ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, err
	}

	n := binary.BigEndian.Uint32(length[:])
	if uint64(n) > uint64(most) {
		return nil, fmt.Errorf("worker: a frame of %d bytes, want at most %d", n, most)
	}

	frame := make([]byte, n)
	_, err := io.ReadFull(r, frame)
	return frame, err
}
