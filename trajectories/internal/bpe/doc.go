// Package bpe counts and encodes text as a byte-level BPE tokenizer does, from the tokenizer.json
// that Hugging Face tokenizers write (Llama 3, Qwen 2 to 3.5, GPT-2, SmolLM2 read from GGUF, and
// models made like them).
//
// # Guarantees
//
// The ids are those of tokenizers.Tokenizer.encode(text, add_special_tokens=False): added tokens in
// the text become single ids, the rest is normalised (NFC or nothing), split by the model's
// pattern, and merged. Time is O(n log n) in the length of the text, whatever the text.
//
// # Caveats
//
// The split patterns are a closed list, as Go's regexp has no lookahead; the one place that needs
// it is emulated. A tokenizer.json with another model type, pattern or normaliser is an error that
// says so; a count that might be wrong is never given. Post-processors and truncation settings are
// ignored: the caller renders the chat template.
//
// Ollama's tokenizer cannot replace this one: it makes merges of one rank in no fixed order, so its
// ids differ.
package bpe
