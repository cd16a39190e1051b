package wire

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// refusing is a listener that has an error of each call.
type refusing struct {
	net.Listener
	errs []error
}

func (l *refusing) Accept() (net.Conn, error) {
	err := l.errs[0]
	l.errs = l.errs[1:]
	return nil, err
}

// A server that can take no connection says why and what to do, and says it again after a minute
// only.
func TestAcceptorSays(t *testing.T) {
	full := &net.OpError{Op: "accept", Err: syscall.EMFILE}
	crowded := &net.OpError{Op: "accept", Err: syscall.ENFILE}
	reset := &net.OpError{Op: "accept", Err: syscall.ECONNABORTED}

	for name, tt := range map[string]struct {
		errs []error
		says []string
	}{
		"no descriptors":           {[]error{full, full, nil, full}, []string{"ulimit -n"}},
		"none in the whole system": {[]error{nil, crowded}, []string{"ulimit -n"}},
		"something else":           {[]error{reset}, []string{"connection abort"}},
		"the end of the server":    {[]error{nil, fmt.Errorf("accept: %w", net.ErrClosed)}, nil},
		"nothing":                  {[]error{nil, nil}, nil},
		"again after a minute":     {slices.Repeat([]error{full}, 70), []string{"open files", "open files"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var said []string

				l := &acceptor{
					Listener: &refusing{errs: slices.Clone(tt.errs)},
					say: func(format string, args ...any) {
						said = append(said, fmt.Sprintf(format, args...))
					},
				}

				for _, want := range tt.errs {
					if _, err := l.Accept(); !errors.Is(err, want) {
						t.Errorf("it returns %v, not %v", err, want)
					}

					<-time.After(time.Second)
				}

				same := func(line, want string) bool { return strings.Contains(line, want) }
				if !slices.EqualFunc(said, tt.says, same) {
					t.Errorf("it says %q, want %q", said, tt.says)
				}
			})
		})
	}
}
