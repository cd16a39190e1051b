package simserver

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// text is a prompt of " head" twenty times and then of other words, a token each.
func text(words string) *input {
	whole := strings.Repeat(" head", 20)
	for word := range strings.FieldsSeq(words) {
		whole += strings.Repeat(" "+word, 10)
	}
	return &input{text: whole, tokens: tokenize(whole)}
}

// on makes sequences ask for a slot.
func on(slot int, list []*sequence) []*sequence {
	for _, s := range list {
		s.wanted = &slot
	}
	return list
}

// Four conversations begin with the same twenty tokens and add ten in each turn. Slots that are
// left to themselves push prompts out that share their head, as llama.cpp does; conversations that
// are told their slot, two at a time, are read once.
func TestFourConversationsOnTwoSlots(t *testing.T) {
	const any = -1

	type request struct{ slot, read, ran int } // the slot asked for, tokens read, the slot it ran on

	for _, test := range []struct {
		name  string
		turns []string
		want  []request
	}{
		{
			"in turn, anywhere",
			[]string{"a", "b", "c", "d", "a a", "b b", "c c", "d d"},
			[]request{
				{any, 30, 1},                             // of unused slots the last
				{any, 10, 1}, {any, 10, 1}, {any, 10, 1}, // 20 of 30 tokens are there already
				{any, 20, 1}, {any, 20, 1}, {any, 20, 1}, {any, 20, 1}, // the head is left
			},
		},
		{
			"in turn, each told its slot",
			[]string{"a", "b", "c", "d", "a a", "b b", "c c", "d d"},
			[]request{
				{0, 30, 0}, {1, 30, 1}, {0, 10, 0}, {1, 10, 1},
				{0, 20, 0}, {1, 20, 1}, {0, 20, 0}, {1, 20, 1},
			},
		},
		{
			"two at a time, each told its slot",
			[]string{"a", "b", "a a", "b b", "c", "d", "c c", "d d"},
			[]request{
				{0, 30, 0}, {1, 30, 1}, {0, 10, 0}, {1, 10, 1},
				// Numbers beyond the last slot begin again.
				{2, 10, 0}, {3, 10, 1}, {2, 10, 0}, {3, 10, 1},
			},
		},
	} {
		bubble(t, Options{Slots: 2, PromptPerSlot: true}, func(t *testing.T, e *engine) {
			var got []request

			for i, words := range test.turns {
				list := sequences(text(words), 1, 1)
				if wanted := test.want[i].slot; wanted != any {
					on(wanted, list)
				}

				before := e.stats().PromptTokensRead
				if err := e.run(t.Context(), list); err != nil {
					t.Fatal(err)
				}

				read := e.stats().PromptTokensRead - before
				got = append(got, request{test.want[i].slot, read, list[0].slot})
			}

			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(request{})); diff != "" {
				t.Errorf("%s:\n%s", test.name, diff)
			}
		})
	}
}

// Llama.cpp's server does not choose a slot for a tenth of a prompt or less, and goes by age then.
// Ollama goes by any beginning, and takes the first free slot for a prompt that no slot knows.
func TestChooseSlot(t *testing.T) {
	moment := time.Now()
	ids := slices.Repeat([]uint32{1}, 20)

	for _, test := range []struct {
		name           string
		kind           Kind
		held           []int // of the prompt, in each slot
		freed          []int // in which order; 0 is never
		free           []int
		want, wantHeld int
	}{
		{"the longest", VLLM, []int{4, 9, 9, 3}, []int{1, 2, 3, 4}, []int{0, 1, 2, 3}, 1, 9},
		{"the longest that is free", VLLM, []int{4, 9, 9, 3}, []int{1, 2, 3, 4}, []int{0, 3}, 0, 4},
		{"too little", VLLM, []int{2, 1, 2, 2}, []int{3, 2, 1, 4}, []int{0, 1, 3}, 1, 1},
		{"never used", VLLM, []int{0, 0, 0, 2}, []int{1, 0, 0, 2}, []int{0, 1, 2, 3}, 2, 0},
		{"any beginning", Ollama, []int{0, 1, 2, 2}, []int{3, 2, 1, 4}, []int{0, 1, 3}, 3, 2},
		{"nothing in common", Ollama, []int{0, 0, 0, 2}, []int{3, 0, 1, 4}, []int{0, 1, 2}, 0, 0},
	} {
		k := newSlotPrompts(&Options{Kind: test.kind, Slots: 4, PromptPerSlot: true})
		for slot, n := range test.held {
			k.held[slot] = slices.Concat(ids[:n], []uint32{2, 3})
			if test.freed[slot] > 0 {
				k.freed[slot] = moment.Add(time.Duration(test.freed[slot]) * time.Second)
			}
		}

		got := k.choose(ids, test.free)
		if held := k.common(got, ids); got != test.want || held != test.wantHeld {
			t.Errorf("%s: slot %d, which holds %d tokens, want %d and %d", test.name, got, held,
				test.want, test.wantHeld)
		}
	}
}

