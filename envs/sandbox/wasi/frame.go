package wasi

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
)

// kind says what a frame means.
type kind byte

const (
	frameReady  kind = 'r' // from the machine: the next request can come
	frameCall   kind = 'c' // to the machine: a call
	frameOutput kind = 'o' // from the machine: what the program printed, as it is
	frameEnd    kind = 'e' // from the machine: an ending
)

// maxFrame bounds a frame: a program with its JSON, or one write of a program.
const maxFrame = 64 << 20

// call is a program for a machine.
type call struct {
	Request json.RawMessage `json:"request"` // what the driver reads
	Memory  int64           `json:"memory"`  // bytes of linear memory
	Output  int             `json:"output"`  // bytes
}

// ending is how a program ended.
type ending struct {
	Status int    `json:"status"`         // the exit status
	Full   bool   `json:"full,omitempty"` // it was ended since it printed too much
	Trap   string `json:"trap,omitempty"` // why it was ended by the machine, "" if it was not
	Began  bool   `json:"began"`          // the driver came as far as the program
	Good   bool   `json:"good"`           // the machine can run another program
	Said   string `json:"said,omitempty"` // the driver's complaint, if it did not begin
}

// writeFrame writes the length of kind and payload in four bytes, big-endian, and then both.
func writeFrame(w io.Writer, k kind, payload []byte) error {
	frame := make([]byte, 5, 5+len(payload))
	binary.BigEndian.PutUint32(frame, uint32(1+len(payload)))
	frame[4] = byte(k)
	_, err := w.Write(append(frame, payload...))

	return err
}

func readFrame(r *bufio.Reader) (kind, []byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return 0, nil, err
	}

	n := binary.BigEndian.Uint32(size[:])
	if n == 0 || n > maxFrame {
		return 0, nil, fmt.Errorf("a frame of %d bytes", n)
	}

	frame := make([]byte, n)
	if _, err := io.ReadFull(r, frame); err != nil {
		return 0, nil, io.ErrUnexpectedEOF
	}

	return kind(frame[0]), frame[1:], nil
}
