package cmdline

import "testing"

func TestArguments(t *testing.T) {
	t.Parallel()

	for use, want := range map[string][2]int{
		"collect":                    {0, 0},
		"diff NAME|FILE NAME|FILE":   {2, 2},
		"inspect RUN [Q [TREE [N]]]": {1, 4},
		"compare RUN...":             {1, -1},
		"view [RUN…]":                {0, -1},
		"replay RUN --set KEY=VALUE": {1, 1},
		"finetune EXPORT [-- FLAGS]": {1, 1},
	} {
		if least, most := Arguments(use); least != want[0] || most != want[1] {
			t.Errorf("%s: %d to %d arguments, want %v", use, least, most, want)
		}
	}
}
