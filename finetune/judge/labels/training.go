package labels

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"toolevo/envs/disk"
	"toolevo/envs/pytext"
	"toolevo/trajectories/export"
)

// Plan says what to make of labels.
type Plan struct {
	People     []string // labellers who are persons
	Expert     string   // the model that is trusted most; "" finds it by agreement
	Reinforced bool     // each label of a model is a sample with its name
	HeldOut    int      // percent of the queries, if no person labelled any
	Prompt     string   // the prompt of a judge, with {query} and {answer}
	Seed       uint64   // by which queries are held out
}

// The weights of labels in OpenChat's C-RLFT: of the expert's, and of others'.
const (
	expertWeight = 1.0
	otherWeight  = 0.1
)

// Dataset counts what a file has.
type Dataset struct {
	Name    string  `json:"name"`    // in dataset_info.json
	Samples int     `json:"samples"` // of the file
	Queries int     `json:"queries"` // of those
	Solved  float64 `json:"solved"`  // share of the samples that say so, 0 to 1
}

// Report says what became of labels.
type Report struct {
	Labels     int            `json:"labels"`     // that were read
	Cases      int            `json:"cases"`      // answers to queries that were labelled
	Queries    int            `json:"queries"`    // of those
	Labellers  []Labeller     `json:"labellers"`  // models first
	Agreements []Agreement    `json:"agreements"` // of every two labellers that labelled the same cases
	Expert     string         `json:"expert"`     // the model that is trusted most
	Datasets   []Dataset      `json:"datasets"`   // of the folder
	Dropped    map[string]int `json:"dropped"`    // labels and cases that are in none, by reason
	Reinforced bool           `json:"reinforced"` // a sample is a label of a model, and begins with its name
	Prompt     string         `json:"prompt"`     // a hash of what the judge is asked
	Seed       uint64         `json:"seed"`       // by which queries are held out
}

// labelled is an answer to a query with its labels.
type labelled struct {
	query, answer string
	by            map[string]*Label // nil of a labeller who said both
}

// The reasons for which labels and cases are dropped.
const (
	Unread      = "label that cannot be read"
	contradicts = "case of which a labeller says both"
	tied        = "case of which as many models say one as the other"
	onlyPeople  = "case that no model labelled, of a query that nobody held out"
)

// gather returns the cases of labels, sorted by query and answer.
func gather(all []Label, r *Report) []*labelled {
	byCase := map[[2]string]*labelled{}

	var cases []*labelled

	for i := range all {
		l := &all[i]

		c := byCase[[2]string{l.Query, l.Answer}]
		if c == nil {
			c = &labelled{l.Query, l.Answer, map[string]*Label{}}
			byCase[[2]string{l.Query, l.Answer}] = c
			cases = append(cases, c)
		}

		// Of equal labels the one with the alphabetically first reason stays, so that order does
		// not matter; no reason comes last.
		switch known, ok := c.by[l.By]; {
		case ok && (known == nil || known.Solved != l.Solved):
			c.by[l.By] = nil
		case !ok || known.Reason == "" || l.Reason != "" && l.Reason < known.Reason:
			c.by[l.By] = l
		}
	}

	// Dropped only now: a third label of the same labeller must not revive a contradiction.
	for _, c := range cases {
		for name, label := range c.by {
			if label == nil {
				r.Dropped[contradicts]++
				delete(c.by, name)
			}
		}
	}

	// Sorted, so that the same labels give the same bytes in whatever order they come.
	cases = slices.DeleteFunc(cases, func(c *labelled) bool { return len(c.by) == 0 })
	slices.SortFunc(cases, func(a, b *labelled) int {
		return cmp.Or(cmp.Compare(a.query, b.query), cmp.Compare(a.answer, b.answer))
	})
	return cases
}

// What may be wrong with labels.
var (
	ErrNoLabels = errors.New("no model labelled anything: want labels of models")
	ErrExpert   = errors.New("the expert is not a model that labelled anything")
)

