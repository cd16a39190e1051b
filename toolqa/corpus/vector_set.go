package corpus

import (
	"math/bits"
)

// Set is a set of a column's codes. Bit i%64 of word i/64 is that of code i.
type Set []uint64

// Has reports whether a code is in the set.
func (s Set) Has(code int) bool { return s[code>>6]>>(code&63)&1 == 1 }

// Len returns the number of codes in the set.
func (s Set) Len() int {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// Filter returns the codes of the words that keep holds for.
func (v *Vector) Filter(keep func(word string) bool) Set {
	return v.FilterCodes(func(code int) bool { return keep(v.words[code]) })
}

// FilterCodes returns the codes that keep holds for.
func (v *Vector) FilterCodes(keep func(code int) bool) Set {
	set := make(Set, (len(v.words)+63)/64)
	for code := range v.words {
		if keep(code) {
			set[code>>6] |= 1 << (code & 63)
		}
	}

	return set
}

// MatchSet is Match for the rows whose code is in a set.
func (v *Vector) MatchSet(dst []uint64, set Set) int {
	switch {
	case v.codes8 != nil:
		return matchSet(dst, v.codes8, set)
	case v.codes16 != nil:
		return matchSet(dst, v.codes16, set)
	default:
		return matchSet(dst, v.codes32, set)
	}
}

func matchSet[C code](dst []uint64, codes []C, set Set) int {
	n := 0

	for w := 0; len(codes) > 0; w++ {
		chunk := codes[:min(64, len(codes))]
		codes = codes[len(chunk):]

		var word uint64
		for i, c := range chunk {
			word |= set[c>>6] >> (c & 63) & 1 << i
		}

		dst[w] = word
		n += bits.OnesCount64(word)
	}
	return n
}
