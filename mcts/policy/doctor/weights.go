package doctor

import "fmt"

// weights are those of a model, as far as the server reports them.
type weights struct {
	parameters int64
	bits       int // of a parameter
}

// Bounds of the bandwidth at which weights are read; the package's comment says why.
const (
	slowest    = 2e9 // bytes/s below which a server is reported
	fastEnough = 20  // tokens/s from which it is not
)

// tooSlow reports whether a number of tokens a second is far below what a machine that runs the
// model should write. It is false if the weights are not known.
func (w weights) tooSlow(perSecond float64) bool {
	return w.bytes() > 0 && perSecond < fastEnough && perSecond*w.bytes() < slowest
}

func (w weights) bytes() float64 { return float64(w.parameters) * float64(w.bits) / 8 }

func (w weights) String() string {
	return fmt.Sprintf("%.3g billion parameters of %d bits, %s", float64(w.parameters)/1e9, w.bits,
		gigabytes(w.bytes()))
}

// gigabytes writes bytes in two digits.
func gigabytes(bytes float64) string { return fmt.Sprintf("%.2g GB", bytes/1e9) }