// Write writes the training data of labels to a folder that LLaMA-Factory reads, and the prompt of
// the judge (fac.txt); for reinforced data also the files of OpenChat's trainer.
func (p *Plan) Write(dir string, all []Label, unread int, software string) (*Report, error) {
	r := &Report{
		Labels: len(all) + unread, Dropped: map[string]int{},
		Reinforced: p.Reinforced, Seed: p.Seed,
		Prompt: fmt.Sprintf("%016x", xxh3.HashString(p.Prompt)), Agreements: []Agreement{},
	}
	if unread > 0 {
		r.Dropped[Unread] = unread
	}

	cases := gather(all, r)
	r.Cases, r.Labellers = len(cases), labellers(cases, p.People)

	for i, first := range r.Labellers {
		for _, second := range r.Labellers[i+1:] {
			// Two labellers without a common case have no agreement, which 0 would misstate.
			if a := agree(cases, first.Name, second.Name); a.Both > 0 {
				r.Agreements = append(r.Agreements, a)
			}
		}
	}

	// Agreements come first: if the plan names no expert, they say who it is.
	if err := p.findExpert(r); err != nil {
		return nil, err
	}

	held := p.heldOut(cases, r)
	sets, extra := p.samples(cases, held, r)

	_, err := export.WriteInstructions(dir, sets, r, software, extra...)
	return r, err
}

// findExpert finds the expert and sets the weights of the labellers.
func (p *Plan) findExpert(r *Report) error {
	r.Expert = cmp.Or(p.Expert, expert(r.Labellers, r.Agreements))
	if r.Expert == "" {
		return ErrNoLabels
	}

	i := slices.IndexFunc(r.Labellers, func(l Labeller) bool {
		return l.Name == r.Expert && !l.Person
	})
	if i < 0 {
		return fmt.Errorf("%w: %s", ErrExpert, r.Expert)
	}

	for i := range r.Labellers {
		switch l := &r.Labellers[i]; {
		case l.Name == r.Expert:
			l.Weight = expertWeight
		case !l.Person:
			l.Weight = otherWeight
		}
	}

	return nil
}

// heldOut returns the held-out queries: those that people labelled, else a drawn share. A query is
// drawn by its text, so that more labels move few others.
func (p *Plan) heldOut(cases []*labelled, r *Report) map[string]bool {
	held, queries := map[string]bool{}, []string{}

	for _, c := range cases {
		// Cases are sorted by query, so that equal ones are neighbours.
		if len(queries) == 0 || queries[len(queries)-1] != c.query {
			queries = append(queries, c.query)
		}

		for name := range c.by {
			if slices.Contains(p.People, name) {
				held[c.query] = true
			}
		}
	}

	r.Queries = len(queries)

	// People's labels only measure. To draw more would take queries from training for nothing.
	if len(held) > 0 {
		return held
	}

	slices.SortFunc(queries, func(a, b string) int {
		hashA, hashB := xxh3.HashStringSeed(a, p.Seed), xxh3.HashStringSeed(b, p.Seed)
		return cmp.Or(cmp.Compare(hashA, hashB), cmp.Compare(a, b))
	})

	// Rounded up, so that any share holds out at least one query.
	for _, q := range queries[:(len(queries)*p.HeldOut+99)/100] {
		held[q] = true
	}
	return held
}

// sides are the names of the two files of each kind.
var sides = []string{"train_fac", "test_fac"}

