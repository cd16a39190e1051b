package memo

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"
)

// TestMemo holds that a memo computes a text once, as long as it has room, and that it has a bound.
func TestMemo(t *testing.T) {
	var m Memo[int]
	computed := 0

	length := func(text string) int { computed++; return len(text) }
	for range 3 {
		if n := m.Get("three", length); n != 5 || computed != 1 {
			t.Errorf("%d, computed %d times", n, computed)
		}
	}

	for i := range 5 * size {
		text := fmt.Sprint(i)
		if n := m.Get(text, length); n != len(text) {
			t.Fatalf("%s has %d bytes of %d", text, n, len(text))
		}
	}

	kept := 0

	m.values.Range(func(any, any) bool { kept++; return true })

	if kept > size {
		t.Errorf("%d texts are remembered, at most %d wanted", kept, size)
	}
}

// TestMemoKeepsNoPrompt asks about a part of a long text: neither the memo nor what is computed
// holds the whole of it.
func TestMemoKeepsNoPrompt(t *testing.T) {
	var m Memo[string]
	prompt := strings.Repeat("a long prompt ", 100)
	question := prompt[5:9]

	same := func(text string) string { return text }
	if got := m.Get(question, same); got != question || unsafe.StringData(got) == unsafe.StringData(question) {
		t.Errorf("%q is computed of a part of the prompt itself", got)
	}

	m.values.Range(func(key, _ any) bool {
		if unsafe.StringData(key.(string)) == unsafe.StringData(question) {
			t.Error("the key is a part of the prompt")
		}
		return true
	})
}
