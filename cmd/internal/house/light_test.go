package house

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// heavy are what the program does without: each is megabytes, or milliseconds of every start, for
// something that a lighter package does.
var heavy = map[string]string{
	"/pqarrow":                       "Parquet is written and read through parquet/file",
	"/arrow/compute":                 "Parquet is written and read through parquet/file",
	"/arrow/flight":                  "Parquet is written and read through parquet/file",
	"google.golang.org/grpc":         "nothing here speaks gRPC",
	"github.com/tetratelabs/wazero":  "Python runs behind the walls of the kernel",
	"github.com/nlpodyssey/gopickle": "pickles are read by Python",
	"gonum.org/v1/plot":              "it links twelve fonts, PDF and TeX: finetune/tabulate draws figures",
}

// The program links no package that is heavy.
func TestLightBinary(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "toolevo/cmd/toolevo")

	out, err := list.Output()
	if err != nil {
		t.Fatalf("%v: %v", list, err)
	}

	for _, pkg := range strings.Fields(string(out)) {
		for name, instead := range heavy {
			if strings.Contains(pkg+"/", name+"/") {
				t.Errorf("the program links %s: %s", pkg, instead)
			}
		}
	}

	if !slices.Contains(strings.Fields(string(out)), "toolevo/finetune/tabulate") {
		t.Error("the list of packages is not that of the program")
	}
}
