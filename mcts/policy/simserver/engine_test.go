package simserver

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"toolevo/mcts/policy/scripted"
)

// bubble runs a test of the engine alone, in which time passes only while everyone waits.
func bubble(t *testing.T, o Options, f func(t *testing.T, e *engine)) {
	synctest.Test(t, func(t *testing.T) {
		o.Kind, o.MaxModelLen, o.CacheBlock = VLLM, 1<<20, max(o.CacheBlock, 1)
		if o.Speed == 0 {
			o.Speed = 1
		}

		f(t, newEngine(&o))
	})
}

// words is a prompt of n tokens.
func words(first string, n int) *input {
	text := first + strings.Repeat(" a", n-1)
	return &input{text: text, tokens: tokenize(text)}
}

// sequences are n completions of a prompt, of m tokens each.
func sequences(p *input, n, m int) []*sequence {
	var list []*sequence
	for range n {
		list = append(list, &sequence{prompt: p, completion: make([]uint32, m)})
	}
	return list
}

func TestSlotsAndQueue(t *testing.T) {
	bubble(t, Options{Slots: 3, Latency: Latency{PerCompletion: time.Second}}, func(t *testing.T, e *engine) {
		start := time.Now()
		var order []string
		var ends []time.Duration
		var mu sync.Mutex

		var wg sync.WaitGroup
		for _, r := range []struct {
			name string
			n    int
		}{{"first", 2}, {"second", 3}, {"third", 1}, {"fourth", 1}} {
			wg.Go(func() {
				if err := e.run(t.Context(), sequences(words(r.name, 3), r.n, 1)); err != nil {
					t.Error(err)
				}

				mu.Lock()
				defer mu.Unlock()

				order, ends = append(order, r.name), append(ends, time.Since(start))
			})
			synctest.Wait()
		}

		wg.Wait()

		if order[0] != "first" || order[3] != "fourth" { // the others end at the same moment
			t.Errorf("ended in the order %q", order)
		}

		if diff := cmp.Diff([]time.Duration{time.Second, 2 * time.Second, 2 * time.Second, 3 * time.Second},
			ends); diff != "" {
			t.Error(diff)
		}

		st := e.stats()
		want := []time.Duration{3 * time.Second, 2 * time.Second, 2 * time.Second}

		var total time.Duration
		for _, b := range st.Busy {
			total += b
		}

		if total != want[0]+want[1]+want[2] || st.Sequences != 7 || st.Completed != 7 || st.MaxRunning != 3 ||
			st.MaxWaiting != 4 || st.Running != 0 {
			t.Errorf("busy %v, %+v", st.Busy, st)
		}

		st.First = start
		if got := st.Occupied(); got < 7.0/9-1e-9 || got > 7.0/9+1e-9 {
			t.Errorf("occupied %v, want 7/9", got)
		}
	})
}

// Time is what the model says, divided by the speed.
func TestLatency(t *testing.T) {
	l := Latency{PerCompletion: 100 * time.Millisecond, PrefillPerSecond: 100, DecodePerSecond: 10, Crowding: 0.5}
	for _, c := range []struct {
		name              string
		prompt, n, decode int
		speed             float64
		want              time.Duration
	}{
		{"one", 50, 1, 20, 1, 100*time.Millisecond + 500*time.Millisecond + 2*time.Second},
		{"ten times faster", 50, 1, 20, 10, 260 * time.Millisecond},
		// The second finds all but the last block in the cache and is slowed down by the first.
		{"two", 50, 2, 20, 1, 100*time.Millisecond + 10*time.Millisecond + 3*time.Second},
	} {
		bubble(t, Options{Slots: 8, Latency: l, Speed: c.speed}, func(t *testing.T, e *engine) {
			start := time.Now()

			if err := e.run(t.Context(), sequences(words("x", c.prompt), c.n, c.decode)); err != nil {
				t.Fatal(err)
			}

			if got := time.Since(start); got.Round(time.Microsecond) != c.want {
				t.Errorf("%s: %v, want %v", c.name, got, c.want)
			}
		})
	}
}

