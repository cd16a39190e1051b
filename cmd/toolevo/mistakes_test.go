package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// mistake is something that users get wrong. Of args, @NAME is a file or folder of the case; data is
// the data folder, run a finished run, export an export of it. What a case does to them it does to
// copies of its own.
type mistake struct {
	args  string
	after string                               // what was done before, in words
	do    func(t *testing.T, dir string) error // does it
	in    []string                             // the environment
	user  bool                                 // as a user who may not do everything
}

// mistakes are the cases, by what they are about.
var mistakes = []struct {
	about string
	cases []mistake
}{
	{"Commands", []mistake{
		{args: "colect"},
		{args: "rescore"},
		{args: "data biuld"},
		{args: "doctor sandbx"},
		{args: "completion bsh"},
		{args: "help colect"},
		{args: "collect extra"},
		{args: "inspect"},
		{args: "check @run @export"},
		{args: "inspect @run a 0 1 2"},
		{args: "eval erors @run"},
		{args: "eval errors"},
		{args: "eval errors @run"},
		{args: "eval adaptation @data"},
		{args: "eval tasks @data"},
		{args: "eval compare"},
		{args: "eval rescore @run"},
		{args: "replay @run"},
		{args: "replay @run --set seed=2"},
		{args: "replay @run --set search.cpuct"},
		{args: "replay @run --set search.cpct=2"},
		{args: "replay @run --set search.trees=0"},
		{args: "replay @data --set search.trees=1"},
		{args: "ablate"},
		{args: "ablate --out new --api p_c,p_s_in"},
		{args: "ablate --out new --no-reflection"},
		{args: "branch @run"},
		{args: "branch @run nothing 0 0"},
		{args: "branch @run easy-coffee-train-0000 99 0"},
		{args: "branch @run easy-coffee-train-0000 0 9999"},
		{args: "branch @run easy-coffee-train-0000 0 root"},
		{args: "branch @run easy-coffee-train-0000 0 0 --resume"},
		{args: "branch @run easy-coffee-train-0000 0 0 --out @run"},
	}},
	{"Flags", []mistake{
		{args: "collect --dataest coffee"},
		{args: "eval --preset paper"},
		{args: "collect -x"},
		{args: "collect --dataset"},
		{args: "collect --timeout 5"},
		{args: "collect --patience forever"},
		{args: "collect --workers many"},
		{args: "collect --json=maybe"},
		{args: "data build --seed -1"},
		{args: "eval --fail-under 95"},
		{args: "eval --fail-under p_s_in=few"},
		{args: "data questions --scale 2"},
		{args: "collect --mix-engines"},
		{args: "collect --run-id a/b"},
		{args: "check @run --workers 0"},
		{args: "collect --workers -1"},
		{args: "data build --data @new --rows -1 --dataset coffee --progress none"},
		{args: "export @run --out @new --per-question -1"},
		{args: "bench serve --slots -1"},
		{args: "eval errors @run --sample -1"},
		{args: "eval compare @run --format html"},
		{args: "eval compare @run --block Llama3=openai:llama3"},
	}},
	{"Names", []mistake{
		{args: "collect --dataset cofee"},
		{args: "collect --dataset tea"},
		{args: "collect --dataset coffee,coffee"},
		{args: "data build --dataset Coffee"},
		{args: "eval --split tset"},
		{args: "data gold --difficulty esay"},
		{args: "collect --api p_s_inn"},
		{args: "play --api p_x"},
		{args: "eval --api p_c,p_sin"},
		{args: "eval --api p_c,factor:reponse"},
		{args: "analyze --api factor:names-text,p_c"},
		{args: "collect --set prompt=p_cc"},
		{args: "collect --policy scripted:reader,scripted:stale"},
		{args: "collect --template opn"},
		{args: "collect --template coffee-easy/xyz"},
		{args: "eval --template coffee-easy/open,coffee-easy/open"},
		{args: "collect --preset papr"},
		{args: "collect --compat text_sql"},
		{args: "collect --feedback notices"},
		{args: "collect --engine bwarp"},
		{args: "collect --progress loud"},
		{args: "data build --scale ful"},
		{args: "doctor sandbox --without seccmp"},
		{args: "bench serve --faults hag=0.1"},
		{args: "export @run --out @new --strategy shrtest"},
		{args: "export @run --out @new --score offical"},
		{args: "export @run --out @new --chat-template lama3"},
		{args: "export @run --out @new --format csv"},
		{args: "export @run --out @new --for tlr"},
		{args: "export @run --out @new --mix apis:p_c=1"},
		{args: "export @run --out @new --mix api:p_s_in"},
		{args: "export @run --out @new --allow-scripted --mix api:p_s_ood=1"},
		{args: "export @run --out @new --dev 5"},
		{args: "export @run --out @new --skip-faulty"},
		{args: "export @run --lint --show 1"},
		{args: "play --question easy-cofee-train-0000"},
		{args: "play --question What"},
	}},
	{"API versions", []mistake{
		{args: "versions mkae"},
		{args: "versions make --out @new --from p_d"},
		{args: "versions make --out @new --hold-out p_s_od"},
		{args: "versions make --out @new --count 0"},
		{args: "versions make"},
		{args: "versions make --out @new --ops rename-apis"},
		{args: "versions make --out @new --ops rename-api --factor response"},
		{args: "versions make --out @new --unseen -1"},
		{args: "versions diff p_c p_s_inn"},
		{args: "versions diff p_c"},
		{args: "versions make --out @data/file", do: written("data/file", "x")},
		{
			args:  "versions make --out @made --count 1",
			after: "made/made_1_000.yaml is another file",
			do:    written("made/made_1_000.yaml", "x"),
		},
		{args: "versions show p_s_inn"},
		{args: "versions show @nofile.yaml"},
		{args: "versions validate @nofile.yaml"},
		{
			args:  "versions validate @v.yaml",
			after: "v.yaml has no apis",
			do:    written("v.yaml", "version: mine\n"),
		},
		{
			args:  "versions validate @v.yaml",
			after: "v.yaml is: {version: p_c, apis: []}",
			do:    written("v.yaml", "{version: p_c, apis: []}\n"),
		},
		{args: "collect --api file:@nofile.yaml"},
		{args: "collect --api file:@v.yaml", after: "v.yaml is a pipe", do: piped("v.yaml")},
		{args: "collect --api file:@v.yaml", after: "v.yaml is: apis: {", do: written("v.yaml", "apis: {")},
		{args: "collect --api file:@[.yaml"},
	}},
	{"Policies and servers", []mistake{
		{args: "collect --policy vllm:Qwen/Qwen2-7B"},
		{args: "collect --policy openai"},
		{args: "collect --policy gpt-4"},
		{args: "collect --policy noisy"},
		{args: "eval --policy scripted:raeder"},
		{args: "play --policy scripted:reader,scripted:stale"},
		{args: "collect --server http://localhost:8000/v1"},
		{args: "eval --limit 1", in: []string{"OLLAMA_HOST=localhost"}},
		{args: "collect --policy openai:m --server localhost:8000"},
		{args: "collect --policy openai:m --server http://127.0.0.1:1/v1 --patience 0s"},
		{args: "collect --policy openai:m --parallel lots"},
		{args: "collect --policy openai:m --set server.form=qwem"},
		{args: "collect --policy ollama:m --set server.form=chat"},
		{args: "bench serve --policy openai:m"},
	}},
	{"Settings", []mistake{
		{args: "collect --set search.treees=3"},
		{args: "collect --set trees=3"},
		{args: "collect --set search.cpuct"},
		{args: "collect --set search.cpuct=high"},
		{args: "collect --trees 0"},
		{args: "collect --limit x"},
		{args: "collect --limit -1"},
		{args: "collect --set environment.reward=strct"},
		{args: "collect", in: []string{"TOOLEVO_SERCH_TREES=3"}},
		{args: "collect --config nofile.yaml"},
		{args: "collect --config policies/qwen2"},
		{
			args:  "collect --config @c.yaml",
			after: "c.yaml is: serach: {trees: 3}",
			do:    written("c.yaml", "serach: {trees: 3}\n"),
		},
		{
			args:  "collect --config @c.yaml",
			after: "c.yaml is: search: {trees: [}",
			do:    written("c.yaml", "search: {trees: [}\n"),
		},
		{args: "collect --config @c.yaml", after: "c.yaml is: seed 3", do: written("c.yaml", "seed 3\n")},
		{args: "collect --config @c.yaml", after: "c.yaml is a pipe", do: piped("c.yaml")},
		{args: "collect --config @data"},
	}},
	{"Data folders", []mistake{
		{args: "collect --data @nowhere"},
		{args: "play --data @nowhere"},
		{args: "data questions --data @nowhere --progress none"},
		{args: "data gold --data @nowhere"},
		{args: "data verify --data @nowhere --progress none"},
		{args: "collect --dataset yelp"},
		{args: "data questions --dataset yelp --progress none"},
		{args: "collect", after: "the corpus is not a database", do: written("data/corpus/coffee.sqlite", "x")},
		{args: "collect", after: "the corpus is cut off", do: cut("data/corpus/coffee.sqlite")},
		{args: "collect", after: "the corpus is a pipe", do: piped("data/corpus/coffee.sqlite")},
		{args: "collect", after: "the questions are gone", do: removed("data/questions")},
		{args: "collect", after: "the questions are cut off", do: cut("data/questions/train/coffee-easy.jsonl")},
		{args: "collect", after: "the questions are a pipe", do: piped("data/questions/train/coffee-easy.jsonl")},
		{
			args:  "collect",
			user:  true,
			after: "the corpus is another user's",
			do:    forbidden("data/corpus/coffee.sqlite"),
		},
		{args: "data import"},
		{args: "data import --corpus @nowhere --progress none"},
		{args: "data import --corpus @data --dataset coffee --progress none"},
		{args: "data import --questions @data --progress none"},
		{
			args:  "data import --questions @in --progress none",
			after: "in/easy/coffee-easy.jsonl is: {",
			do:    written("in/easy/coffee-easy.jsonl", "{\n"),
		},
	}},
	{"Runs", []mistake{
		{args: "collect --resume"},
		{args: "collect --resume --out @nowhere"},
		{args: "collect --out @run"},
		{args: "eval --out @run"},
		{args: "eval --resume --out @run"},
		{args: "collect --out @file", after: "file is a file", do: written("file", "x")},
		{args: "collect --out @closed/new", user: true, after: "closed is another user's", do: closed},
		{args: "collect --resume --out @run --seed 3"},
		{args: "collect --resume --out @run --limit 1"},
		{args: "inspect @rum"},
		{args: "inspect @export"},
		{args: "inspect @."},
		{args: "inspect @run nobody"},
		{args: "inspect @run easy-cofee-train-0000"},
		{args: "inspect @run easy-coffee-train-0000 x"},
		{args: "inspect @run easy-coffee-train-0000 7"},
		{args: "inspect @run easy-coffee-train-0000 0 999"},
	}},
	{"Damaged runs", []mistake{
		{args: "inspect @run", after: "run.db is not a database", do: written("run/run.db", "x")},
		{args: "check @run", after: "run.db is cut off", do: cut("run/run.db")},
		{args: "inspect @run", after: "run.db is gone", do: removed("run/run.db")},
		{args: "inspect @run", after: "run.db is empty", do: written("run/run.db", "")},
		{args: "inspect @run", after: "run.db is a folder", do: foldered("run/run.db")},
		{args: "inspect @run", user: true, after: "run.db is another user's", do: forbidden("run/run.db")},
		{args: "collect --resume --out @run", after: "run.json is cut off", do: cut("run/run.json")},
		{args: "inspect @run", after: "run.json is a pipe", do: piped("run/run.json")},
		{
			args:  "collect --resume --out @run",
			after: "run.yaml was edited",
			do:    edited("run/run.yaml", "seed: 1", "seed: 2"),
		},
		{args: "check @run", after: "run.yaml is gone", do: removed("run/run.yaml")},
		{args: "check @run", after: "trajectories.parquet is cut off", do: cut("run/trajectories.parquet")},
		{
			args:  "export @run --out @new --allow-scripted",
			after: "trajectories.parquet is cut off",
			do:    cut("run/trajectories.parquet"),
		},
		{
			args:  "export @run --out @new --allow-scripted",
			after: "trajectories.parquet is gone",
			do:    removed("run/trajectories.parquet"),
		},
	}},
	{"Exports", []mistake{
		{args: "export @run"},
		{args: "export @nowhere --out @new"},
		{args: "export @run --out @new"},
		{args: "finetune @export --recipe tiny --model @data --out @new"},
		{args: "export @run --out @run --allow-scripted"},
		{
			args:  "export @run --out @closed/new --allow-scripted",
			user:  true,
			after: "closed is another user's",
			do:    closed,
		},
		{args: "export @run --out @new --cutoff 100"},
		{args: "export @run --out @new --tokenizer @nowhere"},
		{args: "export @run --out @new --tokenizer @pipe", after: "pipe is a pipe", do: piped("pipe")},
		{args: "export @run --out @new --allow-scripted --split dev"},
		{args: "check @export", after: "manifest.json is cut off", do: cut("export/manifest.json")},
		{args: "check @export", after: "the Parquet file is cut off", do: cut("export/toolevo_sft.parquet")},
		{
			args:  "check @export",
			after: "the JSONL file was edited",
			do:    edited("export/toolevo_sft.jsonl", "coffee", "cofee"),
		},
	}},
}

