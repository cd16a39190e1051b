package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// mode is one way in which an answer comes spoiled. Where a mode touches the text, the text it puts
// there holds the marker, which must stand in no export.
type mode struct {
	name  string
	kinds []string // of servers; nil is both
	ends  bool     // one such answer may end a run, or leave a tree unresolved
	lies  bool     // no client can tell it from a good one
	slow  bool     // it takes long, and is tried alone
	// when says which requests it is about; nil is all.
	when  func(request object) bool
	spoil func(a *spoiledAnswer)
}

// marker stands in every text that a mode made up.
const marker = "SPOILED"

// spoiledAnswer is a good answer, and the way to give another one.
type spoiledAnswer struct {
	w    http.ResponseWriter
	r    *http.Request
	kind string
	body []byte // of the good answer
}

// send sends a body with a status, and headers, which are names and values in turn.
func (a *spoiledAnswer) send(status int, body []byte, headers ...string) {
	a.w.Header().Set("Content-Type", "application/json")

	for i := 0; i+1 < len(headers); i += 2 {
		a.w.Header().Add(headers[i], headers[i+1])
	}

	a.w.WriteHeader(status)
	_, _ = a.w.Write(body)
}

// raw writes bytes in place of an answer, and closes the connection; reset resets it.
func (a *spoiledAnswer) raw(text string, reset bool) {
	conn, buffered, err := http.NewResponseController(a.w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer conn.Close()

	_, _ = buffered.WriteString(text)
	_ = buffered.Flush()

	if tcp, ok := conn.(*net.TCPConn); ok && reset {
		_ = tcp.SetLinger(0)
	}
}

// head is the beginning of a good answer with a length.
func head(length int) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", length)
}

// hang waits until the client goes away.
func (a *spoiledAnswer) hang() { <-a.r.Context().Done() }

// object is a JSON object.
type object = map[string]any

// edit sends the good answer changed.
func (a *spoiledAnswer) edit(change func(o object)) {
	var o object
	if err := json.Unmarshal(a.body, &o); err != nil {
		panic(err)
	}

	change(o)

	body, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}

	a.send(http.StatusOK, body)
}

// choices are the choices of an answer in OpenAI's protocol.
func choices(o object) []any { return o["choices"].([]any) }

// samples are the objects that hold a text: the choices, or Ollama's answer itself.
func samples(o object) []object {
	if _, ok := o["choices"]; !ok {
		return []object{o}
	}

	var all []object
	for _, c := range choices(o) {
		all = append(all, c.(object))
	}
	return all
}

// setText replaces the texts of the samples.
func setText(o object, change func(text string) any) {
	for _, s := range samples(o) {
		for _, name := range []string{"text", "response"} {
			if text, ok := s[name].(string); ok {
				s[name] = change(text)
			}
		}

		if message, ok := s["message"].(object); ok {
			message["content"] = change(message["content"].(string))
		}
	}
}

// mark puts the marker into the first thought of each text.
func mark(o object) {
	setText(o, func(text string) any { return "Thought: " + marker + strings.TrimPrefix(text, "Thought:") })
}

// statuses is a mode for each status.
func statuses(ends bool, all ...int) (modes []mode) {
	for _, status := range all {
		modes = append(modes, mode{name: "status " + strconv.Itoa(status), ends: ends, spoil: func(a *spoiledAnswer) {
			a.send(status, []byte(`{"error":{"message":"`+marker+`"}}`))
		}})
	}

	return modes
}

// retryAfters is a mode for each value of the header.
func retryAfters(values ...string) (modes []mode) {
	for _, value := range values {
		seconds, _ := strconv.ParseFloat(value, 64)
		name := fmt.Sprintf("429, to be retried after %.20q", value)
		modes = append(modes, mode{name: name, slow: seconds > 1, spoil: func(a *spoiledAnswer) {
			a.send(http.StatusTooManyRequests, []byte(`{"error":"slow down"}`), "Retry-After", value)
		}})
	}

	return modes
}

