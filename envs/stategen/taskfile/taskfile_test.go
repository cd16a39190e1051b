package taskfile_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"toolevo/envs/disk"
	"toolevo/envs/stategen"
	"toolevo/envs/stategen/taskfile"
)

var splits = []string{"train", "test"}

// task returns a task whose program is another one for another number.
func task(domain string, number int) *stategen.Task {
	result := stategen.Var("r_1")
	return &stategen.Task{
		ID: fmt.Sprintf("%s-1-%05d", domain, number),
		Program: stategen.Program{
			Domain: domain,
			Init: []stategen.Variable{{
				Name: "user_variable_0", Role: stategen.User, Type: "a text",
				Value: stategen.Value{Any: fmt.Sprintf("naïve\n%d", number)},
			}},
			Main:   []stategen.Stmt{{Call: &stategen.Call{Assign: "r_1", Tool: "new"}}},
			Result: &result,
		},
		Cases: []stategen.Case{{Path: "main", Result: stategen.Value{Any: stategen.Number(float64(number))}}},
	}
}

func edit(t *testing.T, data string) *taskfile.Folder {
	t.Helper()

	f, err := taskfile.Edit(data, splits)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func add(t *testing.T, f *taskfile.Folder, split string, task *stategen.Task) bool {
	t.Helper()

	added, err := f.Add(split, task)
	if err != nil {
		t.Fatal(err)
	}
	return added
}

func end(t *testing.T, f *taskfile.Folder, commit bool) {
	t.Helper()

	var err error
	if commit {
		err = f.Commit()
	}

	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// read returns the tasks of a split, and the hash of their file.
func read(t *testing.T, data, split string) (all []*stategen.Task, hash string) {
	t.Helper()

	f, err := taskfile.Open(data, split, func(t *stategen.Task) error {
		all = append(all, t)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	for i, want := range all {
		if got, err := f.Task(i); err != nil || !cmp.Equal(got, want) {
			t.Errorf("task %d is %v (%v), want %v", i, got, err, want)
		}
	}

	if f.Len() != len(all) {
		t.Errorf("a file of %d tasks has %d", len(all), f.Len())
	}
	return all, f.SHA256
}

// Tasks come back as they were added, with the books, and only what was committed.
func TestFolder(t *testing.T) {
	t.Parallel()
	data := t.TempDir()

	f := edit(t, data)
	add(t, f, "train", task("session", 1))
	add(t, f, "test", task("voice", 2))

	if err := f.Book("session").UnmarshalJSON([]byte(`{"programs": 7, "pairs": []}`)); err != nil {
		t.Fatal(err)
	}

	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}

	add(t, f, "train", task("session", 3))
	end(t, f, false)

	// What a killed process leaves is half a line.
	left, err := os.OpenFile(taskfile.Path(data, "train"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}

	if _, err := left.WriteString(`{"id": "session`); err != nil {
		t.Fatal(err)
	}

	left.Close()

	f = edit(t, data)

	if f.Count("train", "session") != 1 || f.Count("test", "voice") != 1 || f.Count("test", "session") != 0 {
		t.Error("the counts are wrong")
	}

	if n := f.Book("session").Programs(); n != 7 {
		t.Errorf("the book has %d programs, want 7", n)
	}

	add(t, f, "train", task("session", 4))
	end(t, f, true)

	got, _ := read(t, data, "train")
	if diff := cmp.Diff([]*stategen.Task{task("session", 1), task("session", 4)}, got); diff != "" {
		t.Error(diff)
	}
}

// No program is there twice, in another split neither; with other values it is another one.
func TestNoProgramTwice(t *testing.T) {
	t.Parallel()
	data := t.TempDir()

	f := edit(t, data)
	again := task("session", 1)
	again.ID = "session-2-00001"

	if !add(t, f, "train", task("session", 1)) || add(t, f, "train", again) || !add(t, f, "train", task("session", 2)) {
		t.Error("a program is told by something else than its text")
	}

	end(t, f, true)

	f = edit(t, data)
	if add(t, f, "test", again) {
		t.Error("two splits share a program")
	}

	end(t, f, true)
}

// Tasks that somebody else put there stay.
func TestTasksOfOthers(t *testing.T) {
	t.Parallel()

	data, _ := givenBy(t, task("session", 1))

	f := edit(t, data)
	if f.Count("train", "session") != 1 || add(t, f, "test", task("session", 1)) {
		t.Error("the tasks are not taken in")
	}

	add(t, f, "train", task("session", 2))
	end(t, f, true)

	if got, _ := read(t, data, "train"); len(got) != 2 {
		t.Errorf("there are %d tasks, want 2", len(got))
	}
}

// givenBy returns a data folder with tasks of the split train that another program put there.
func givenBy(t *testing.T, all ...*stategen.Task) (data string, text []byte) {
	t.Helper()
	first, data := t.TempDir(), t.TempDir()

	f := edit(t, first)
	for _, one := range all {
		add(t, f, "train", one)
	}

	end(t, f, true)

	text, err := os.ReadFile(taskfile.Path(first, "train"))
	if err == nil {
		err = os.MkdirAll(filepath.Dir(taskfile.Path(data, "train")), 0o755)
	}

	if err := errors.Join(err, os.WriteFile(taskfile.Path(data, "train"), text, 0o644)); err != nil {
		t.Fatal(err)
	}
	return data, text
}

// What a killed process adds to a split of another program is removed, and the books count none of
// it.
func TestKilledAmongTasksOfOthers(t *testing.T) {
	t.Parallel()

	data, text := givenBy(t, task("session", 1))

	f := edit(t, data)
	if err := f.Book("session").UnmarshalJSON([]byte(`{"programs": 7, "pairs": []}`)); err != nil {
		t.Fatal(err)
	}

	add(t, f, "train", task("session", 2))
	end(t, f, false)

	left, err := os.OpenFile(taskfile.Path(data, "train"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}

	_, err = left.WriteString(`{"id": "session`)
	if err := errors.Join(err, left.Close()); err != nil {
		t.Fatal(err)
	}

	f = edit(t, data)
	if n := f.Book("session").Programs(); n != 0 || f.Count("train", "session") != 1 {
		t.Errorf("the book has %d programs, and there are %d tasks", n,
			f.Count("train", "session"))
	}

	end(t, f, false)

	got, err := os.ReadFile(taskfile.Path(data, "train"))
	if err != nil || string(got) != string(text) {
		t.Errorf("the split is %q (%v), want %q", got, err, text)
	}
}

// A split gets no second task of an ID, whoever put the first one there; another split may.
func TestNoIDTwice(t *testing.T) {
	t.Parallel()

	same := task("session", 2)
	same.ID = task("session", 1).ID

	others, _ := givenBy(t, task("session", 1))

	for name, data := range map[string]string{"added": t.TempDir(), "of others": others} {
		f := edit(t, data)
		if name == "added" {
			add(t, f, "train", task("session", 1))
		}

		if added, err := f.Add("train", same); added || err == nil ||
			!strings.Contains(err.Error(), same.ID) {
			t.Errorf("%s: another task of the same ID is added: %t, error %v", name, added, err)
		}

		if !add(t, f, "test", same) {
			t.Errorf("%s: another split does not take the task", name)
		}

		end(t, f, true)

		if got, _ := read(t, data, "train"); len(got) != 1 {
			t.Errorf("%s: there are %d tasks, want 1", name, len(got))
		}
	}
}

// Where all tasks are from another program, they say which set of APIs the folder is for.
func TestAPIsOfOthers(t *testing.T) {
	t.Parallel()

	paper, another := task("session", 1), task("session", 2)
	paper.Program.APIs, another.Program.APIs = stategen.Paper, stategen.Paper
	data, _ := givenBy(t, paper)

	// A split that cannot be read is an error for who opens it, and not for the others.
	if err := os.WriteFile(taskfile.Path(data, "dev"), []byte("{}\n"), 0o644); err != nil {
		t.Fatal(err)
	}

	all := append([]string{"dev"}, splits...)
	if apis, err := taskfile.APIs(data, all); apis != stategen.Paper || err != nil {
		t.Errorf("the tasks are for %q (%v)", apis, err)
	}

	f := edit(t, data)
	if added, err := f.Add("test", task("session", 3)); added || err == nil {
		t.Errorf("a task for another set of APIs is added: %t, error %v", added, err)
	}

	add(t, f, "test", another)
	end(t, f, true)

	if apis, err := taskfile.APIs(data, splits); apis != stategen.Paper || err != nil {
		t.Errorf("after adding, the tasks are for %q (%v)", apis, err)
	}
}

// Two processes do not add tasks at a time.
func TestOneEditor(t *testing.T) {
	t.Parallel()
	data := t.TempDir()

	f := edit(t, data)

	if _, err := taskfile.Edit(data, splits); err == nil || !strings.Contains(err.Error(), "wait for it") {
		t.Errorf("the error is %v", err)
	}

	end(t, f, false)
	end(t, edit(t, data), false)
}

// Files that are not what was written are told with what to do.
func TestDamage(t *testing.T) {
	t.Parallel()

	for name, spoil := range map[string]func(text []byte) []byte{
		"cut":      func(text []byte) []byte { return text[:len(text)-3] },
		"no JSON":  func(text []byte) []byte { return append(text[:len(text)-3], "xx\n"...) },
		"no cases": func([]byte) []byte { return []byte("{\"id\": \"x\"}\n") },
	} {
		data := t.TempDir()
		f := edit(t, data)
		add(t, f, "train", task("session", 1))
		end(t, f, true)

		path := taskfile.Path(data, "train")

		text, err := os.ReadFile(path)
		if err := errors.Join(err, os.WriteFile(path, spoil(text), 0o644)); err != nil {
			t.Fatal(err)
		}

		if _, err := taskfile.Open(data, "train", nil); !errors.Is(err, disk.ErrDamaged) {
			t.Errorf("%s: opened: %v", name, err)
		}

		if _, err := taskfile.Edit(data, splits); !errors.Is(err, disk.ErrDamaged) ||
			!strings.Contains(err.Error(), "another data folder") {
			t.Errorf("%s: edited: %v", name, err)
		}
	}

	if _, err := taskfile.Open(t.TempDir(), "train", nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a split that is not there: %v", err)
	}
}
