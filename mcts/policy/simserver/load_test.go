package simserver

import (
	"testing"
	"testing/synctest"
	"time"
)

// A client that always has enough in flight keeps every slot busy: none of the idle time is the
// engine's.
func TestSlotsStayBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := Options{
			Kind:       VLLM,
			Slots:      64,
			CacheBlock: 16,
			Speed:      1,
			Latency:    Latency{PerCompletion: 200 * time.Millisecond},
		}
		e := newEngine(&o)
		start := time.Now()

		for range 32 {
			go func() {
				p := words("x", 40)
				for range 20 {
					if err := e.run(t.Context(), sequences(p, 5, 10)); err != nil {
						t.Error(err)
					}
				}
			}()
		}

		<-time.After(9 * time.Second)

		st := e.stats()

		st.First = start
		if got := st.Occupied(); got < 0.999 || st.MaxRunning != 64 {
			t.Errorf("slots were in use %v of the time, %d at most", got, st.MaxRunning)
		}

		<-time.After(time.Hour)

		if st := e.stats(); st.Completed != 32*20*5 || st.Running != 0 {
			t.Errorf("%+v", st)
		}
	})
}