// Who is gone leaves the slots and the queue to the others.
func TestAbort(t *testing.T) {
	bubble(t, Options{Slots: 2, Latency: Latency{PerCompletion: time.Hour}}, func(t *testing.T, e *engine) {
		ctx, cancel := context.WithCancel(t.Context())

		errs := make(chan error, 2)
		go func() { errs <- e.run(ctx, sequences(words("x", 3), 5, 1)) }()

		synctest.Wait()

		go func() { errs <- e.run(t.Context(), sequences(words("y", 3), 1, 1)) }()

		synctest.Wait()

		if st := e.stats(); st.Running != 2 || st.Waiting != 4 {
			t.Errorf("%d running, %d waiting", st.Running, st.Waiting)
		}

		<-time.After(30 * time.Minute)
		cancel()

		if err := <-errs; !errors.Is(err, context.Canceled) {
			t.Errorf("aborted: %v", err)
		}

		start := time.Now()
		if st := e.stats(); !st.Last.Equal(start) {
			t.Errorf("the last sequence ended at %v, want %v: the slots were in use until then", st.Last, start)
		}

		if err := <-errs; err != nil || time.Since(start) != time.Hour {
			t.Errorf("%v after %v, want an hour from the abort on", err, time.Since(start))
		}

		if st := e.stats(); st.Aborted != 5 || st.Completed != 1 || st.Running != 0 || st.Waiting != 0 ||
			len(e.free) != 2 {
			t.Errorf("%+v", st)
		}

		if err := e.run(ctx, sequences(words("z", 3), 1, 1)); !errors.Is(err, context.Canceled) {
			t.Errorf("a client that is gone before it came: %v", err)
		}
	})
}

func TestMemoryAndQueueLimits(t *testing.T) {
	// 10 tokens each: three fit, and what is larger than the memory runs alone.
	bubble(t, Options{
		Slots:      8,
		KVTokens:   35,
		MaxWaiting: 2,
		Latency:    Latency{PerCompletion: time.Second},
	}, func(t *testing.T, e *engine) {
		errs := make(chan error, 2)
		go func() { errs <- e.run(t.Context(), sequences(words("x", 9), 5, 1)) }()

		synctest.Wait()

		if st := e.stats(); st.Running != 3 || st.Waiting != 2 {
			t.Errorf("%d running, %d waiting, want 3 and 2", st.Running, st.Waiting)
		}

		if err := e.run(t.Context(), sequences(words("y", 9), 6, 1)); !errors.Is(err, errFull) {
			t.Errorf("a full queue: %v", err)
		}

		if err := <-errs; err != nil {
			t.Error(err)
		}

		if err := e.run(t.Context(), sequences(words("z", 50), 1, 1)); err != nil {
			t.Error(err)
		}

		if st := e.stats(); st.Rejected != 1 || st.Completed != 6 || e.kv != 0 {
			t.Errorf("%+v, %d tokens held", st, e.kv)
		}
	})
}

