package code

import (
	"testing"
)

// BenchmarkGrade grades the toy's reference: two cases, nine runs.
func BenchmarkGrade(b *testing.B) {
	g := toyGrader(b)

	for b.Loop() {
		if v, err := g.Grade(b.Context(), toyTask(), toyProgram); err != nil || !v.Passed() {
			b.Fatal(v, err)
		}
	}
}