// samples returns the training and held-out sets, and the files beside them. A held-out sample has
// the verdict of most people, or of most models if no person labelled it, and the prompt that the
// judge will be asked with.
func (p *Plan) samples(cases []*labelled, held map[string]bool, r *Report) (sets []export.InstructionSet,
	extra []export.ExtraFile) {
	// Everything but a reinforced sample carries the expert's tag: with it the judge is asked
	// later.
	asked := p.tagged(r.Expert)
	chats := [2]bytes.Buffer{}
	solved, queries := [2]int{}, [2]map[string]bool{{}, {}}

	for _, name := range sides {
		sets = append(sets, export.InstructionSet{Name: name})
	}

	add := func(side int, prompt string, l *Label, weight float64) {
		s := export.Instruction{
			Instruction: pytext.Format(prompt, "{query}", l.Query, "{answer}", l.Answer),
			Output:      p.reply(l),
		}
		sets[side].Samples = append(sets[side].Samples, s)
		_ = disk.NewLineEncoder(&chats[side]).Encode(newConversation(s, l.By, weight)) // a buffer takes all

		queries[side][l.Query] = true
		solved[side] += int(number(l.Solved))
	}

	for _, c := range cases {
		switch truth, why := p.majority(c, r, held[c.query]); {
		// Reinforced training learns from every label, tied cases included: the tag says whose it
		// is.
		case p.Reinforced && !held[c.query]:
			for _, l := range r.Labellers {
				if label := c.by[l.Name]; label != nil {
					add(0, p.tagged(l.Name), label, l.Weight)
				}
			}
		case truth == nil:
			r.Dropped[why]++
		default:
			add(int(number(held[c.query])), asked, truth, expertWeight)
		}
	}

	for i, s := range sets {
		if n := len(s.Samples); n > 0 {
			share := float64(solved[i]) / float64(n)
			r.Datasets = append(r.Datasets, Dataset{s.Name, n, len(queries[i]), share})
		}

		// LLaMA-Factory knows no weights; OpenChat's trainer reads them from files of its own.
		if p.Reinforced {
			name := strings.Replace(s.Name, "fac", "ochat", 1) + ".jsonl"
			extra = append(extra, export.ExtraFile{Name: name, Text: chats[i].Bytes()})
		}
	}

	return sets, append(extra, export.ExtraFile{Name: export.JudgePrompt, Text: []byte(asked)})
}

// majority returns the label that most labellers give a case: people if it is held out and one
// labelled it, else models. Its reason is the expert's, or the first given. Without a majority it
// returns why.
func (p *Plan) majority(c *labelled, r *Report, held bool) (label *Label, why string) {
	why = onlyPeople

	for _, person := range []bool{true, false} {
		// A case that people labelled is held out with its query, so only there do they vote.
		if person && !held {
			continue
		}

		votes := [2][]*Label{}

		for _, l := range r.Labellers {
			if said := c.by[l.Name]; said != nil && l.Person == person {
				votes[int(number(said.Solved))] = append(votes[int(number(said.Solved))], said)
			}
		}

		no, yes := len(votes[0]), len(votes[1])
		if no+yes == 0 {
			continue
		}

		// If people are split, the models decide; if these are, too, nobody does.
		if no == yes {
			why = tied
			continue
		}

		// The verdict is settled; what is left to choose is whose reason the judge learns.
		agreed := votes[int(number(yes > no))]
		best := agreed[0]

		for _, l := range agreed {
			if l.By == r.Expert {
				return l, ""
			}

			if best.Reason == "" {
				best = l
			}
		}
		return best, ""
	}
	return nil, why
}

// tagged returns the prompt of a judge that answers as a labeller does. A tag that the prompt
// already begins with, as the published one does, is removed.
func (p *Plan) tagged(name string) string {
	if !p.Reinforced {
		return p.Prompt
	}

	text := strings.TrimSpace(p.Prompt)
	if first, rest, ok := strings.Cut(text, "\n"); ok && len(strings.Fields(first)) == 1 {
		text = strings.TrimSpace(rest)
	}
	return name + "\n\n" + text
}

// reply returns what a judge with this prompt should write: the status and the reason, under titles
// if the prompt has them.
func (p *Plan) reply(l *Label) string {
	status, titles := "Unsolved", []string{"", ""}
	if l.Solved {
		status = "Solved"
	}

	if strings.Contains(p.Prompt, "Answer Status") {
		titles = []string{"Answer Status\n", "Reason\n"}
	}

	if l.Reason == "" {
		return titles[0] + status
	}
	return titles[0] + status + "\n" + titles[1] + l.Reason
}

// conversation is a line that OpenChat's ochat.data.generate_dataset reads.
type conversation struct {
	Items     []message `json:"items"`
	Condition string    `json:"condition"` // the class of the sample: who labelled it
	System    string    `json:"system"`
}

type message struct {
	Role    string  `json:"role"`
	Content string  `json:"content"`
	Weight  float64 `json:"weight"` // of the loss
}

func newConversation(s export.Instruction, by string, weight float64) conversation {
	return conversation{
		Items:     []message{{"user", s.Instruction, 0}, {"assistant", s.Output, weight}},
		Condition: by,
	}
}
