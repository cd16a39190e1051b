package export

import (
	"strings"

	"toolevo/envs/action"
	"toolevo/mcts/policy/chat"
	"toolevo/mcts/policy/prompt"
)

// Templates lists the chat templates whose tokens can be counted, by LLaMA-Factory's names. The
// tokenizer must have the template's control tokens; a trainer that adds them to another tokenizer
// counts fewer tokens.
func Templates() []string {
	all := chat.Templates()

	names := make([]string, len(all))
	for i, t := range all {
		names[i] = t.String()
	}
	return names
}

// Piece is a part of a sample that LLaMA-Factory tokenises by itself.
type Piece struct {
	Text    string `json:"text"`    // with what the chat template puts around it
	Trained bool   `json:"trained"` // its tokens carry loss
}

// pieces returns the tokenised parts of a sample in order, except a pair's replies. LLaMA-Factory
// tokenises each by itself, so counting them counts what it trains on.
func pieces(format Format, s *Sample, t chat.Template) []Piece {
	all := make([]Piece, 0, len(s.Conversations)+2)
	all = append(all, Piece{Text: t.BOS()}, Piece{Text: t.System(s.system(t))})

	for _, m := range s.forLlamaFactory() {
		switch m.From {
		case Human:
			all = append(all, Piece{Text: t.User(m.Value)})
		case Observation:
			if format.form().chat {
				all = append(all, Piece{Text: t.User(prompt.ObservationText(m.Value))})
				continue
			}

			all = append(all, Piece{Text: t.Observation(m.Value)})
		default:
			all = append(all, replyPiece(m, t))
		}
	}

	return all
}

// replyPiece returns the trained piece of a reply; it is empty if there is no reply.
func replyPiece(m Message, t chat.Template) Piece {
	switch {
	case m.From == "":
		return Piece{}
	case m.From == FunctionCall && !strings.HasSuffix(m.Value, callEnd):
		t = t.In(action.FunctionCall{})
	}

	return Piece{Text: t.Reply(m.Value), Trained: true}
}

// Pieces returns the parts of a sample as the linter's template writes them, and which of them
// carry loss in a format: in a pair both replies do, the chosen one first. Without a tokenizer
// there is no template, and Pieces returns nil.
func (l *Linter) Pieces(format Format, s *Sample) []Piece {
	if l.tokenizer == nil {
		return nil
	}

	form := format.form()
	all := pieces(format, s, l.template)

	for i := range all {
		if form.single() && i < len(all)-1 || form.pairs {
			all[i].Trained = false
		}
	}

	if form.pairs {
		all = append(all, replyPiece(s.Chosen, l.template), replyPiece(s.Rejected, l.template))
	}
	return all
}

// Tokens returns the number of tokens of a piece.
func (l *Linter) Tokens(p Piece) int {
	if p.Text == "" {
		return 0
	}
	return l.tokenizer.Count(p.Text)
}