func written(name, text string) func(*testing.T, string) error {
	return func(_ *testing.T, dir string) error {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}

		return os.WriteFile(path, []byte(text), 0o644)
	}
}

func edited(name, old, now string) func(*testing.T, string) error {
	return func(t *testing.T, dir string) error {
		text := string(read(t, filepath.Join(dir, name)))
		if !strings.Contains(text, old) {
			return fmt.Errorf("%s has no %q", name, old)
		}

		return written(name, strings.Replace(text, old, now, 1))(t, dir)
	}
}

func cut(name string) func(*testing.T, string) error {
	return func(t *testing.T, dir string) error {
		path := filepath.Join(dir, name)
		return os.Truncate(path, int64(len(read(t, path)))/2)
	}
}

func removed(name string) func(*testing.T, string) error {
	return func(_ *testing.T, dir string) error { return os.RemoveAll(filepath.Join(dir, name)) }
}

func piped(name string) func(*testing.T, string) error {
	return func(t *testing.T, dir string) error {
		if err := removed(name)(t, dir); err != nil {
			return err
		}

		return syscall.Mkfifo(filepath.Join(dir, name), 0o644)
	}
}

func foldered(name string) func(*testing.T, string) error {
	return func(t *testing.T, dir string) error {
		if err := removed(name)(t, dir); err != nil {
			return err
		}

		return os.Mkdir(filepath.Join(dir, name), 0o755)
	}
}

