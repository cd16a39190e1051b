package export

import (
	"fmt"

	"toolevo/envs"
	"toolevo/envs/disk"
	"toolevo/trajectories/internal/bpe"
)

// Tokenizer counts the tokens of text as the tokenizer.json of a model does. It is safe for
// concurrent use.
type Tokenizer struct {
	bpe    *bpe.Tokenizer
	sha256 string
}

// LoadTokenizer reads the tokenizer.json of a byte-level BPE tokenizer (Llama 3, Qwen, GPT-2,
// SmolLM2). Another kind is an error that names what is not supported.
func LoadTokenizer(path string) (*Tokenizer, error) {
	data, err := disk.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("export: load tokenizer: %w: name the tokenizer.json of the model",
			err)
	}

	t, err := bpe.Parse(data)
	if err != nil {
		return nil, fmt.Errorf("export: load tokenizer %s: %w", path, err)
	}
	return &Tokenizer{bpe: t, sha256: envs.SHA256(data)}, nil
}

// Count returns the number of tokens of a text, without any that mark its beginning or end.
func (t *Tokenizer) Count(text string) int { return t.bpe.Count(text) }

// SHA256 returns the hash of the tokenizer's file, in hexadecimal.
func (t *Tokenizer) SHA256() string { return t.sha256 }