// bodies is a mode for each body that is not a completion.
func bodies(all map[string]string) (modes []mode) {
	for name, text := range all {
		body := []byte(text) // once: some are of many megabytes
		modes = append(modes, mode{name: "body: " + name, spoil: func(a *spoiledAnswer) {
			a.send(http.StatusOK, body)
		}})
	}

	return modes
}

// cutBodies is a mode for each share of the good answer that is left.
func cutBodies(shares ...float64) (modes []mode) {
	for _, share := range shares {
		part := func(a *spoiledAnswer) []byte { return a.body[:int(share*float64(len(a.body)-1))] }
		name := fmt.Sprintf(", %.0f %% of it", 100*share)
		modes = append(modes,
			mode{name: "cut" + name, spoil: func(a *spoiledAnswer) { a.send(http.StatusOK, part(a)) }},
			mode{
				name:  "closed" + name,
				spoil: func(a *spoiledAnswer) { a.raw(head(len(a.body))+string(part(a)), false) },
			},
			mode{
				name:  "reset" + name,
				spoil: func(a *spoiledAnswer) { a.raw(head(len(a.body))+string(part(a)), true) },
			},
		)
	}

	return modes
}

// raws is a mode for each text in place of HTTP.
func raws(all map[string]string) (modes []mode) {
	for name, text := range all {
		modes = append(modes, mode{name: "wire: " + name, spoil: func(a *spoiledAnswer) { a.raw(text, false) }})
	}
	return modes
}

// ended is a mode for each word for the end of a text that is not whole.
func ended(words ...any) (modes []mode) {
	for _, word := range words {
		modes = append(modes, mode{name: fmt.Sprintf("ended by %#v", word), spoil: func(a *spoiledAnswer) {
			a.edit(func(o object) {
				mark(o)

				for _, s := range samples(o) {
					s[map[string]string{kindOpenAI: "finish_reason", kindOllama: "done_reason"}[a.kind]] = word
				}
			})
		}})
	}

	return modes
}

// texts is a mode for each value in place of a text.
func texts(values ...any) (modes []mode) {
	for _, value := range values {
		modes = append(modes, mode{name: fmt.Sprintf("the text is %#v", value), spoil: func(a *spoiledAnswer) {
			a.edit(func(o object) { setText(o, func(string) any { return value }) })
		}})
	}

	return modes
}

// inText is a mode for each piece of JSON put into the texts, as it is.
func inText(lies bool, pieces map[string]string) (modes []mode) {
	for name, piece := range pieces {
		modes = append(modes, mode{
			name: "in the text: " + name,
			lies: lies,
			spoil: func(a *spoiledAnswer) {
				a.editMarked(func(body []byte) []byte {
					return bytes.ReplaceAll(body, []byte(marker),
						[]byte(marker+piece))
				})
			},
		})
	}

	return modes
}

// editMarked marks the texts, and changes the bytes of the answer.
func (a *spoiledAnswer) editMarked(change func(body []byte) []byte) {
	var o object
	if err := json.Unmarshal(a.body, &o); err != nil {
		panic(err)
	}

	mark(o)

	body, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}

	a.send(http.StatusOK, change(body))
}

// logProbs is a mode for each piece of JSON in place of the first log-probability.
func logProbs(pieces ...string) (modes []mode) {
	for _, piece := range pieces {
		modes = append(modes, mode{name: "log-probability " + piece, spoil: func(a *spoiledAnswer) {
			a.editMarked(func(body []byte) []byte {
				const stands = "-12345.5"
				var o object

				_ = json.Unmarshal(body, &o)
				for _, s := range samples(o) {
					spoilFirst(s["logprobs"], json.Number(stands))
				}

				body, _ = json.Marshal(o)
				return bytes.ReplaceAll(body, []byte(stands), []byte(piece))
			})
		}})
	}
	return modes
}

