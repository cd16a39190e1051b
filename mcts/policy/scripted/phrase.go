package scripted

import "strings"

// wording chooses how a thought is put: which sentence comes before what the plan thinks, and which after it. The
// likeliest is the first of each.
type wording struct{ opener, closer int }

// The sentences, by situation. $old is the tool of the prompt version, $new the one that is called.
var (
	openers = [...][]string{
		proceeding: {"", "I go on with the next step. ", "Let me continue. ", "One thing at a time. ",
			"Let me see what is needed now. "},
		migrating: {
			"The $old tool has been deprecated. I should use $new instead. ",
			"$old is deprecated, and the notice names $new. I follow its example. ",
			"The observation says that $new takes the place of $old, so I call that. ",
		},
		adjusting: {
			"The parameters of $new have changed. I write them as the notice does. ",
			"$new takes other parameters now, and the notice names them. I follow its example. ",
			"The observation says that $new is called in another way, so I call it like that. ",
		},
		retrying: {
			"The last call failed. I check it and try again. ",
			"The observation is an error. I look at the call once more. ",
			"That did not work. Let me write the call again. ",
		},
		describing: {
			"The $new API works as intended. Before I go on, I update the tool description for the new API.",
			"$new works. I describe it with UpdateTool so that I can use it again.",
			"The call of $new succeeded. First, let me update the description of the tool.",
		},
		givingUp: {
			"I do not see how to answer this question with the tools I have.",
			"I cannot find the answer with these tools, so I stop here.",
			"This leads nowhere. I have to finish without an answer.",
		},
	}
	closers = []string{"", " I use $new for this.", " $new gives me that.", " So I call $new."}
)

func (m *move) likeliest() wording { return wording{} }

// rephrased draws one of the wordings that fit the move, the likeliest among them.
func (m *move) rephrased(d *dice) wording {
	w := wording{opener: d.intN(len(openers[m.kind]))}
	if m.kind < describing {
		w.closer = d.intN(len(closers))
	}

	return w
}

// cost is what the words take off the log-probability.
func (w wording) cost() float64 { return 0.01 * float64(w.opener+w.closer) }

func (w wording) append(b []byte, m *move) []byte {
	old, name := m.call.Name, m.name()
	if m.kind == describing && m.via != nil {
		name = m.via.name
	}

	b = expand(b, openers[m.kind][w.opener], old, name)
	b = append(b, m.thought...)

	return expand(b, closers[w.closer], old, name)
}

// expand appends a sentence with its names filled in.
func expand(b []byte, sentence, old, name string) []byte {
	for {
		before, after, ok := strings.Cut(sentence, "$")

		b = append(b, before...)
		if !ok {
			return b
		}

		switch {
		case strings.HasPrefix(after, "old"):
			b = append(b, old...)
		case strings.HasPrefix(after, "new"):
			b = append(b, name...)
		}

		sentence = after[3:]
	}
}
