package remote

import (
	"testing"
	"time"
)

// SetPatienceWithProbe sets how long servers may take to say which revisions they know, for a test.
func SetPatienceWithProbe(t *testing.T, d time.Duration) {
	was := patienceWithProbe
	patienceWithProbe = d
	t.Cleanup(func() { patienceWithProbe = was })
}