func TestPause(t *testing.T) {
	bubble(t, Options{Slots: 2}, func(t *testing.T, e *engine) {
		e.pause(true)

		done := make(chan error)
		go func() { done <- e.run(t.Context(), sequences(words("x", 3), 3, 1)) }()

		synctest.Wait()

		if st := e.stats(); st.Waiting != 3 || st.Running != 0 {
			t.Errorf("%d waiting, %d running", st.Waiting, st.Running)
		}

		e.pause(false)

		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestPrefixCache(t *testing.T) {
	bubble(t, Options{Slots: 1, CacheBlock: 4}, func(t *testing.T, e *engine) {
		for _, c := range []struct {
			name   string
			prompt *input
			n      int
			cached int // tokens of the first sequence
			hits   int // tokens of all
		}{
			{"new", words("x", 17), 1, 0, 0},
			{"again", words("x", 17), 1, 16, 16},
			{"the last token is always read", words("x", 16), 1, 12, 12},
			{"longer", words("x", 30), 1, 16, 16},
			{"siblings", words("y", 9), 3, 0, 16},
			{"shorter than a block", words("x", 3), 2, 0, 0},
		} {
			before := e.figures
			if err := e.run(t.Context(), sequences(c.prompt, c.n, 2)); err != nil {
				t.Fatal(err)
			}

			chars := 0
			if c.cached > 0 {
				chars = c.prompt.tokens.ends[c.cached-1]
			}

			f := e.figures
			if c.prompt.cached != c.cached || f.HitTokens-before.HitTokens != c.hits ||
				f.CachedChars-before.CachedChars != chars ||
				f.QueriedTokens-before.QueriedTokens != c.n*c.prompt.tokens.len() ||
				f.PromptChars-before.PromptChars != len(c.prompt.text) {
				t.Errorf("%s: %d cached tokens; figures %+v after %+v", c.name, c.prompt.cached, f, before)
			}
		}
	})
	// What was written is in the cache, too, and a small cache forgets.
	bubble(t, Options{Slots: 1, CacheBlock: 2, CacheBlocks: 4}, func(t *testing.T, e *engine) {
		first := words("x", 4)
		whole := tokenize(first.text + " b c d e")
		q := &sequence{prompt: first, completion: whole.ids[4:]}
		next := &input{text: first.text + " b c d e f", tokens: tokenize(first.text + " b c d e f")}

		other := words("z", 9)
		for _, s := range []*sequence{q, {prompt: next}, {prompt: other}, {prompt: words("x", 4)}} {
			if err := e.run(t.Context(), []*sequence{s}); err != nil {
				t.Fatal(err)
			}
		}

		if next.cached != 8 || e.figures.HitTokens != 8 || e.cache.order.Len() != 4 {
			t.Errorf("cached %d, %d in all, %d blocks kept", next.cached, e.figures.HitTokens, e.cache.order.Len())
		}
	})
}

// Tokens are the whole text, and a longer text begins with the same ones.
func TestTokens(t *testing.T) {
	want := []string{"Action", " Input", ":", " ", "{", "\"", "conditio", "n", "\"", ":", " ", "\"", "200", "0", "-",
		"01", "\"", "}", "\n\n", "<|im_end|>", " é"}

	text := strings.Join(want, "")
	if diff := cmp.Diff(want, tokenize(text).strings(text)); diff != "" {
		t.Error(diff)
	}

	rapid.Check(t, func(t *rapid.T) {
		a := rapid.StringOf(rapid.SampledFrom([]rune("ab 1\n<|>é\uFFFD{"))).Draw(t, "a")
		b := rapid.String().Draw(t, "b")

		short, long := tokenize(a), tokenize(a+b)
		if got := strings.Join(long.strings(a+b), ""); got != a+b {
			t.Fatalf("tokens of %q are those of %q", a+b, got)
		}

		for i := range max(0, short.len()-1) {
			if short.ends[i] != long.ends[i] {
				t.Fatalf("token %d of %q ends at %d, of %q at %d", i, a, short.ends[i], a+b, long.ends[i])
			}
		}
	})
}

func FuzzTokenize(f *testing.F) {
	f.Add("Action Input: {\"x\": 12345}\n\n<|im_end|>", " \xff")
	f.Fuzz(func(t *testing.T, a, b string) {
		if got := strings.Join(tokenize(a+b).strings(a+b), ""); got != a+b {
			t.Fatalf("%q became %q", a+b, got)
		}
	})
}

// TestCacheForgets serves prompts of many blocks: what is remembered of them has a bound, whatever
// the options leave open.
func TestCacheForgets(t *testing.T) {
	for name, tt := range map[string]struct {
		o    Options
		want int // blocks
	}{
		"nothing said": {Options{}, 1 << 16},
		"memory":       {Options{KVTokens: 64_000}, 4_000},
		"blocks":       {Options{KVTokens: 64_000, CacheBlocks: 5}, 5},
	} {
		tt.o.Model, tt.o.Policy = "m", scripted.New(scripted.Profile{}, nil)

		o, err := tt.o.withDefaults()
		if err != nil {
			t.Fatal(err)
		}

		c := newPrefixCache(o.CacheBlock, o.CacheBlocks)
		for i := range uint64(2 << 16) {
			c.add([]uint64{i})
		}

		if len(c.entries) != tt.want || c.order.Len() != tt.want {
			t.Errorf("%s: %d blocks are remembered, want %d", name, len(c.entries), tt.want)
		}
	}
}