func forbidden(name string) func(*testing.T, string) error {
	return func(_ *testing.T, dir string) error { return os.Chmod(filepath.Join(dir, name), 0) }
}

func closed(_ *testing.T, dir string) error { return os.Mkdir(filepath.Join(dir, "closed"), 0o555) }

// TestMistakes holds what is said of each mistake, and that none is taken for the result that was
// asked for. The golden file is to be read as help: it says the operation, what was wrong, and what
// to do next.
func TestMistakes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	whole := map[string]string{"data": smallData(t), "run": filepath.Join(dir, "run"),
		"export": filepath.Join(dir, "export")}
	must(t, "collect", "--data", smallData(t), "--policy", "scripted:reader", "--limit", "2", "--trees", "1",
		"--set", "python.modules=", "--out", whole["run"])
	must(t, "export", "--allow-scripted", whole["run"], "--out", whole["export"])

	var table strings.Builder
	for _, group := range mistakes {
		fmt.Fprintf(&table, "# %s\n\n", group.about)

		for _, m := range group.cases {
			table.WriteString(m.play(t, whole))
		}
	}

	golden(t, "mistakes.txt", table.String())
}

// play makes a mistake and returns what is to be read of it.
func (m mistake) play(t *testing.T, whole map[string]string) string {
	dir, err := os.MkdirTemp(scratch, "mistake-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)

	for name, from := range whole {
		if m.do == nil && name == "data" {
			err = os.Symlink(from, filepath.Join(dir, name))
		} else {
			err = os.CopyFS(filepath.Join(dir, name), os.DirFS(from))
		}

		if err != nil {
			t.Fatal(err)
		}
	}

	if m.do != nil {
		if err := m.do(t, dir); err != nil {
			t.Fatalf("%s, %s: %v", m.args, m.after, err)
		}
	}

	args := strings.Fields(strings.ReplaceAll(m.args, "@", dir+"/"))
	environ := append([]string{"TOOLEVO_DATA=" + filepath.Join(dir, "data"), "TOOLEVO_PYTHON_MODULES="}, m.in...)
	var r result

	act := func() { r = cliWith(t, "", environ, args...) }
	if m.user {
		asUser(t, dir, act)
	} else {
		act()
	}

	if r.code == exitDone {
		t.Errorf("toolevo %s: nothing is wrong with it\n%s%s", m.args, r.out, r.err)
	}

	if _, err := os.Stat(filepath.Join(dir, "new")); err == nil && r.code != exitBad {
		t.Errorf("toolevo %s: it left what it was asked to write", m.args)
	}

	var text strings.Builder
	if m.after != "" {
		fmt.Fprintf(&text, "(%s)\n", m.after)
	}

	names := strings.NewReplacer(dir+"/", "", smallData(t), "data", os.Args[0], "toolevo", dir, ".")
	said := names.Replace(r.out + r.err)
	said = unstable.ReplaceAllString(said, "…")
	fmt.Fprintf(&text, "$ %s\n%sexit %d\n\n", strings.Join(append(m.in, "toolevo "+strings.ReplaceAll(m.args, "@", "")),
		" "), said, r.code)

	return text.String()
}

// unstable is what is another on every machine or day: IDs, sums, and the Python.
var unstable = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{64}|programs ran in .*`)

// asUser does something with the rights of a user who is not root, as this process may or may not be.
func asUser(t *testing.T, dir string, act func()) {
	if os.Geteuid() != 0 {
		act()
		return
	}
	const nobody = 65534

	for _, path := range []string{dir, scratch} {
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}

	// The rights are the thread's. It gets them back and goes on: what it once started, a sandbox of another test say,
	// would end with it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()

	if err := syscall.Setfsuid(nobody); err != nil {
		t.Fatal(err)
	}

	defer func() {
		if err := syscall.Setfsuid(0); err != nil {
			panic(err) // the thread must not serve other tests
		}
	}()

	if _, err := os.ReadFile("/proc/1/environ"); err == nil {
		t.Fatal("root's rights cannot be given up here")
	}

	act()
}
