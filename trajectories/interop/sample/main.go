// Command sample writes a small synthetic export and trajectories file, for the interop checks beside it:
//
//	go run ./trajectories/interop/sample DIR
//
// run in the repository root, makes DIR/export (its tokens counted with the small Llama 3 tokenizer of the
// tests) and DIR/trajectories.parquet. The texts are synthetic and say so nowhere but here.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"toolevo/trajectories"
	"toolevo/trajectories/export"
	"toolevo/trajectories/internal/synth"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: sample DIR")
		os.Exit(2)
	}

	if err := write(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "sample:", err)
		os.Exit(1)
	}
}

func write(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}

	file := filepath.Join(dir, "trajectories.parquet")
	if _, err := trajectories.WriteFile(ctx, file, trajectories.Sorted(synth.Rows(1, 40, 3))); err != nil {
		return err
	}

	tokenizer, err := export.LoadTokenizer(filepath.FromSlash("trajectories/internal/bpe/testdata/llama3.json"))
	if err != nil {
		return err
	}

	_, err = export.Write(ctx, filepath.Join(dir, "export"), trajectories.ReadFile(file),
		export.Options{
			Selection: export.Selection{PerQuestion: 4, Split: "train"},
			Shown:     synth.Shown,
			Tokenizer: tokenizer,
			Template:  "llama3",
			Software:  "sample",
		})

	return err
}
