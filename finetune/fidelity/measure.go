package fidelity

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strconv"

	"toolevo/envs"
	"toolevo/envs/kept"
	"toolevo/envs/toolbench/recorded"
	"toolevo/envs/toolbench/virtual"
	"toolevo/trajectories/mirror"
)

// Embedder turns texts into vectors.
type Embedder interface {
	// Embed returns a vector for each text, all of one length.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	// Model identifies the model.
	Model() string
}

// Options say how cases are measured.
type Options struct {
	Judge    kept.Writer // nil judges nothing
	Prompts  kept.Prompts
	Embedder Embedder    // nil embeds nothing
	Kept     *kept.Texts // what was measured before; nil is nothing
	Seed     uint64
	Workers  int // cases at the same time

	// Done is called with how many of all cases are done; it may be nil.
	Done func(done, total int)
}

// measured is the measures of a case.
type measured struct {
	Model      string       `json:"model"`
	Split      mirror.Split `json:"split"`
	Case       int          `json:"case"`
	Measured   bool         `json:"measured"`
	BLEU       float64      `json:"bleu"`
	Words      float64      `json:"words"`
	Embedded   bool         `json:"embedded"`
	Cosine     float64      `json:"cosine"`     // where it is embedded
	Judged     bool         `json:"judged"`     // its rating could be read
	Unjudged   bool         `json:"unjudged"`   // it could not
	Rating     float64      `json:"rating"`     // where it is judged
	Good       bool         `json:"good"`       // by its rating
	Keeps      bool         `json:"keeps"`      // the answer succeeds or fails as the real one does
	Agrees     bool         `json:"agrees"`     // rating and rule say the same
	Keeping    bool         `json:"keeping"`    // it keeps, where it is judged
	Unreadable bool         `json:"unreadable"` // the answer is no object of error and response
}

// Simulate has a simulator answer calls, and returns them with its answers under a name. A case
// without a system text is answered in the mode sft.
func Simulate(ctx context.Context, cases []Case, name string, w kept.Writer, o Options) ([]Case, error) {
	return kept.All(ctx, len(cases), o.Workers, o.Done, func(ctx context.Context, i int) (c Case, err error) {
		c = cases[i]
		c.Model = name
		c.Simulated, err = w.Write(ctx, cmp.Or(c.System, virtual.SFT.Instructions(o.Prompts)),
			c.Instruction, o.Seed)
		return c, err
	})
}

// Measure measures cases, and returns a row for each simulator and split.
func Measure(ctx context.Context, cases []Case, o Options) (*Report, error) {
	rules := recorded.Corrected()

	all, err := kept.All(ctx, len(cases), o.Workers, o.Done, func(ctx context.Context, i int) (measured, error) {
		m, err := o.measure(ctx, &cases[i], rules)
		m.Case = i
		return m, err
	})
	if err != nil {
		return nil, err
	}

	return report(all, o), nil
}

// measure measures one case.
func (o *Options) measure(ctx context.Context, c *Case, rules *recorded.Rules) (m measured, err error) {
	real, simulated := compared(c.Real), compared(c.Simulated)

	m = measured{
		Model: c.Model, Split: c.Split, Measured: true,
		BLEU:  bleu(characters(simulated), characters(real)),
		Words: bleu(words(simulated), words(real)),
	}

	want, wantErr := virtual.ReadReply(c.Real)
	got, gotErr := virtual.ReadReply(c.Simulated)
	m.Unreadable = gotErr != nil
	m.Keeps = wantErr == nil && gotErr == nil &&
		(rules.Of(want) == recorded.Success) == (rules.Of(got) == recorded.Success)

	if m.Embedded = o.Embedder != nil; m.Embedded {
		if m.Cosine, err = o.cosine(ctx, real, simulated); err != nil {
			return m, err
		}
	}

	if o.Judge != nil {
		m.Rating, m.Judged, err = o.judge(ctx, c)
		m.Good, m.Keeping, m.Unjudged = m.Rating > 5, m.Judged && m.Keeps, !m.Judged
		m.Agrees = m.Judged && m.Good == m.Keeps
	}

	return m, err
}

// cosine returns the cosine of the embeddings of two texts.
func (o *Options) cosine(ctx context.Context, real, simulated string) (float64, error) {
	key := kept.Key("cosine", o.Embedder.Model(), real, simulated)

	if o.Kept != nil {
		if text, ok := o.Kept.Get(key); ok {
			return strconv.ParseFloat(text, 64)
		}
	}

	vectors, err := o.Embedder.Embed(ctx, []string{real, simulated})
	if err != nil {
		return 0, envs.Fail(envs.StageTool, "embed two answers", err)
	}

	cosine, err := cosineOf(vectors[0], vectors[1])
	if err != nil {
		return 0, fmt.Errorf("%s: %w", o.Embedder.Model(), err)
	}

	if o.Kept != nil {
		_, err = o.Kept.Put(key, strconv.FormatFloat(cosine, 'g', -1, 64))
	}
	return cosine, err
}

// cosineOf returns the cosine of the angle between two vectors of one length, neither of which is
// 0.
func cosineOf(a, b []float32) (float64, error) {
	if len(a) != len(b) {
		return 0, fmt.Errorf("vectors of %d and %d numbers: want equal lengths", len(a), len(b))
	}

	var product, lengthA, lengthB float64
	for i := range a {
		product += float64(a[i]) * float64(b[i])
		lengthA += float64(a[i]) * float64(a[i])
		lengthB += float64(b[i]) * float64(b[i])
	}

	if lengthA == 0 || lengthB == 0 {
		return 0, fmt.Errorf("a vector of %d zeros has no angle", len(a))
	}
	return product / math.Sqrt(lengthA*lengthB), nil
}
