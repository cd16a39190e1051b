package tensor

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/stategen"
)

var update = flag.Bool("update", false, "write golden files, and have PyTorch fill in its table where it is there")

const torchTable = "testdata/torch.jsonl"

// torchRun is some calls, and what PyTorch made of them.
type torchRun struct {
	Tensors map[string]loaded `json:"tensors"`
	Calls   []torchCall       `json:"calls"`
	Torch   string            `json:"torch,omitempty"` // the version
	Results [][]digest        `json:"results,omitempty"`
}

type loaded struct {
	Shape []int  `json:"shape"`
	Seed  uint32 `json:"seed"`
}

type torchCall struct {
	Tool string         `json:"tool"`
	Args stategen.Value `json:"args"`
}

// digest is what is compared of a tensor.
type digest struct {
	Shape   []int     `json:"shape"`
	Sum     float64   `json:"sum"`
	Above   int       `json:"above_mean"`
	Samples []float64 `json:"samples"`
}

// digestOf does what testdata/run_torch.py does.
func digestOf(t *Tensor) digest {
	d := digest{Shape: t.Shape, Sum: t.sum()}
	d.Above = t.above(d.Sum / float64(max(1, len(t.Data))))

	for i := range min(mostSamples, len(t.Data)) {
		d.Samples = append(d.Samples, float64(t.Data[i*len(t.Data)/mostSamples]))
	}
	return d
}

// program returns the run's tensors as the variables of a program, which need not have all numbers.
func (r torchRun) program() (*stategen.Program, map[string]any) {
	p := &stategen.Program{}
	for _, name := range slices.Sorted(maps.Keys(r.Tensors)) {
		p.Init = append(p.Init, loadedVariable(name, r.Tensors[name].Shape, r.Tensors[name].Seed))
	}
	return p, p.Values(stategen.Case{})
}

// digests runs the calls with the service.
func (r torchRun) digests() (all [][]digest, err error) {
	p, values := r.program()

	current, err := Domain{}.Begin(p, values)
	if err != nil {
		return nil, err
	}

	for _, c := range r.Calls {
		next, _, err := Domain{}.Call(current, c.Tool, c.Args.Any.(envs.Args))
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", c.Tool, pytext.AppendJSON(nil, c.Args.Any), err)
		}

		var made []digest
		for _, o := range next.(*state).objects[len(current.(*state).objects):] {
			made = append(made, digestOf(o.tensor))
		}

		all, current = append(all, made), next
	}
	return all, nil
}

// runOf returns the calls that a program makes.
func runOf(t *testing.T, p *stategen.Program) torchRun {
	t.Helper()

	r := torchRun{Tensors: map[string]loaded{}}

	for _, v := range p.Init {
		if v.Role == stategen.Loaded {
			a := &arguments{args: v.Value.Any.(envs.Args)}
			r.Tensors[v.Name] = loaded{a.integers(shapeMember), uint32(a.integer(seedMember, 0))}
		}
	}

	_, err := stategen.Replay(Domain{}, p, stategen.Case{}, func(tool string, args envs.Args) {
		r.Calls = append(r.Calls, torchCall{tool, stategen.Value{Any: args}})
	})
	if err != nil {
		t.Fatal(err)
	}

	return r
}

// compareRun compares what the service and PyTorch made of the same calls.
func compareRun(t *testing.T, r torchRun, ours, theirs [][]digest) {
	t.Helper()

	if len(ours) != len(r.Calls) || len(theirs) != len(r.Calls) {
		t.Fatalf("%d calls, %d results of ours and %d of PyTorch's", len(r.Calls), len(ours), len(theirs))
	}

	for i, c := range r.Calls {
		same := func(a, b digest) bool { return sameDigest(a, b, len(r.Calls) == 1) }
		if !slices.EqualFunc(ours[i], theirs[i], same) {
			t.Errorf("call %d, %s %s\n got %v\nwant %v", i+1, c.Tool, pytext.AppendJSON(nil, c.Args.Any), ours[i],
				theirs[i])
		}
	}
}

