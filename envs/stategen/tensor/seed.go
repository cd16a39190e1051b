package tensor

// levels are the elements of the sixteen hexadecimal digits.
var levels = func() (all [16]float32) {
	for digit := range all {
		all[digit] = float32(2*digit-15) / 16
	}
	return all
}()

// mostSixteenths is the absolute value of the largest element, in sixteenths.
const mostSixteenths = 15

// elements returns the first n elements of a seed: the hexadecimal digits of SplitMix64's outputs.
//
//go:norace
func elements(seed uint32, n int) []float32 {
	data := make([]float32, n)
	state := uint64(seed)

	for rest := data; len(rest) > 0; {
		state += 0x9e3779b97f4a7c15

		z := state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		z ^= z >> 31

		block := rest[:min(16, len(rest))]
		for i := range block {
			block[i] = levels[z>>(4*i)&15]
		}

		rest = rest[len(block):]
	}
	return data
}
