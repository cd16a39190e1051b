package mcts

import (
	"encoding/binary"
	"errors"
	"math"
)

// TokenIDs are the tokens that a model read and wrote for a sample, by their ids in its vocabulary.
type TokenIDs struct {
	Prompt   []int
	Sampled  []int     // all of them, including those that only ended the text
	LogProbs []float64 // of Sampled, in the precision of 32 bits; nil where the server gave none

	// Whole says that the proposal's text is all that was sampled, but for what ended it.
	Whole bool
}

// ErrTokenIDs is the error of a text that does not hold packed ids.
var ErrTokenIDs = errors.New("packed token ids cannot be read")

// PackIDs returns ids as a text of uvarints, of which [UnpackIDs] is the inverse.
func PackIDs(ids []int) string {
	packed := make([]byte, 0, 3*len(ids))
	for _, id := range ids {
		packed = binary.AppendUvarint(packed, uint64(id))
	}
	return string(packed)
}

// UnpackIDs reads what PackIDs wrote.
func UnpackIDs(packed string) (ids []int, err error) {
	for b := []byte(packed); len(b) > 0; {
		id, n := binary.Uvarint(b)
		if n <= 0 || id > math.MaxInt32 {
			return nil, ErrTokenIDs
		}

		ids, b = append(ids, int(id)), b[n:]
	}
	return ids, nil
}

// PackSampled returns what was sampled as a text: how many log-probabilities there are and whether
// the text is whole, these, 4 bytes each, and the ids.
func (t *TokenIDs) PackSampled() string {
	head := uint64(len(t.LogProbs)) << 1
	if t.Whole {
		head |= 1
	}

	packed := binary.AppendUvarint(nil, head)
	for _, l := range t.LogProbs {
		packed = binary.LittleEndian.AppendUint32(packed, math.Float32bits(float32(l)))
	}
	return string(packed) + PackIDs(t.Sampled)
}

// UnpackSampled reads what PackSampled wrote.
func (t *TokenIDs) UnpackSampled(packed string) (err error) {
	head, n := binary.Uvarint([]byte(packed))
	figures := head >> 1

	if n <= 0 || figures > uint64(len(packed)-n)/4 {
		return ErrTokenIDs
	}

	t.Whole, t.LogProbs, packed = head&1 > 0, nil, packed[n:]
	for ; figures > 0; figures-- {
		bits := binary.LittleEndian.Uint32([]byte(packed[:4]))
		t.LogProbs, packed = append(t.LogProbs, float64(math.Float32frombits(bits))), packed[4:]
	}

	t.Sampled, err = UnpackIDs(packed)
	return err
}
