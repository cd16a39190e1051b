package trajectories

import (
	"toolevo/envs/action"
	"toolevo/mcts/policy/chat"
)

// Templates lists the chat templates whose tokens can be counted, by LLaMA-Factory's names. The tokenizer must have the
// template's control tokens; a trainer that adds them to another tokenizer counts fewer tokens than we do.
func Templates() []string {
	templates := chat.Templates()

	names := make([]string, len(templates))
	for i, t := range templates {
		names[i] = t.String()
	}

	return names
}

// countTokens returns the number of tokens of a sample. LLaMA-Factory tokenises each piece by itself, so counting the
// pieces counts what it trains on.
func countTokens(s *Sample, t chat.Template, tok *Tokenizer) int {
	n := tok.Count(t.System(s.System))
	if t.BOS() != "" {
		n++
	}

	for _, m := range s.Conversations {
		switch m.From {
		case Human:
			n += tok.Count(t.User(m.Value))
		case Observation:
			n += tok.Count(t.Observation(m.Value))
		case FunctionCall:
			n += tok.Count(t.In(action.FunctionCall{}).Reply(m.Value))
		default:
			n += tok.Count(t.Reply(m.Value))
		}
	}

	return n
}