// ending runs requests that arrive a second after one another, and says after how many seconds each
// ended.
func ending(t *testing.T, e *engine, requests ...[]*sequence) []float64 {
	t.Helper()

	start, ends := time.Now(), make([]float64, len(requests))
	done := make(chan error)

	for i, list := range requests {
		go func() {
			<-time.After(time.Duration(i) * time.Second)

			err := e.run(t.Context(), list)
			ends[i] = time.Since(start).Seconds()
			done <- err
		}()
	}

	for range requests {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}

	return ends
}

// Samples of one request take a slot each at the same time: one reads the prompt, the others wait
// for that, and leave nothing behind.
func TestSamplesOnSlots(t *testing.T) {
	latency := Latency{PrefillPerSecond: 10, DecodePerSecond: 1}
	bubble(t, Options{Slots: 3, PromptPerSlot: true, Latency: latency}, func(t *testing.T, e *engine) {
		three := sequences(text("a"), 3, 4)
		if ends := ending(t, e, three); ends[0] != 3+4 { // 30 tokens at 10 a second, 4 at 1 a second
			t.Errorf("three samples took %v s", ends)
		}

		if st := e.stats(); st.PromptTokensRead != 30 || st.PromptTokens != 90 || st.MaxRunning != 3 {
			t.Errorf("%+v", st.Counts)
		}

		// The last token that is written does not go through the model.
		for slot, held := range e.prompts.held {
			if want := []int{0, 0, 30 + 3}[slot]; len(held) != want {
				t.Errorf("slot %d holds %d tokens, want %d", slot, len(held), want)
			}
		}
	})
	// Two slots are busy until 9 and 11. Three samples wait for both; what comes later and needs
	// one slot does not.
	bubble(t, Options{Slots: 3, PromptPerSlot: true, Latency: latency}, func(t *testing.T, e *engine) {
		first := on(0, sequences(words("x", 10), 1, 8))
		second := on(1, sequences(words("y", 10), 1, 9))
		three, single := sequences(words("v", 10), 3, 1), sequences(words("w", 10), 1, 1)

		ends := ending(t, e, first, second, three, single)
		if want := []float64{9, 11, 13, 5}; !slices.Equal(ends, want) {
			t.Errorf("ended after %v s, want %v", ends, want)
		}
	})
}

// A request waits for the slot that it asks for, whatever else is free, and has it before those
// that arrived before it and would take any.
func TestWaitForSlot(t *testing.T) {
	o := Options{Slots: 2, PromptPerSlot: true, Latency: Latency{DecodePerSecond: 1}}
	bubble(t, o, func(t *testing.T, e *engine) {
		one := func(m int) []*sequence { return sequences(words("x", 3), 1, m) }

		ends := ending(t, e, on(1, one(9)), on(1, one(2)), on(0, one(2)))
		if want := []float64{9, 11, 4}; !slices.Equal(ends, want) {
			t.Errorf("slot 0 was free all the time: ended after %v s, want %v", ends, want)
		}

		ends = ending(t, e, on(1, one(9)), on(0, one(9)), one(3), on(1, one(4)))
		if want := []float64{9, 10, 13, 13}; !slices.Equal(ends, want) {
			t.Errorf("all were busy: ended after %v s, want %v", ends, want)
		}

		st := e.stats()
		if st.MaxWaiting != 2 || st.Completed != 7 || st.Waiting != 0 || st.Running != 0 {
			t.Errorf("%+v", st)
		}
	})
}

// What was read until a client went away stays in the slot, and the slot goes to who waits for it.
func TestAbortOnSlot(t *testing.T) {
	o := Options{Slots: 1, PromptPerSlot: true, Latency: Latency{PrefillPerSecond: 10}}
	bubble(t, o, func(t *testing.T, e *engine) {
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()

		done := make(chan error, 1)
		go func() { done <- e.run(ctx, sequences(text("a"), 1, 1)) }()

		synctest.Wait()

		next := sequences(text("a"), 1, 1)
		if err := e.run(t.Context(), next); err != nil || <-done == nil {
			t.Fatal(err)
		}

		// The first read half of its 30 tokens in half of its time.
		if st := e.stats(); st.PromptTokensRead != 30+15 || st.Aborted != 1 {
			t.Errorf("%+v", st.Counts)
		}
	})
}

func TestPauseOfSlots(t *testing.T) {
	bubble(t, Options{Slots: 2, PromptPerSlot: true}, func(t *testing.T, e *engine) {
		e.pause(true)

		done := make(chan error)
		for range 3 {
			go func() { done <- e.run(t.Context(), sequences(text("a"), 2, 3)) }()
		}

		synctest.Wait()

		if st := e.stats(); st.Waiting != 6 || st.Running != 0 {
			t.Errorf("%d waiting, %d running", st.Waiting, st.Running)
		}

		e.pause(false)

		for range 3 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}

		if st := e.stats(); st.Completed != 6 || st.Running != 0 {
			t.Errorf("%+v", st)
		}
	})
}
