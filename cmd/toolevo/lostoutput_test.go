package main

import (
	"bytes"
	"io/fs"
	"strings"
	"syscall"
	"testing"
)

// Output that cannot be written fails a command, also where only its beginning was lost: on a disk
// that is full for a moment.
func TestLostOutput(t *testing.T) {
	t.Parallel()

	for _, command := range []string{"versions list", "versions list --json", "collect --help"} {
		var out, words bytes.Buffer

		a, full := on(&words), true
		a.Out = writerFunc(func(text []byte) (int, error) {
			if full {
				full = false
				return 0, &fs.PathError{Op: "write", Path: "out", Err: syscall.ENOSPC}
			}
			return out.Write(text)
		})

		code := a.run(t.Context(), strings.Fields(command))
		if code != exitGaveUp || out.Len() > 0 {
			t.Errorf("%s: exit %d\n%s", command, code, &out)
		}

		// It is said once, whether or not the command returned the error, too.
		if text := words.String(); strings.Count(text, "no space left") != 1 {
			t.Errorf("%s: %s", command, text)
		}

		says(t, command, words.String(), "disk is full")
	}
}
