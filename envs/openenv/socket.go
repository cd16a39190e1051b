package openenv

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/coder/websocket"
)

const (
	// mostFrame is how many bytes of a frame are read: OpenEnv's own clients send no more.
	mostFrame = 100 << 20
	// writeTime is how long a client may take to read an answer.
	writeTime = time.Minute
)

// frame is what a client sent.
type frame struct {
	text  []byte
	large bool // more than the limit, and thrown away
}

// socket serves a session.
func (s *Server) socket(w http.ResponseWriter, r *http.Request) {
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		CompressionMode: websocket.CompressionDisabled,
	})
	if err != nil {
		return // the client was told
	}
	defer conn.CloseNow()

	// A client can only be told over an open connection, so the limit comes after it.
	if full := s.enter(); full != nil {
		s.dismiss(r.Context(), conn, full)
		return
	}
	defer s.exit()

	conn.SetReadLimit(mostFrame)

	ctx, cancel := context.WithCancel(r.Context())
	unlink := context.AfterFunc(s.stopped, cancel)
	defer unlink()

	c := &session{s: s}
	frames, ended := s.read(ctx, cancel, conn)

	// A session ends only when nothing reads its connection any more.
	defer func() {
		cancel()
		<-ended
	}()

	told := s.converse(ctx, conn, c, frames)

	// A reply that could not be sent because the server ends says nothing about the client.
	if told == nil && s.stopped.Err() != nil {
		told = errStopping
	}

	if told != nil {
		// The server may have ended ctx, and the client has to read why. Its episode is not
		// recorded.
		s.dismiss(context.WithoutCancel(ctx), conn, told)
		return
	}

	if err := c.leave(ctx); err != nil {
		s.o.Log.Error("an episode was not recorded", "error", err)
	}

	_ = conn.Close(websocket.StatusNormalClosure, "")
}

// read reads the frames of a connection until it or ctx ends. It goes on reading while a frame is
// answered, since otherwise pings of the client would get no answer. It cancels when the client is
// gone.
func (s *Server) read(ctx context.Context, cancel func(), conn *websocket.Conn) (<-chan frame, <-chan struct{}) {
	frames, ended := make(chan frame), make(chan struct{})

	go func() {
		defer close(ended)
		defer cancel()

		for {
			f, err := s.readFrame(ctx, conn)
			if err != nil {
				return
			}

			select {
			case frames <- f:
			case <-ctx.Done():
				return
			}
		}
	}()

	return frames, ended
}

func (s *Server) readFrame(ctx context.Context, conn *websocket.Conn) (f frame, err error) {
	_, r, err := conn.Reader(ctx)
	if err != nil {
		return f, err
	}

	if f.text, err = io.ReadAll(io.LimitReader(r, s.o.MaxBytes+1)); err != nil {
		return f, err
	}

	if int64(len(f.text)) > s.o.MaxBytes {
		f = frame{large: true}
		_, err = io.Copy(io.Discard, r)
	}
	return f, err
}

// converse answers frames until the session ends. It returns why, for the client, or nil if the
// client itself has ended it.
func (s *Server) converse(ctx context.Context, conn *websocket.Conn, c *session, frames <-chan frame) *Error {
	for {
		f, told := s.next(ctx, c, frames)
		if told != nil {
			return told
		}

		if ctx.Err() != nil {
			return nil
		}

		reply, ends := s.reply(ctx, c, f)
		if ends || send(ctx, conn, reply) != nil {
			return nil
		}
	}
}

// next waits for a frame, or for a reason why the server ends the session. If ctx has ended, there
// may be neither.
func (s *Server) next(ctx context.Context, c *session, frames <-chan frame) (f frame, told *Error) {
	idle := time.NewTimer(s.o.Idle)
	defer idle.Stop()

	stopping := s.stopping
	if c.episode != nil && !c.over() {
		stopping = nil // its episode may go on to its end
	}

	select {
	case f = <-frames:
	case <-stopping:
		told = errStopping
	case <-idle.C:
		told = &Error{Code: SessionError, Message: fmt.Sprintf("nothing was said for %v", s.o.Idle)}
	case <-ctx.Done():
		if s.stopped.Err() != nil {
			told = errStopping
		}
	}

	return f, told
}

// reply returns the answer to a frame.
func (s *Server) reply(ctx context.Context, c *session, f frame) (text []byte, ends bool) {
	if f.large {
		return s.refusal(&Error{
			Code:    ValidationError,
			Message: fmt.Sprintf("the message is too large: want at most %d bytes", s.o.MaxBytes),
			Errors:  []Fault{{[]string{}, "is too large", "value_error"}},
		}), false
	}

	return c.answer(ctx, f.text)
}

func send(ctx context.Context, conn *websocket.Conn, text []byte) error {
	ctx, cancel := context.WithTimeout(ctx, writeTime)
	defer cancel()
	return conn.Write(ctx, websocket.MessageText, text)
}

// dismiss ends a connection, and tells the client why.
func (s *Server) dismiss(ctx context.Context, conn *websocket.Conn, told *Error) {
	if send(ctx, conn, s.refusal(told)) == nil {
		_ = conn.Close(websocket.StatusTryAgainLater, string(told.Code))
	}
}
