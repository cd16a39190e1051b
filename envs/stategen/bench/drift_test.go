package bench

import (
	"os"
	"testing"

	"toolevo/envs"
	"toolevo/envs/drift"
	"toolevo/envs/envtest/suitetest"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/domains"
	"toolevo/envs/stategen/taskfile"
	"toolevo/envs/toolapi"
)

// madeVersions is how many versions are made for the tests of what drift leaves alone.
const madeVersions = 20

// driftedTasks is how many tasks of each domain these tests compare, and how many of them they
// play: a part of those that `make hostile` takes.
func driftedTasks() (compared, played int) {
	if os.Getenv("TOOLEVO_HOSTILE") != "" {
		return 1000, 50
	}
	return 20, 3
}

// driftedCatalog returns a catalog with made versions, and their names.
func driftedCatalog(t testing.TB) (*toolapi.Catalog, []string) {
	t.Helper()

	all, err := Catalog("")
	if err != nil {
		t.Fatal(err)
	}

	m, err := drift.NewMaker(all, base, nil, 7)
	if err != nil {
		t.Fatal(err)
	}

	var names []string

	for i := range madeVersions {
		made, _ := m.Version(i)
		if all, err = all.With(made); err != nil {
			t.Fatal(err)
		}

		names = append(names, made.Version)
	}
	return all, names
}

// The calls of reference programs, said to any made version, come to the tools as they were.
func TestDriftKeepsCalls(t *testing.T) {
	t.Parallel()

	all, names := driftedCatalog(t)
	data := t.TempDir()
	compared, _ := driftedTasks()
	generate(t, data, "train", compared)

	all, silent := withFactors(t, all, subtle, 3)
	for _, factor := range subtle {
		names = append(names, silent[factor]...)
	}

	var made []*toolapi.Version

	for _, name := range names {
		v, err := all.Version(name)
		if err != nil {
			t.Fatal(err)
		}

		made = append(made, v)
	}

	f, err := taskfile.Open(data, "train", func(task *stategen.Task) error {
		d, err := domains.Lookup(task.Program.Domain)
		if err != nil {
			return err
		}

		for _, c := range task.Cases {
			if _, err := stategen.Replay(d, &task.Program, c, func(tool string, args envs.Args) {
				for _, v := range made {
					checkCall(t, v, task.ID, tool, args)
				}
			}); err != nil {
				return err
			}
		}

		return nil
	})
	if err != nil {
		t.Fatal(err)
	}

	f.Close()
}

// checkCall lifts a call to a version and lowers it again.
func checkCall(t *testing.T, v *toolapi.Version, task, tool string, args envs.Args) {
	name, lifted, err := v.Lift(tool, args)
	if err != nil {
		t.Errorf("%s: %s cannot say %s %v: %v", task, v.Name, tool, args, err)
		return
	}

	api, ok := v.API(name)
	if !ok {
		t.Errorf("%s has no API %s", v.Name, name)
		return
	}

	got, wrong := api.Lower(lifted)
	if wrong != nil || !stategen.Equal(got, args) {
		t.Errorf("%s: %s turns %s %v into %v (%v)", task, v.Name, tool, args, got, wrong)
	}
}

// Reference programs, played by who knows the version, solve their tasks in any made version.
func TestDriftKeepsOracles(t *testing.T) {
	t.Parallel()

	_, played := driftedTasks()
	c := choice(t, played)

	var names []string
	c.Versions, names = driftedCatalog(t)
	s := open(t, c)

	for _, version := range names {
		env := environmentOf(t, s, version)

		lift := func(so envs.History, call envs.Call) envs.Call {
			lifted, err := envs.Lift(env, so, call)
			if err != nil {
				t.Error(err)
			}
			return lifted
		}

		for _, task := range s.Tasks() {
			if last, _ := play(t, s, env, task, lift); last.Reward != 1 {
				t.Errorf("%s: %s: %s", version, task.ID, last.Turn.Observation)
			}
		}
	}
}

// Names of made versions keep the sense of the published ones.
func TestMadeNames(t *testing.T) {
	t.Parallel()

	all, err := Catalog("")
	if err != nil {
		t.Fatal(err)
	}

	suitetest.Names(t, all, base, "../../drift/words.yaml", 20)
}
