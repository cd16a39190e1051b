package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"toolevo/envs/disk"
)

const (
	playing   = "player"
	answering = 10 * time.Minute // no limit
)

func init() { Serve(playing, play) }

// play does what requests say: a verb, and what it needs.
func play(in io.Reader, out io.Writer) error {
	for {
		request, err := ReadFrame(in, 1<<20)
		if err != nil {
			return err
		}

		answer := ""

		switch verb, rest, _ := strings.Cut(string(request), " "); verb {
		case "say":
			answer = rest
		case "who":
			answer = strconv.Itoa(os.Getpid())
		case "hang":
			select {}
		case "toil":
			for {
				answer = strconv.Itoa(len(answer))
			}
		case "rest":
			d, err := time.ParseDuration(rest)
			if err != nil {
				return err
			}
			<-time.After(d)
		case "fail":
			return errors.New(rest)
		case "read":
			text, err := os.ReadFile(rest)
			answer = fmt.Sprintf("%s %v", text, err)
		case "fill", "flood": // files of a MiB each
			for i := 0; verb == "flood" || strconv.Itoa(i) != rest; i++ {
				path := filepath.Join(os.Getenv("TMPDIR"), strconv.Itoa(i%1000))
				if err := os.WriteFile(path, make([]byte, 1<<20), 0o600); err != nil {
					return err
				}
			}

			time.AfterFunc(2*shortCall, func() { WriteFrame(out, nil) })

			continue
		}

		if err := WriteFrame(out, []byte(answer)); err != nil {
			return err
		}
	}
}

func players(t *testing.T, n int) *Pool {
	t.Helper()

	p := NewPool(n, func(context.Context) (*Child, error) { return StartSelf(playing, nil) })
	t.Cleanup(p.Close)
	return p
}

func call(t *testing.T, p *Pool, request string) string {
	t.Helper()

	answer, _, err := p.Call(t.Context(), []byte(request), Limits{Time: answering, Answer: 1 << 20, Scratch: 1 << 30})
	if err != nil {
		t.Fatalf("%s: %v", request, err)
	}
	return string(answer)
}

func TestCalls(t *testing.T) {
	p := players(t, 2)
	first := call(t, p, "who")

	long := strings.Repeat("x", 200_000)
	if got := call(t, p, "say "+long); got != long {
		t.Errorf("%d bytes came back", len(got))
	}

	if again := call(t, p, "who"); again != first {
		t.Errorf("child %s answered, and then %s", first, again)
	}

	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			if got := call(t, p, fmt.Sprint("say ", i)); got != strconv.Itoa(i) {
				t.Errorf("%d: %q", i, got)
			}
		})
	}

	wg.Wait()

	_, _, err := p.Call(t.Context(), []byte("say more than it may"), Limits{Time: answering, Answer: 5})
	if err == nil {
		t.Error("an answer that is too long was taken")
	}

	p.Close()

	if _, _, err := p.Call(t.Context(), nil, Limits{}); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// The second child is started when the first is taken, and no third, which no call may need.
func TestSpare(t *testing.T) {
	started := make(chan struct{}, 8)
	p := NewPool(2, func(context.Context) (*Child, error) {
		started <- struct{}{}
		return StartSelf(playing, nil)
	})

	first := call(t, p, "who")

	<-started
	<-started

	if again := call(t, p, "who"); again != first {
		t.Errorf("child %s answered, and then the spare, %s", first, again)
	}

	p.Close()

	if n := len(started); n > 0 {
		t.Errorf("%d children more than calls at once", n)
	}
}

// What ends a child ends one call.
func TestEnds(t *testing.T) {
	p := players(t, 1)

	for _, tt := range []struct {
		request string
		limits  Limits
		want    error
	}{
		{"hang", Limits{Time: 50 * time.Millisecond}, ErrLate},
		{"hang", Limits{Time: 20 * time.Millisecond, Stretch: 3}, ErrLate},
		{"toil", Limits{Time: 50 * time.Millisecond, Stretch: 1e6}, ErrLate}, // and not after fourteen hours
		{"flood", Limits{Time: answering, Scratch: 10 << 20}, ErrScratch},
		{"hang", Limits{Time: answering}, context.Canceled},
	} {
		before := call(t, p, "who")

		ctx, cancel := context.WithCancel(t.Context())
		if tt.want == context.Canceled {
			time.AfterFunc(10*time.Millisecond, cancel)
		}

		if _, _, err := p.Call(ctx, []byte(tt.request), tt.limits); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.request, err, tt.want)
		}

		cancel()

		if after := call(t, p, "who"); after == before {
			t.Errorf("%s: the child lives on", tt.request)
		}
	}

	_, _, err := p.Call(t.Context(), []byte("fail since it was told to"), Limits{Time: answering})

	var died *DiedError
	if !errors.As(err, &died) || died.Killed || !strings.Contains(died.Said, "exit status 1: player: since it was") {
		t.Errorf("a child that fails: %v", err)
	}
}

