package simserver

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"toolevo/mcts"
)

// exchange is one request for completions and its answer.
type exchange struct {
	s     *Server
	w     http.ResponseWriter
	r     *http.Request
	body  []byte
	fault Fault
}

// native reports whether the request speaks Ollama's own protocol.
func (x *exchange) native() bool { return strings.HasPrefix(x.r.URL.Path, "/api/") }

// fail injects the faults that come instead of an answer, and reports whether it did.
func (x *exchange) fail() bool {
	// None of these reaches the engine: they take no slot and no time.
	switch x.fault {
	case InternalError:
		x.refuse(http.StatusInternalServerError, "EngineCore encountered an issue. See stack trace (above) for "+
			"the root cause.", "")
	case BadGateway:
		x.w.Header().Set("Content-Type", "text/html")
		x.w.WriteHeader(http.StatusBadGateway)
		io.WriteString(x.w, "<html><head><title>502 Bad Gateway</title></head><body>bad gateway</body></html>\n")
	case Unavailable:
		x.retryAfter()
		x.full()
	case TooMany:
		x.retryAfter()
		x.refuse(http.StatusTooManyRequests, "Too many requests, please slow down.", "")
	case Hang:
		// Returning instead of the panic would have net/http send an empty 200.
		<-x.r.Context().Done()
		panic(http.ErrAbortHandler)
	case Flap:
		x.s.goDown()
		reset(x.w, nil)
	case Die:
		x.s.die()
		panic(http.ErrAbortHandler)
	default:
		return false
	}

	return true
}

// full refuses a request because too much is waiting.
func (x *exchange) full() {
	text := "The server is overloaded: too many requests are waiting. Please retry later."
	if x.native() {
		text = "server busy, please try again.  maximum pending requests exceeded"
	}

	x.refuse(http.StatusServiceUnavailable, text, "")
}

func (x *exchange) retryAfter() {
	if d := x.s.o.Faults.RetryAfter; d > 0 {
		x.w.Header().Set("Retry-After", strconv.Itoa(int((d+time.Second-1)/time.Second)))
	}
}

// refuse answers with an error in the words of the protocol: nested for OpenAI's, flat for
// Ollama's.
func (x *exchange) refuse(status int, text, param string) {
	x.refuseAs(status, errorTypes[status], text, param)
}

// refuseAs is refuse with vLLM's name of the error.
func (x *exchange) refuseAs(status int, kind, text, param string) {
	switch {
	case x.native():
		writeJSON(x.w, status, map[string]string{"error": text})
	case x.s.o.llamaCpp():
		writeJSON(x.w, status, llamaCppError(status, text))
	default:
		writeJSON(x.w, status, errorBody(status, kind, text, param))
	}
}

// errorTypes are vLLM's names of its errors.
var errorTypes = map[int]string{
	http.StatusBadRequest: "BadRequestError", http.StatusNotFound: "NotFoundError",
	http.StatusTooManyRequests: "TooManyRequestsError", http.StatusInternalServerError: "InternalServerError",
	http.StatusServiceUnavailable: "ServiceUnavailableError",
}

// errorBody is vLLM's envelope. An empty param is null.
func errorBody(status int, kind, text, param string) any {
	var p any
	if param != "" {
		p = param
	}
	return map[string]any{"error": map[string]any{"message": text, "type": kind, "param": p, "code": status}}
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"error":"the answer cannot be written"}`)
	}

	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	w.WriteHeader(status)
	w.Write(data)
}

// answer sends an answer as JSON, in the way the exchange's fault wants it.
func (x *exchange) answer(contentType string, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		x.refuse(http.StatusInternalServerError, err.Error(), "")
		return
	}

	switch x.fault {
	case Garbage:
		data = append([]byte("\x00"), data[:len(data)/2]...)
	case Reset:
		reset(x.w, data)
		return
	}

	x.s.engine.count(func(st *Stats) { st.Answered++ })
	x.w.Header().Set("Content-Type", contentType)
	x.w.Header().Set("Content-Length", strconv.Itoa(len(data)))

	if x.fault == Drip {
		x.drip(data)
		return
	}

	x.w.Write(data)
}

// dripBytes is how much of an answer Drip sends at a time.
const dripBytes = 16

func (x *exchange) drip(data []byte) {
	tick := x.s.o.scaled(x.s.o.Faults.DripEvery)
	control := http.NewResponseController(x.w)

	for len(data) > 0 {
		n := min(dripBytes, len(data))
		if _, err := x.w.Write(data[:n]); err != nil {
			return
		}

		data = data[n:]

		if control.Flush() == nil && tick > 0 && mcts.Wait(x.r.Context(), tick) != nil {
			panic(http.ErrAbortHandler)
		}
	}
}

// reset sends the header and the first half of an answer, or nothing without one, and resets the
// connection.
func reset(w http.ResponseWriter, data []byte) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer conn.Close()

	if tcp, ok := conn.(*net.TCPConn); ok && data == nil {
		tcp.SetLinger(0)
	}

	if data != nil {
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "+
			strconv.Itoa(len(data))+"\r\n\r\n")
		conn.Write(data[:len(data)/2])
	}
}

// goDown begins a Flap.
func (s *Server) goDown() {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.down, s.upAt = true, time.Time{}
	if d := s.o.scaled(s.o.Faults.DownFor); d > 0 {
		s.upAt = time.Now().Add(d)
	}
}

// die kills the server, and lets it come back if a time for that is set.
func (s *Server) die() {
	s.Kill()
	s.mu.Lock()
	defer s.mu.Unlock()

	if d := s.o.scaled(s.o.Faults.DownFor); d > 0 && !s.closed {
		s.revival = time.AfterFunc(d, func() { _ = s.Revive() }) // a port that was taken meanwhile stays refused
	}
}
