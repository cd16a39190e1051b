package doctor

import (
	"fmt"
	"regexp"
	"strconv"
)

// weights are those of a model, as far as the server tells.
type weights struct {
	parameters int64
	bits       int // of a parameter
}

// Bounds of the bandwidth at which weights are read; the package's comment says why.
const (
	slowest    = 2e9 // bytes/s below which a server is told of
	fastEnough = 20  // tokens/s from which it is not
)

// tooSlow reports whether so many tokens a second are far fewer than what a machine that runs the model should write.
// Of weights that are not known it says nothing.
func (w weights) tooSlow(perSecond float64) bool {
	return w.bytes() > 0 && perSecond < fastEnough && perSecond*w.bytes() < slowest
}

func (w weights) bytes() float64 { return float64(w.parameters) * float64(w.bits) / 8 }

func (w weights) String() string {
	return fmt.Sprintf("%.3g billion parameters of %d bits, %s", float64(w.parameters)/1e9, w.bits,
		gigabytes(w.bytes()))
}

// gigabytes are bytes in two digits.
func gigabytes(bytes float64) string { return fmt.Sprintf("%.2g GB", bytes/1e9) }

var firstNumber = regexp.MustCompile("[0-9]+")

// bitsOf is how many bits a parameter has under a name of llama.cpp's for it: Q4_K_M, IQ3_XS, F16, MXFP4. The scales
// that blocks of parameters share are not counted. It is 0 for a name without a number.
func bitsOf(quantization string) int {
	n, _ := strconv.Atoi(firstNumber.FindString(quantization))
	return n
}