// spoilFirst sets the first log-probability, in any of the protocols' shapes.
func spoilFirst(figures any, value any) {
	switch f := figures.(type) {
	case []any: // Ollama's
		f[0].(object)["logprob"] = value
	case object:
		if list, ok := f["token_logprobs"].([]any); ok {
			list[0] = value
		}

		if list, ok := f["content"].([]any); ok {
			list[0].(object)["logprob"] = value
		}
	}
}

// edits is a mode for each change of an answer's JSON.
func edits(kind string, all map[string]func(o object)) (modes []mode) {
	for name, change := range all {
		m := mode{name: name, spoil: func(a *spoiledAnswer) { a.edit(change) }}
		if kind != "" {
			m.kinds = []string{kind}
		}

		modes = append(modes, m)
	}
	return modes
}

// zeros is a gzip of 256 MiB of zeros: one member, again and again.
var zeros = sync.OnceValue(func() []byte { return bytes.Repeat(gzipped(make([]byte, 1<<20)), 256) })

// spaces are 80 MiB of them.
var spaces = sync.OnceValue(func() []byte { return bytes.Repeat([]byte(" "), 80<<20) })

func gzipped(body []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(body)
	_ = z.Close()
	return b.Bytes()
}

// spoilingModes are all modes, in the order of their names.
var spoilingModes = sync.OnceValue(func() []mode {
	big := strings.Repeat("x", 1<<20)
	deep := strings.Repeat("[", 1_000_000)
	all := slices.Concat(
		statuses(false, 201, 202, 206, 408, 409, 425, 429, 500, 501, 502, 503, 504, 507, 508, 520, 522, 524, 529, 599),
		statuses(true, 300, 301, 302, 304, 307, 400, 401, 402, 403, 404, 405, 406, 410, 413, 415, 418, 422, 451),
		retryAfters("99999", "-1", "0.001", "soon", "Fri, 31 Dec 1999 23:59:59 GMT", "-1e300", "NaN", big[:1000]),
		bodies(map[string]string{
			"empty": "", "a list": "[]", "a number": "7", "null": "null", "an empty object": "{}", "NUL": "\x00",
			"a page":          "<html><body>" + marker + "</body></html>",
			"a text":          `"` + marker + `"`,
			"an event stream": "data: {\"choices\":[]}\n\ndata: [DONE]\n\n",
			"brackets":        deep, "an object of brackets": `{"choices":` + deep,
			"braces":            strings.Repeat(`{"a":`, 500_000),
			"very many choices": `{"choices":[{}` + strings.Repeat(",{}", 1_000_000) + `]}`,
			"a long field":      `{"id":"` + strings.Repeat(big, 80) + `"}`,
			"a long number":     `{"created":` + strings.Repeat("9", 1<<20) + `}`,
			"an error":          `{"error":{"message":"` + strings.Repeat("error ", 500_000) + `"}}`,
			"an error as text":  `{"error":"` + marker + `"}`,
		}),
		cutBodies(0, 0.3, 0.7, 1),
		raws(map[string]string{
			"nothing": "", "garbage": "\x16\x03\x01 not HTTP\r\n\r\n",
			"a status that is none":  "HTTP/1.1 OK 200\r\n\r\n",
			"a status of two digits": "HTTP/1.1 20 OK\r\n\r\n", "half a header": "HTTP/1.1 200 OK\r\nContent-Ty",
			"a malformed header":      "HTTP/1.1 200 OK\r\n" + strings.Repeat("no colon ", 1000) + "\r\n\r\n{}",
			"two lengths":             "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 7\r\n\r\n{}",
			"a negative length":       "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{}",
			"a wrong chunk":           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n",
			"no last chunk":           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
			"a header of 2 MB":        "HTTP/1.1 200 OK\r\nX: " + big + big + "\r\n\r\n{}",
			"very many headers":       "HTTP/1.1 200 OK\r\n" + strings.Repeat("X-Y: z\r\n", 300_000) + "\r\n{}",
			"only informational":      strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 20),
			"no content":              "HTTP/1.1 204 No Content\r\n\r\n",
			"nothing modified":        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
			"a length beyond reason":  "HTTP/1.1 200 OK\r\nContent-Length: 9999999999999999999\r\n\r\n{}",
			"terminal sequences":      "HTTP/1.1 502 \x1b]52;c;aGk=\x07\r\nContent-Length: 9\r\n\r\n\x1b[2J" + marker,
			"an HTTP/2 preface":       "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
			"a redirect without aim":  "HTTP/1.1 503 Moved\r\nContent-Length: 0\r\nLocation:\r\n\r\n",
			"a chunk of 2 exabytes":   "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1fffffffffffffff\r\n{}",
			"an unknown encoding":     "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 2\r\n\r\n\x0b\x02",
			"gzip that is none":       "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
			"a body after a bad gate": "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 7\r\n\r\n" + marker,
		}),
		ended(nil, "", "???", "content_filter", "abort", "error", "tool_calls", "STOP ", 7, object{}),
		texts(nil, "", " \n ", 7, []any{}, object{}, true),
		inText(false, map[string]string{
			"invalid UTF-8": "\xff\xfe", "an overlong slash": "\xc0\xaf",
			"a lone surrogate": `\ud800`, "a low surrogate": `\udfff`,
			"a raw control character": "\x01", "an unknown escape": `\q`,
		}),
		inText(true, map[string]string{
			"NUL": `\u0000`, "ESC": `\u001b[31m`, "OSC 52": `\u001b]52;c;aGk=\u0007`, "C1": `\u009b31m`,
		}),
		logProbs("0.5", "-1e308", "1e999", "NaN", "-Infinity", `"-1"`, "true", "{}", "1000000"),
		edits("", map[string]func(object){
			"another model":       func(o object) { mark(o); o["model"] = "other" },
			"a model of a number": func(o object) { o["model"] = 7 },
			"an error beside it":  func(o object) { mark(o); o["error"] = object{"message": "the engine died"} },
			"an error, as a text": func(o object) { mark(o); o["error"] = "the engine died" },
			"no texts": func(o object) {
				for _, s := range samples(o) {
					delete(s, "text")
					delete(s, "message")
					delete(s, "response")
				}
			},
			"no log-probabilities": func(o object) {
				mark(o)

				for _, s := range samples(o) {
					delete(s, "logprobs")
				}
			},
			"log-probabilities of nothing": func(o object) {
				mark(o)

				for _, s := range samples(o) {
					s["logprobs"] = []any{}
				}
			},
			"fields that nobody knows": func(o object) { o["new"] = []any{1, object{"a": nil}} },
			"no model":                 func(o object) { delete(o, "model") },
		}),
		edits(kindOpenAI, map[string]func(object){
			"no choices":            func(o object) { o["choices"] = []any{} },
			"choices that are null": func(o object) { o["choices"] = nil },
			"choices of an object":  func(o object) { o["choices"] = object{} },
			"a choice that is null": func(o object) { mark(o); choices(o)[0] = nil },
			"a choice that is text": func(o object) { mark(o); choices(o)[0] = marker },
			"one choice too few":    func(o object) { o["choices"] = choices(o)[1:] },
			"the last one missing":  func(o object) { o["choices"] = choices(o)[:len(choices(o))-1] },
			"reversed choices":      func(o object) { slices.Reverse(choices(o)) },
			"extra choices": func(o object) {
				o["choices"] = append(choices(o),
					extraChoice(o, len(choices(o))))
			},
			"an index twice": func(o object) { o["choices"] = append([]any{extraChoice(o, 0)}, choices(o)...) },
			"one index for all": func(o object) {
				mark(o)

				for _, s := range samples(o) {
					s["index"] = 0
				}

				o["choices"] = append(choices(o), extraChoice(o, 0))
			},
			"a negative index":   func(o object) { mark(o); samples(o)[0]["index"] = -1 },
			"an index beyond n":  func(o object) { mark(o); samples(o)[0]["index"] = 99 },
			"an index of a half": func(o object) { samples(o)[0]["index"] = 0.5 },
			"an index as text":   func(o object) { samples(o)[0]["index"] = "0" },
			"fewer figures":      func(o object) { mark(o); fewerFigures(o) },
			"figures of everything": func(
				o object) {
				mark(o)
				samples(o)[0]["logprobs"] = object{"token_logprobs": object{}}
			},
			"no usage": func(o object) { delete(o, "usage") },
			"usage below zero": func(o object) {
				o["usage"] = object{"prompt_tokens": -5,
					"completion_tokens": -5}
			},
			"usage as text":     func(o object) { o["usage"] = "much" },
			"usage of too much": func(o object) { o["usage"].(object)["prompt_tokens"] = 1 << 40 },
		}),
		edits(kindOllama, map[string]func(object){
			"not done":         func(o object) { mark(o); o["done"] = false },
			"done is missing":  func(o object) { mark(o); delete(o, "done") },
			"no done_reason":   func(o object) { mark(o); delete(o, "done_reason") },
			"only tokens":      func(o object) { o["response"] = ""; o["eval_count"] = 60 },
			"a count of texts": func(o object) { o["eval_count"] = fmt.Sprint(o["eval_count"]) },
			"more tokens":      func(o object) { mark(o); o["eval_count"] = 4000 },
			"fewer than none":  func(o object) { o["eval_count"] = -5 },
			"prompt of a text": func(o object) {
				o["prompt_eval_count"] = fmt.Sprint(o["prompt_eval_count"])
			},
			"figures as an object": func(o object) { mark(o); o["logprobs"] = object{} },
		}),
		[]mode{
			{name: "wire: switching protocols", ends: true, spoil: func(a *spoiledAnswer) {
				a.raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n{}", false)
			}},
			{name: "loaded only", kinds: []string{kindOllama}, ends: true, spoil: func(a *spoiledAnswer) {
				a.edit(func(o object) { o["response"], o["done_reason"] = "", "load" })
			}},
			{name: "a thought split off", kinds: []string{kindOllama}, lies: true, spoil: func(a *spoiledAnswer) {
				a.edit(func(o object) { o["thinking"] = "hm" })
			}},
			{name: "a full window", kinds: []string{kindOllama}, ends: true, spoil: func(a *spoiledAnswer) {
				a.edit(func(o object) { mark(o); o["prompt_eval_count"] = 32768 })
			}},
			{name: "silence", spoil: func(a *spoiledAnswer) {
				a.edit(func(o object) {
					delete(o, "usage")
					o["eval_count"] = 1
					setText(o, func(string) any { return "" })

					for _, s := range samples(o) {
						delete(s, "logprobs")
					}
				})
			}},
			{name: "a stream", kinds: []string{kindOllama}, spoil: func(a *spoiledAnswer) {
				a.send(200, append([]byte(`{"model":"sim","response":"","done":false}`+"\n"), a.body...))
			}},
			{name: "a stream without an end", kinds: []string{kindOllama}, spoil: func(a *spoiledAnswer) {
				a.send(200, bytes.Repeat([]byte(`{"model":"sim","response":"`+marker+`","done":false}`+"\n"), 100))
			}},
			{name: "more after the end", spoil: func(a *spoiledAnswer) {
				a.send(200, append(slices.Clone(a.body), "\n"+`{"response":"`+marker+`"}`...))
			}},
			{name: "garbage after the end", spoil: func(a *spoiledAnswer) {
				a.send(200, append(slices.Clone(a.body), "\x00garbage"...))
			}},
			{name: "the choices twice", kinds: []string{kindOpenAI}, spoil: func(a *spoiledAnswer) {
				a.editMarked(func(marked []byte) []byte { // the good ones first, and then spoiled ones
					return append(append(bytes.TrimSuffix(slices.Clone(a.body), []byte("}")), ','), marked[1:]...)
				})
			}},
			{name: "a byte order mark", spoil: func(a *spoiledAnswer) {
				a.send(200, append([]byte("\xef\xbb\xbf"), a.body...))
			}},
			{name: "early hints first", spoil: func(a *spoiledAnswer) {
				a.w.WriteHeader(http.StatusEarlyHints)
				a.send(200, a.body)
			}},
			{name: "as plain text", spoil: func(a *spoiledAnswer) {
				a.w.Header().Set("Content-Type", "text/plain")
				_, _ = a.w.Write(a.body)
			}},
			{
				name:  "compressed",
				spoil: func(a *spoiledAnswer) { a.send(200, gzipped(a.body), "Content-Encoding", "gzip") },
			},
			{name: "half of it compressed", spoil: func(a *spoiledAnswer) {
				body := gzipped(a.body)
				a.send(200, body[:len(body)/2], "Content-Encoding", "gzip")
			}},
			{name: "a gzip bomb", spoil: func(a *spoiledAnswer) { a.send(200, zeros(), "Content-Encoding", "gzip") }},
			{name: "a gzip bomb as an error", spoil: func(a *spoiledAnswer) {
				a.send(500, zeros(), "Content-Encoding", "gzip")
			}},
			{name: "in drops", spoil: func(a *spoiledAnswer) {
				for chunk := range slices.Chunk(a.body, 1+len(a.body)/20) {
					_, _ = a.w.Write(chunk)
					_ = http.NewResponseController(a.w).Flush()
				}
			}},
			{
				name:  "spaces without an end",
				spoil: func(a *spoiledAnswer) { a.send(200, spaces()) },
			},
			{name: "hanging", slow: true, spoil: (*spoiledAnswer).hang},
			{name: "hanging after the header", slow: true, spoil: func(a *spoiledAnswer) {
				a.w.WriteHeader(200)
				_ = http.NewResponseController(a.w).Flush()
				a.hang()
			}},
			{name: "hanging in the middle", slow: true, spoil: func(a *spoiledAnswer) {
				_, _ = a.w.Write(a.body[:len(a.body)/2])
				_ = http.NewResponseController(a.w).Flush()
				a.hang()
			}},
			{name: "an answer nobody asked for", spoil: func(a *spoiledAnswer) {
				conn, buffered, err := http.NewResponseController(a.w).Hijack()
				if err != nil {
					panic(http.ErrAbortHandler)
				}
				defer conn.Close()

				_, _ = buffered.WriteString(head(len(a.body)) + string(a.body) + head(len(a.body)) + string(a.body))
				_ = buffered.Flush()
				_ = conn.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
				_, _ = io.Copy(io.Discard, conn)
			}},
		},
	)
	slices.SortFunc(all, func(x, y mode) int { return strings.Compare(x.name, y.name) })

	return all
})

// extraChoice is a choice beside the good ones.
func extraChoice(o object, index int) any {
	extra := object{}
	for name, value := range samples(o)[0] {
		extra[name] = value
	}

	extra["index"] = index
	if text, ok := extra["text"].(string); ok {
		extra["text"] = "Thought: " + marker + strings.TrimPrefix(text, "Thought:")
	}
	return extra
}

// fewerFigures leaves the first log-probability of each sample.
func fewerFigures(o object) {
	for _, s := range samples(o) {
		figures, ok := s["logprobs"].(object)
		if !ok {
			continue
		}

		for _, name := range []string{"token_logprobs", "content"} {
			if list, ok := figures[name].([]any); ok {
				figures[name] = list[:1]
			}
		}
	}
}
