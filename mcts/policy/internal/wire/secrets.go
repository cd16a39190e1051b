package wire

import (
	"errors"
	"strings"

	"toolevo/mcts/policy/server"
)

// shortestKey is the length from which a secret in a sample counts as quoted: a shorter one may be
// a word.
const shortestKey = 16

// CheckQuoted finds a sample in which the server quotes a key that it was sent: that is not a
// model's text, and must not reach a log.
func (l *Link) CheckQuoted(samples []server.Choice) error {
	for _, s := range samples {
		for _, secret := range l.secrets {
			if len(secret) >= shortestKey && strings.Contains(s.Text+s.Reasoning, secret) {
				return errors.New("the sample holds the key that the server was shown")
			}
		}
	}

	return nil
}
