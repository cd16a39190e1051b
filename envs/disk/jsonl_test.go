package disk

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// A list and its elements one after another are the same values. Whatever ends the text too early
// is an error behind the values before it.
func TestValues(t *testing.T) {
	t.Parallel()

	errBroken := errors.New("the disk is broken")

	for text, test := range map[string]struct {
		want  []int
		wrong bool
	}{
		"":                {nil, false},
		" \n":             {nil, false},
		"1":               {[]int{1}, false},
		"\r\n\t 1\n\n2\n": {[]int{1, 2}, false},
		" [] ":            {nil, false},
		"\n[1, 2] ":       {[]int{1, 2}, false},
		"[":               {nil, true},
		"[1, 2":           {[]int{1, 2}, true},
		"[1, ":            {[]int{1}, true},
		"[1, ]":           {[]int{1}, true},
		"[1 2]":           {[]int{1}, true},
		"[1}":             {[]int{1}, true},
		"1\n]":            {[]int{1}, true},
		"1\n{":            {[]int{1}, true},
		"1 \"a\" 2":       {[]int{1}, true},
		"[1]\n[2]":        {[]int{1}, true},
		"[1] 2":           {[]int{1}, true},
		"[1]]":            {[]int{1}, true},
		"[] x":            {nil, true},
	} {
		got, err := valuesOf(strings.NewReader(text))
		if !slices.Equal(got, test.want) || (err != nil) != test.wrong || err == io.EOF {
			t.Errorf("%q: %v, %v, want %v", text, got, err, test.want)
		}
	}

	// A failure to read is no end, wherever it comes.
	for _, text := range []string{"", " ", "1\n", "[", "[1", "[1, ", "[1]"} {
		broken := io.MultiReader(strings.NewReader(text), iotest.ErrReader(errBroken))
		if _, err := valuesOf(broken); !errors.Is(err, errBroken) {
			t.Errorf("%q on a broken disk: %v", text, err)
		}
	}

	for v := range Values[int](strings.NewReader("[1, 2, x")) {
		if v == 2 {
			break
		}
	}
}

func valuesOf(r io.Reader) (values []int, wrong error) {
	for v, err := range Values[int](r) {
		if err != nil {
			return values, err
		}

		values = append(values, v)
	}
	return values, nil
}
