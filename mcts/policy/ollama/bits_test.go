package ollama

import "testing"

func TestBitsOf(t *testing.T) {
	t.Parallel()

	for name, want := range map[string]int{
		"Q4_K_M": 4, "Q4_1": 4, "Q8_0": 8, "IQ3_XS": 3, "MXFP4": 4, "F16": 16, "BF16": 16, "F32": 32,
		"unknown": 0, "": 0,
	} {
		if got := bitsOf(name); got != want {
			t.Errorf("a parameter of %q has %d bits, want %d", name, got, want)
		}
	}
}