// sameDigest compares digests. How many elements are above the mean is exact after one call; later,
// an element may be within an error of the mean.
func sameDigest(a, b digest, exact bool) bool {
	slack := size(a.Shape...) / 1000
	if exact {
		slack = 0
	}
	return slices.Equal(a.Shape, b.Shape) && near(a.Sum, b.Sum) &&
		a.Above-b.Above <= slack && b.Above-a.Above <= slack &&
		slices.EqualFunc(a.Samples, b.Samples, near)
}

// PyTorch's own results, which it wrote down once, are those of the service.
func TestTorchTable(t *testing.T) {
	text, err := os.ReadFile(torchTable)
	if err != nil {
		t.Fatal(err)
	}

	calls := map[string]int{}

	for line := range strings.Lines(string(text)) {
		var r torchRun
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}

		ours, err := r.digests()
		if err != nil {
			t.Error(err)
			continue
		}

		compareRun(t, r, ours, r.Results)

		for _, c := range r.Calls {
			calls[c.Tool]++
		}
	}

	t.Log("calls by tool:", calls)

	for tool := range tools {
		if calls[tool] < 30 {
			t.Errorf("%d calls of %s, want 30", calls[tool], tool)
		}
	}
}

// A PyTorch that is there runs the calls of the table, and programs.
func TestTorch(t *testing.T) {
	python := os.Getenv("TOOLEVO_TORCH_PYTHON")
	if python == "" {
		t.Skip("TOOLEVO_TORCH_PYTHON is not set: the path of a python with torch")
	}

	rng := rand.New(rand.NewPCG(19, 1))
	runs := append(singleRuns(t, rng), oddRuns()...)
	table := len(runs)

	tasks := generated(t, 19, 150)
	for _, task := range tasks {
		runs = append(runs, runOf(t, &task.Program))
	}

	answers := askTorch(t, python, runs)
	t.Logf("torch %s, %d runs", answers[0].Torch, len(runs))

	for i, r := range runs {
		ours, err := r.digests()
		if err != nil {
			t.Error(err)
			continue
		}

		compareRun(t, r, ours, answers[i].Results)
	}

	counted := 0

	for i, task := range tasks {
		counted += sameBranch(t, task, answers[table+i].Results)
	}

	t.Logf("%d conditions on above_mean", counted)

	if *update {
		const programs = 12
		writeTable(t, runs[:table+programs], answers[:table+programs])
	}
}

// sameBranch checks that PyTorch finds as many elements above the mean as a condition says, and
// returns 1 for a task with such a condition.
func sameBranch(t *testing.T, task stategen.Task, results [][]digest) int {
	t.Helper()

	b := task.Program.Branch
	if b == nil || !slices.Contains(b.Test.Left.Path, "above_mean") {
		return 0
	}

	call, _ := strconv.Atoi(strings.TrimPrefix(b.Test.Left.Var, "r_"))
	made := results[call-1]

	got := number(made[len(made)-1].Above)
	if want := task.Program.Values(stategen.Case{})[b.Test.Right.Var]; got != want {
		t.Errorf("%s: PyTorch has %v elements above the mean, the condition compares with %v", task.ID, got, want)
	}
	return 1
}

func askTorch(t *testing.T, python string, runs []torchRun) []torchRun {
	t.Helper()

	var in, out bytes.Buffer

	for _, r := range runs {
		if err := json.NewEncoder(&in).Encode(r); err != nil {
			t.Fatal(err)
		}
	}

	cmd := exec.CommandContext(t.Context(), python, "testdata/run_torch.py")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &in, &out, os.Stderr

	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}

	answers := make([]torchRun, len(runs))
	decoder := json.NewDecoder(&out)

	for i := range answers {
		if err := decoder.Decode(&answers[i]); err != nil {
			t.Fatal(err)
		}
	}

	return answers
}

