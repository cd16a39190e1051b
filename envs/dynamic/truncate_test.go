package dynamic

import (
	"strings"
	"testing"
)

func TestTruncateWords(t *testing.T) {
	tests := []struct {
		in    string
		limit int
		want  string
	}{
		{"a  b\nc", 3, "a  b\nc"},
		{"a  b\nc  \n", 3, "a  b\nc  \n"},
		{"a  b\nc d", 3, "a b c ..."},
		{" a\x1cb\u3000c d ", 3, "a b c ..."},
		{"", 1, ""},
		{strings.Repeat("x", 100), 1, strings.Repeat("x", 100)},
		{"one two", 1, "one ..."},
		{"a b", 1, "a ..."},
	}
	for _, tt := range tests {
		if got := truncateWords(tt.in, tt.limit); got != tt.want {
			t.Errorf("truncateWords(%q, %d) = %q, want %q", tt.in, tt.limit, got, tt.want)
		}
	}
}
