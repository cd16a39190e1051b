package wasi

import "encoding/json"

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

// pack returns a frame of package worker: its first byte is the kind.
func pack(k kind, payload []byte) []byte { return append([]byte{byte(k)}, payload...) }

// unpack takes a frame apart that was received, if it was.
func unpack(frame []byte, err error) (kind, []byte, error) {
	switch {
	case err != nil:
		return 0, nil, err
	case len(frame) == 0:
		return 0, nil, errOutOfTurn
	}

	return kind(frame[0]), frame[1:], nil
}