func writeTable(t *testing.T, runs, answers []torchRun) {
	t.Helper()

	var table bytes.Buffer

	for i, r := range runs {
		r.Torch, r.Results = answers[i].Torch, answers[i].Results
		for _, made := range r.Results {
			for j := range made {
				made[j].Sum = short(made[j].Sum)
				for k, x := range made[j].Samples {
					made[j].Samples[k] = short(x)
				}
			}
		}

		if err := json.NewEncoder(&table).Encode(r); err != nil {
			t.Fatal(err)
		}
	}

	if err := os.WriteFile(torchTable, table.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// short is a float32 with the digits that tell it from others, so that the table stays small.
func short(x float64) float64 {
	short, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', -1, 32), 64)
	return short
}

// singleRuns are calls of every tool that programs make, on small tensors.
func singleRuns(t *testing.T, rng *rand.Rand) (runs []torchRun) {
	t.Helper()

	const each = 38

	for _, draw := range draws {
		for made := 0; made < each; {
			s := smallStart(rng)

			p, ok := draw(s, rng, 0)
			if !ok {
				continue
			}

			s.Apply(s.candidate(p))

			program := s.Program()
			program.Result = &stategen.Expr{Value: &stategen.Value{}}
			runs = append(runs, runOf(t, &program))
			made++
		}
	}

	return runs
}

// oddRuns are calls that no program makes.
func oddRuns() (runs []torchRun) {
	add := func(tool, args string, shapes ...[]int) {
		r := torchRun{Tensors: map[string]loaded{}}
		for i, shape := range shapes {
			r.Tensors["user_tensor_"+strconv.Itoa(i)] = loaded{shape, math.MaxUint32 - uint32(i)}
		}

		v, err := pytext.DecodeStrict(args)
		if err != nil {
			panic(err)
		}

		r.Calls = []torchCall{{tool, stategen.Value{Any: v}}}
		runs = append(runs, r)
	}

	add("permute", `{"input": "user_tensor_0", "dims": [-1, 0, 1]}`, []int{2, 3, 4})
	add("permute", `{"input": "user_tensor_0", "dims": [0]}`, []int{7})
	add("transpose", `{"input": "user_tensor_0", "dim0": -3, "dim1": -1}`, []int{2, 3, 4})
	add("transpose", `{"input": "user_tensor_0", "dim0": 1, "dim1": 1}`, []int{2, 3})
	add("split", `{"input": "user_tensor_0", "split_size_or_sections": 3}`, []int{7, 2})
	add("split", `{"input": "user_tensor_0", "split_size_or_sections": 30, "dim": -1}`, []int{2, 7})
	add("split", `{"input": "user_tensor_0", "split_size_or_sections": [0, 5, 2], "dim": 1}`, []int{3, 7, 2})
	add("cat", `{"tensors": ["user_tensor_0"]}`, []int{2, 3})
	add("cat", `{"tensors": ["user_tensor_0", "user_tensor_1", "user_tensor_0"], "dim": -2}`, []int{2, 1, 3}, []int{2, 5, 3})
	add("linear", `{"input": "user_tensor_0", "weight": "user_tensor_1"}`, []int{5}, []int{3, 5})
	add("linear", `{"input": "user_tensor_0", "weight": "user_tensor_0"}`, []int{4, 4})

	const conv = `{"input": "user_tensor_0", "weight": "user_tensor_1"`

	for _, rest := range []string{
		`}`,
		`, "padding": 2}`,
		`, "stride": [2, 3], "padding": [0, 1]}`,
		`, "dilation": [1, 2], "padding": "same"}`,
		`, "stride": 3, "padding": [4, 4], "dilation": 2}`,
		`, "stride": [2], "padding": [1]}`,
	} {
		add("conv2d", conv+rest, []int{2, 3, 9, 8}, []int{4, 3, 3, 4})
	}

	add("conv2d", conv+`, "padding": "same"}`, []int{1, 2, 5, 5}, []int{1, 2, 4, 2})
	add("conv2d", conv+`}`, []int{1, 32, 30, 30}, []int{32, 32, 7, 7}) // its patches are unfolded in several steps
	return runs
}
