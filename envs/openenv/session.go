package openenv

import (
	"context"
	"errors"

	"toolevo/envs"
)

// session is a client's session, with at most one episode. It is for one goroutine.
type session struct {
	s       *Server
	episode *episode // nil before the first reset
}

// answer answers a frame; ends says that nothing follows.
func (c *session) answer(ctx context.Context, frame []byte) (reply []byte, ends bool) {
	m, err := parseMessage(frame)
	if err != nil {
		return c.s.refusal(err), false
	}

	switch m.kind {
	case closeMessage:
		return nil, true
	case stateMessage:
		return encode("state", c.s.stated(c.episode)), false
	case mcpMessage:
		return encode("mcp", c.s.rpc(ctx, c, m.data)), false
	}

	var o observed
	if m.kind == resetMessage {
		o, err = c.reset(ctx, m.data)
	} else {
		o, err = c.step(ctx, m.data)
	}

	if err != nil {
		return c.s.refusal(err), false
	}
	return encode("observation", o), false
}

// reset begins another episode.
func (c *session) reset(ctx context.Context, data envs.Args) (observed, error) {
	wanted, err := parseReset(data)
	if err != nil {
		return observed{}, err
	}

	if c.s.isStopping() {
		return observed{}, errStopping
	}

	next, err := c.s.begin(ctx, wanted)
	if err != nil {
		return observed{}, err
	}

	if err := c.leave(ctx); err != nil {
		return observed{}, err
	}

	c.episode = next
	return observed{Observation: c.s.begun(next)}, nil
}

// step carries out an action.
func (c *session) step(ctx context.Context, data envs.Args) (observed, error) {
	a, err := parseAction(data, c.s.o.Codec)

	switch {
	case err != nil && c.episode != nil && !c.over():
		return c.actMisformed(ctx, writtenText(data, c.s.o.Codec), err)
	case err != nil:
		return observed{}, err
	case a.lists:
		return observed{Observation: listed{c.shown().functions}, Done: c.over()}, nil
	}

	return c.act(ctx, a.text)
}

// actMisformed takes a turn with an action that has no known form. For trainers that pass on what
// their model wrote, an error would be an exception, and the episode lost; like this, the model
// reads what is wrong, and goes on.
func (c *session) actMisformed(ctx context.Context, text envs.Action, wrong error) (observed, error) {
	o, err := c.act(ctx, text)
	if err != nil {
		return observed{}, err
	}

	said := o.Observation.(called)
	if said.Outcome != nil && *said.Outcome == envs.Malformed {
		said.Error = &toolError{errorKind(envs.Malformed), wrong.Error() + ": " + actionForm}
		o.Observation = said
	}

	return o, nil
}

// actionForm is how an agent is told to write an action.
const actionForm = `write {"type":"call_tool","tool_name":NAME,"arguments":{…}}, and nothing else`

// shown returns what agents see of the episode's task, or of all tasks.
func (c *session) shown() *shown {
	if c.episode == nil {
		return c.s.shown[""]
	}
	return c.s.shownTo(c.episode.state.History().Task())
}

// over reports whether the episode has ended.
func (c *session) over() bool { return c.episode != nil && c.episode.status != envs.Running }

// act takes a turn. An episode that is over is safe before the client is answered.
func (c *session) act(ctx context.Context, text envs.Action) (observed, error) {
	switch {
	case c.episode == nil:
		return observed{}, failed("there is no episode yet: send a reset first")
	case c.over():
		return observed{}, failed("the episode is over (%s): send a reset", c.episode.status)
	}

	next, reward, err := c.s.step(ctx, c.episode, text)
	if err != nil {
		return observed{}, err
	}

	if next.status != envs.Running {
		if err := c.s.record(ctx, next); err != nil {
			return observed{}, err
		}

		c.s.figures.count(next)
	}

	c.episode = next
	return observed{Observation: next.called(), Reward: reward, Done: c.over()}, nil
}

// leave ends an episode that the client has left.
func (c *session) leave(ctx context.Context) error {
	if c.episode == nil || c.over() || len(c.episode.turns) == 0 {
		return nil
	}

	left := *c.episode
	left.silent, left.status = true, envs.Truncated

	if err := c.s.record(ctx, &left); err != nil {
		return err
	}

	c.s.figures.count(&left)
	return nil
}

// refusal returns the answer to a message that was refused.
func (s *Server) refusal(err error) []byte { return encode("error", s.clientError(err)) }

// clientError returns an error as the client gets it, and counts it.
func (s *Server) clientError(err error) *Error {
	var told *Error
	if !errors.As(err, &told) {
		told = failed("%v", err)
	}

	s.figures.errors.WithLabelValues(string(told.Code)).Inc()
	return told
}

// failure logs a failure of the server, and returns it as an error after which a client may try
// again. A client that has gone is not logged.
func (s *Server) failure(err error) error {
	if err == nil {
		return nil
	}

	if !errors.Is(err, context.Canceled) {
		s.o.Log.Error("an episode failed", "error", err)
	}
	return failed("a failure of the server, try again: %v", err)
}
