package tensor

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"toolevo/envs"
	"toolevo/envs/pytext"
	"toolevo/envs/stategen"
	"toolevo/envs/toolapi"
)

// shapes are those of the loaded tensors of begun.
var shapes = [][]int{{2, 3, 6, 6}, {4, 3, 3, 3}, {5, 6}, {7}, {4, 2, 3, 3}, {32, 32, 32, 32}, {32, 32, 7, 7}}

// begun returns a state with tensors of these shapes.
func begun(t testing.TB) stategen.State {
	t.Helper()

	s := &schema{Growing: stategen.NewGrowing("tensor", nil)}
	for i, shape := range shapes {
		s.load(shape, uint32(i))
	}

	p := s.Program()

	begun, err := Domain{}.Begin(&p, p.Values(stategen.Case{}))
	if err != nil {
		t.Fatal(err)
	}
	return begun
}

func parsed(t testing.TB, text string) envs.Args {
	t.Helper()

	v, err := pytext.DecodeStrict(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v.(envs.Args)
}

// Every mistake is refused in words that say what was wrong.
func TestRefusals(t *testing.T) {
	const table = "testdata/refusals.txt"

	text, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}

	var written strings.Builder

	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "\t") {
			continue
		}

		tool, args, _ := strings.Cut(strings.TrimSpace(line), " ")
		_, _, err := Domain{}.Call(begun(t), tool, parsed(t, args))

		var refusal *stategen.Refusal
		if !errors.As(err, &refusal) {
			t.Fatalf("%s: %v, want a refusal", line, err)
		}

		written.WriteString(line + "\t" + refusal.Text + "\n")
	}

	if *update {
		if err := os.WriteFile(table, []byte(written.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if written.String() != string(text) {
		t.Errorf("%s is out of date (-update writes it):\n%s", table, written.String())
	}
}

// A call of a tool that the domain does not have is a mistake of ours, and no refusal.
func TestNoSuchTool(t *testing.T) {
	var refusal *stategen.Refusal
	if _, _, err := (Domain{}).Call(begun(t), "relu", nil); err == nil || errors.As(err, &refusal) {
		t.Error(err)
	}
}

// What a caller sees of results.
func TestValues(t *testing.T) {
	s := begun(t)

	call := func(tool, args string) string {
		next, v, err := Domain{}.Call(s, tool, parsed(t, args))
		if err != nil {
			t.Fatal(err)
		}

		s = next
		return string(pytext.AppendJSON(nil, v))
	}

	for _, c := range []struct{ tool, args, want string }{
		{
			"transpose", `{"input": "user_tensor_3", "dim0": 0, "dim1": 0}`,
			`{"tensor": "tensor_1", "dtype": "float32", "shape": [7], "sum": 1.1875, "above_mean": 4}`,
		},
		{
			"split", `{"input": "tensor_1", "split_size_or_sections": 4}`,
			`[{"tensor": "tensor_2", "dtype": "float32", "shape": [4], "sum": 2.5, "above_mean": 3}, ` +
				`{"tensor": "tensor_3", "dtype": "float32", "shape": [3], "sum": -1.3125, "above_mean": 1}]`,
		},
		{
			"cat", `{"tensors": ["tensor_3"]}`,
			`{"tensor": "tensor_4", "dtype": "float32", "shape": [3], "sum": -1.3125, "above_mean": 1}`,
		},
	} {
		if got := call(c.tool, c.args); got != c.want {
			t.Errorf("%s %s:\n got %s\nwant %s", c.tool, c.args, got, c.want)
		}
	}
}

// A call leaves its state as it was: two calls in one state know nothing of each other.
func TestStatesAreImmutable(t *testing.T) {
	s, args := begun(t), parsed(t, `{"input": "user_tensor_2", "dims": [1, 0]}`)

	first, a, err := Domain{}.Call(s, "permute", args)
	if err != nil {
		t.Fatal(err)
	}

	_, b, err := Domain{}.Call(s, "permute", args)
	if err != nil || !stategen.Equal(a, b) {
		t.Errorf("%v, then %v: %v", a, b, err)
	}

	second, _, _ := Domain{}.Call(first, "linear", parsed(t, `{"input": "user_tensor_2", "weight": "user_tensor_2"}`))
	other, _, _ := Domain{}.Call(first, "permute", parsed(t, `{"input": "tensor_1", "dims": [1, 0]}`))

	if x, y := second.(*state).find("tensor_2"), other.(*state).find("tensor_2"); slices.Equal(x.Data, y.Data) {
		t.Error("a call changed the state beside it")
	}

	if s.(*state).find("tensor_1") != nil {
		t.Error("a call changed its state")
	}
}

// A program whose tensors cannot be made has no beginning.
func TestBeginRejects(t *testing.T) {
	for _, value := range []any{
		nil,
		"user_tensor_0",
		parsed(t, `{"shape": [2]}`),
		parsed(t, `{"shape": [2], "seed": -1}`),
		parsed(t, `{"shape": [2], "seed": 4294967296}`),
		parsed(t, `{"shape": [2, 0], "seed": 1}`),
		parsed(t, `{"shape": [-2, -2], "seed": 1}`),
		parsed(t, `{"shape": [4096, 4096], "seed": 1}`),
		parsed(t, `{"shape": [4294967296, 4294967296], "seed": 1}`),
	} {
		p := stategen.Program{Init: []stategen.Variable{{
			Name: "x", Role: stategen.Loaded, Value: stategen.Value{Any: value},
		}}}

		if _, err := (Domain{}).Begin(&p, p.Values(stategen.Case{})); err == nil {
			t.Errorf("a tensor from %v", value)
		}
	}

	s := &schema{Growing: stategen.NewGrowing("tensor", nil)}
	for range mostLoaded/mostElements + 1 {
		s.load([]int{mostElements}, 1)
	}

	p := s.Program()
	if _, err := (Domain{}).Begin(&p, p.Values(stategen.Case{})); err == nil {
		t.Errorf("a program with %d large tensors", len(p.Init))
	}
}

func TestSame(t *testing.T) {
	tensor := func(shape []int, data ...float32) *Tensor { return &Tensor{Shape: shape, Data: data} }
	nan := float32(math.NaN())
	list := func(all ...any) []any { return all }

	for _, c := range []struct {
		got, want any
		same      bool
	}{
		{tensor([]int{2}, 1, 2), tensor([]int{2}, 1.01, 2.029), true},
		{tensor([]int{2}, 1, 2), tensor([]int{2}, 1.03, 2), false},
		{tensor([]int{2}, 1, 2), tensor([]int{1, 2}, 1, 2), false},
		{tensor([]int{1}, nan), tensor([]int{1}, nan), false},
		{tensor([]int{1}, 1), envs.Number("1"), false},
		{envs.Number("1"), tensor([]int{1}, 1), false},
		{nil, tensor([]int{1}, 1), false},
		{envs.Args{}, tensor([]int{1}, 1), false},
		{envs.Number("1000000"), envs.Number("1009999"), true},
		{envs.Number("1000000"), envs.Number("1020000"), false},
		{envs.Number("0.01"), envs.Number("0"), true},
		{envs.Number("NaN"), envs.Number("NaN"), false},
		{"1", envs.Number("1"), false},
		{envs.Number("1"), "1", false},
		{list(envs.Number("1"), "x"), list(envs.Number("1.001"), "x"), true},
		{list(envs.Number("1")), list(envs.Number("1"), "x"), false},
		{parsed(t, `{"sum": 1.0001, "shape": [2]}`), parsed(t, `{"shape": [2], "sum": 1}`), true},
		{parsed(t, `{"sum": 1}`), parsed(t, `{"shape": [2], "sum": 1}`), false},
		{nil, nil, true},
	} {
		if got := (Domain{}).Same(c.got, c.want); got != c.same {
			t.Errorf("%v and %v: %v, want %v", c.got, c.want, got, c.same)
		}
	}
}

// The content of a handle, of the value of a tensor, and of those in a list, is the tensor.
func TestContent(t *testing.T) {
	s := begun(t)
	want := s.(*state).find("user_tensor_1")

	got := Domain{}.Content(s, []any{"user_tensor_1", parsed(t, `{"tensor": "user_tensor_1", "sum": 7}`), "x",
		envs.Number("3")})

	if list := got.([]any); list[0] != want || list[1] != want || list[2] != "x" || list[3] != envs.Number("3") {
		t.Errorf("%v", list)
	}

	record := string(pytext.AppendJSON(nil, Domain{}.Record([]any{s.(*state).find("user_tensor_3"), envs.Number("3")})))
	if want := `[{"shape": [7], "dtype": "float32", "sum": 1.1875, "samples": ` +
		`[0.6875, 0.6875, 0.8125, 0.9375, 0.0625, -0.8125, -0.9375]}, 3]`; record != want {
		t.Errorf("\n got %s\nwant %s", record, want)
	}
}

// A loaded tensor has the elements that the package comment says: the digits of SplitMix64, whose
// first number for seed 0 is known.
func TestElements(t *testing.T) {
	const first = "e220a8397b1dcdaf"

	got := elements(0, 20)
	for i := range len(first) {
		digit := strings.IndexByte("0123456789abcdef", first[len(first)-1-i])
		if want := float32(2*digit-15) / 16; got[i] != want {
			t.Errorf("element %d is %v, want %v", i, got[i], want)
		}
	}

	if short := elements(0, 5); !slices.Equal(short, got[:5]) {
		t.Errorf("the first five are %v of 5 and %v of 20", short, got[:5])
	}
}

// The tools of the file, those of the service and those that programs draw are the same, and make a
// version.
func TestTools(t *testing.T) {
	names := Domain{}.Counted()
	if len(names) != len(tools) || len(names) != len(draws) {
		t.Errorf("%d tools in the file, %d in the service, %d in programs", len(names), len(tools), len(draws))
	}

	for _, api := range (Domain{}).APIs() {
		if tools[api.Name] == nil || api.Description == "" {
			t.Errorf("%s has no function or no description", api.Name)
		}
	}
}

// The calls that programs make fit the tools as the file describes them.
func TestCallsFitTheTools(t *testing.T) {
	apis := slices.Clone(Domain{}.APIs())
	for _, system := range []string{envs.FinishTool, envs.UpdateTool} {
		only := toolapi.Parameters{All: []toolapi.Parameter{{Name: "text"}}}
		apis = append(apis, toolapi.APISpec{Name: system, Description: "A tool of the protocol.", Parameters: only})
	}

	catalog, err := toolapi.NewCatalog(&toolapi.Spec{
		Version: "p_c", Base: true, APIs: apis,
		Messages: toolapi.Messages{Deprecated: "Use {{.Signature}}, e.g. {{.Example}}.", Invalid: "No such API."},
	})
	if err != nil {
		t.Fatal(err)
	}

	version, err := catalog.Version("p_c")
	if err != nil {
		t.Fatal(err)
	}

	for _, r := range slices.Concat(singleRuns(t, rand.New(rand.NewPCG(13, 14))), oddRuns()) {
		for _, c := range r.Calls {
			api, _ := version.API(c.Tool)
			if _, err := api.Lower(c.Args.Any.(envs.Args)); err != nil {
				t.Errorf("%s %s: %v", c.Tool, pytext.AppendJSON(nil, c.Args.Any), err)
			}
		}
	}
}

// Whatever the arguments, a call returns a result within bounds or a refusal.
func FuzzCall(f *testing.F) {
	for name := range tools {
		f.Add(name, `{"input": "user_tensor_0", "weight": "user_tensor_1", "dims": [3, 2, 1, 0], "dim0": 0, "dim1": 1, `+
			`"split_size_or_sections": [1, 1], "dim": 0, "tensors": ["user_tensor_0"], "stride": 1, "padding": "same"}`)
		f.Add(name, `{"input": "user_tensor_2", "weight": "user_tensor_2", "dims": [-1, 0], "dim0": -1, "dim1": 1, `+
			`"split_size_or_sections": 9223372036854775807, "dim": -9223372036854775808, "tensors": []}`)
	}

	f.Add("conv2d", `{"input": "user_tensor_0", "weight": "user_tensor_1", "stride": [65536, 1], "padding": 65536, `+
		`"dilation": 65536}`)
	f.Add("conv2d", `{"input": "user_tensor_0", "weight": "user_tensor_0", "padding": [[], null]}`)
	f.Add("cat", `{"tensors": [`+strings.Repeat(`"user_tensor_0", `, mostList)+`null]}`)

	s := begun(f)

	f.Fuzz(func(t *testing.T, tool, text string) {
		v, err := pytext.DecodeStrict(text)
		args, ok := v.(envs.Args)

		if err != nil || !ok || tools[tool] == nil {
			return
		}

		next, v, err := Domain{}.Call(s, tool, args)
		if err != nil {
			var refusal *stategen.Refusal
			if !errors.As(err, &refusal) || len(refusal.Text) > 500 {
				t.Fatal(err)
			}
			return
		}

		total := 0

		for _, o := range next.(*state).objects[len(shapes):] {
			if len(o.tensor.Data) != size(o.tensor.Shape...) {
				t.Errorf("shape %v has %d elements", o.tensor.Shape, len(o.tensor.Data))
			}

			total += len(o.tensor.Data)
		}

		if total > mostElements || v == nil {
			t.Errorf("%d elements", total)
		}
	})
}
