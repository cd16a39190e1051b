package mcts

// Converser is a policy that does better when it knows which requests follow each other: those of
// an episode, or of a question's trees, whose prompts begin alike. Such requests are a
// conversation. A server that keeps only a few prompts reads each of them once if no more
// conversations are held than it keeps prompts.
type Converser interface {
	// Converse begins a conversation. Its policy proposes what the Converser itself would; it may
	// have to wait for other conversations to end, and those that began earlier are served first.
	// Nothing is held for it before its first request, so a conversation whose requests are all
	// answered elsewhere costs nothing. Call end when it makes no more requests.
	Converse() (conversation Policy, end func())
}

// Converse begins a conversation with a policy. A policy that holds none is used as it is.
func Converse(p Policy) (conversation Policy, end func()) {
	if c, ok := p.(Converser); ok {
		return c.Converse()
	}
	return p, func() {}
}
