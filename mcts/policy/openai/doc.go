// Package openai is the backend for servers that speak the OpenAI completions and chat completions
// protocols: vLLM, and others that are compatible with it. An [Embedder] asks such a server for the
// vectors of texts.
//
// # Words
//
// A slot is the place of one prompt in llama.cpp; see the package server. An extension is a field
// of a request that vLLM knows and the original protocol does not: top_k, min_p,
// repetition_penalty, include_stop_str_in_output, add_special_tokens. A transcript is a reply with
// what the protocol has beyond a [server.Reply]: the tokens, and what stopped each choice.
//
// # Guarantees
//
//   - Every sampling parameter that the server takes is sent in every request, zeros included:
//     neither the server's defaults nor those in a model's generation_config.json apply. One that
//     cannot be sent is refused unless it is off, never dropped. A [server.Dialect] may leave
//     parameters out; stop texts that are left out are cut from the samples here.
//   - One request draws all samples. At temperature 0 all samples are one text, and vLLM refuses to
//     draw it twice: one is drawn, and repeated.
//   - Log-probabilities are those of the sampled tokens, as float64, as the server reports them.
//   - A reply counts only when every sample says that it ended, and when it can be what a model
//     wrote: text where tokens are reported, log-probabilities at most 0 and of all tokens, indices
//     that are each one choice's or all the same, whole characters, and no error beside the
//     choices. Any other is a transient fault. What is no part of a sample, such as the usage,
//     spoils no reply: what cannot be read of it is not known.
//   - Every error of a request is a [server.Fault] or the context's own error. No key, wherever it
//     came from (the options, the credentials in an address, a server that echoes it), occurs in an
//     error.
//   - Replies are read piece by piece, up to a bound on their bytes after decompression that the
//     request sets, and on their choices.
//
// # Caveats
//
// Servers ignore fields they do not know. vLLM accepts unknown fields in silence; a server that
// ignores n gives fewer choices, one that ignores logprobs gives none. Without the extensions, vLLM
// takes those it is not sent from the model's generation_config.json, unless it is started with
// --generation-config vllm. vLLM reports log-probabilities before temperature and penalties, unless
// it is started with --logprobs-mode processed_logprobs, and those of the stop text's tokens too.
// Ollama's endpoints under /v1 apply the model's chat template to a raw prompt and cut one that is
// too long in silence: use the package ollama beside this one for it.
//
// The types are not those of go-openai: its requests leave out what is zero, and its replies lack
// what stopped a text.
package openai