// Children that died while they were idle, or of an earlier call, are not this call's doing.
func TestIdleChildrenThatDied(t *testing.T) {
	p := players(t, 2)

	// Both at once, so that both are idle afterwards.
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { call(t, p, "rest 50ms") })
	}

	wg.Wait()
	p.starting.Wait()

	for _, c := range p.idle {
		c.Kill()
		<-c.dead
	}

	if got := call(t, p, "say so"); got != "so" {
		t.Errorf("it says %q", got)
	}
}

// A child that a busy machine keeps from running, as one that rests does not run, has longer.
func TestKeptWaiting(t *testing.T) {
	p := players(t, 1)
	call(t, p, "who") // its start is work
	limits := Limits{Time: 100 * time.Millisecond, Stretch: 1e6, Answer: 1 << 10, Scratch: 1 << 20}

	if _, _, err := p.Call(t.Context(), []byte("rest 500ms"), limits); err != nil {
		t.Error(err)
	}

	limits.Stretch = 0
	if _, _, err := p.Call(t.Context(), []byte("rest 1h"), limits); !errors.Is(err, ErrLate) {
		t.Errorf("without it: %v", err)
	}
}

func TestScratch(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("SQLITE_TMPDIR", temp)

	p := players(t, 1)
	limits := Limits{Time: answering, Answer: 10, Scratch: 10 << 20}

	for _, mib := range []int64{3, 10, 1} {
		_, spilled, err := p.Call(t.Context(), fmt.Append(nil, "fill ", mib), limits)
		if err != nil || spilled != mib<<20 {
			t.Errorf("%d MiB: %d bytes, %v", mib, spilled, err)
		}
	}

	// One whose owner was killed has no lock.
	left, err := disk.MkdirTemp(temp, scratchPrefix)
	if err != nil {
		t.Fatal(err)
	}
	left.Close()

	held, err := filepath.Glob(filepath.Join(temp, "*"))
	if err != nil || len(held) != 2 {
		t.Fatal(held, err)
	}

	next, err := newScratch(temp)
	if err != nil {
		t.Fatal(err)
	}

	next.remove()

	if now, err := filepath.Glob(filepath.Join(temp, "*")); err != nil || len(now) != 1 ||
		now[0] == left.Name() {
		t.Error("after sweeping: ", now, err)
	}

	p.Close()

	if now, err := filepath.Glob(filepath.Join(temp, "*")); err != nil || len(now) != 0 {
		t.Error("after Close: ", now, err)
	}
}

// A child reads what it may, and no other file.
func TestWalls(t *testing.T) {
	dir := t.TempDir()
	open, secret := filepath.Join(dir, "open"), filepath.Join(dir, "secret")

	for _, path := range []string{open, secret} {
		if err := os.WriteFile(path, []byte(filepath.Base(path)), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	p := NewPool(1, func(context.Context) (*Child, error) { return StartSelf(playing, []string{open}) })
	defer p.Close()

	if got := call(t, p, "read "+open); got != "open <nil>" {
		t.Error(got)
	}

	if got := call(t, p, "read "+secret); !strings.Contains(got, "permission denied") {
		t.Error(got)
	}
}

func TestFrames(t *testing.T) {
	var b bytes.Buffer
	for _, frame := range []string{"", "one", "three"} {
		if err := WriteFrame(&b, []byte(frame)); err != nil {
			t.Fatal(err)
		}
	}

	for _, want := range []string{"", "one"} {
		if got, err := ReadFrame(&b, 3); err != nil || string(got) != want {
			t.Errorf("%q, %v", got, err)
		}
	}

	if got, err := ReadFrame(&b, 4); err == nil {
		t.Errorf("%q is longer than it may be", got)
	}

	if got, err := ReadFrame(strings.NewReader("\x00\x00\x00\x05one"), 9); err != io.ErrUnexpectedEOF {
		t.Errorf("%q, %v", got, err)
	}
}

// FuzzReadFrame shows that no bytes make a frame longer than allowed, and that a frame written is
// read.
func FuzzReadFrame(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x02ab"), 10)
	f.Add([]byte("\xff\xff\xff\xffab"), 10)
	f.Add([]byte("\x00\x00"), 0)
	f.Fuzz(func(t *testing.T, text []byte, most int) {
		most %= 1 << 20
		if frame, err := ReadFrame(strings.NewReader(string(text)), most); err == nil && len(frame) > max(0, most) {
			t.Errorf("%d bytes, where %d are the most", len(frame), most)
		}

		var b strings.Builder
		if err := WriteFrame(&b, text); err != nil {
			t.Fatal(err)
		}

		if frame, err := ReadFrame(strings.NewReader(b.String()), len(text)); err != nil ||
			string(frame) != string(text) {
			t.Errorf("%q is read as %q, %v", text, frame, err)
		}
	})
}
