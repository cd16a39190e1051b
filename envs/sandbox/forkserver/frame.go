package forkserver

import (
	"encoding/binary"
	"fmt"
	"io"
)

// writeFrame writes four bytes of length, big-endian, and the frame.
func writeFrame(w io.Writer, frame []byte) error {
	_, err := w.Write(append(binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(frame)), uint32(len(frame))),
		frame...))
	return err
}

// readFrame reads a frame of up to most bytes.
func readFrame(r io.Reader, most int) ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(r, length[:]); err != nil {
		return nil, err
	}

	n := binary.BigEndian.Uint32(length[:])
	if uint64(n) > uint64(most) {
		return nil, fmt.Errorf("a frame of %d bytes, where %d are the most", n, most)
	}

	frame := make([]byte, n)
	_, err := io.ReadFull(r, frame)

	return frame, err
}
