package confine

import (
	"errors"
	"testing"
)

func TestMissingError(t *testing.T) {
	reason := errors.New("for no reason")
	for _, test := range []struct {
		missing map[Wall]error
		want    string
	}{
		{map[Wall]error{Landlock: reason}, `the wall landlock is missing: for no reason
Without landlock a program can read every file that this user can read, among them the environments of this user's other processes; it still cannot write or remove a file, reach the network, start a process or signal one, nor exceed its limits.
Use a machine that has it, or accept to do without landlock.`},
		{map[Wall]error{Seccomp: reason,
			Landlock: errors.New("ditto")}, `the wall landlock is missing: ditto; the wall seccomp is missing: for no reason
Without landlock and seccomp nothing holds but a program's limits.
Use a machine that has it, or accept to do without landlock and seccomp.`},
	} {
		err := error(&MissingError{Missing: test.missing})
		if err.Error() != test.want {
			t.Errorf("%v\nwant\n%s", err, test.want)
		}

		if !errors.Is(err, reason) {
			t.Errorf("%v does not wrap its reasons", err)
		}
	}
}
