package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"toolevo/envs/console"
	"toolevo/envs/disk"
	"toolevo/envs/suite"
	"toolevo/envs/toolbench/answers"
)

// episodesFile is the file of an evaluation that has its episodes.
const episodesFile = "episodes.jsonl"

func convertCommand() suite.Command {
	var out string
	return suite.Command{
		Use: "toolbench convert ANSWERS|EVALUATION", Help: helpTexts, Document: Converted{},
		Options: []suite.Option{{Name: "out", Value: &out, Usage: "folder `DIR` for the files", Required: true}},
		Run: func(_ context.Context, call *suite.Call) error {
			c := conversion{files: map[string]map[string]*answers.Answer{}, from: map[string]string{}}
			if err := c.read(call.Args[0]); err != nil {
				return err
			}

			done, err := c.write(out)
			return call.Result(done, func(w io.Writer) {
				for _, f := range done.Files {
					fmt.Fprintf(w, "%d answers in %s\n", f.Answers, f.Path)
				}

				if done.Lost > 0 {
					fmt.Fprintf(w, "%d lost episodes are in none of them\n", done.Lost)
				}
			}, err)
		},
	}
}

// Converted is what `toolbench convert --json` prints.
type Converted struct {
	Files []ConvertedFile `json:"files"`          // in the order of their paths
	Lost  int             `json:"lost,omitempty"` // episodes that were lost and are in no file
}

// ConvertedFile is a file of a group.
type ConvertedFile struct {
	Path    string `json:"path"`    // the file
	Answers int    `json:"answers"` // queries in it
}

// conversion gathers the answers of all files before any is written.
type conversion struct {
	files map[string]map[string]*answers.Answer // by path below the folder, and query ID
	from  map[string]string                     // policy and version, by folder
	lost  int
}

func (c *conversion) add(path, id string, a *answers.Answer) error {
	if c.files[path] == nil {
		c.files[path] = map[string]*answers.Answer{}
	}

	if c.files[path][id] != nil {
		return fmt.Errorf("%s has two answers to query %s: want one", path, id)
	}

	c.files[path][id] = a
	return nil
}

// read reads an evaluation or a folder of answer files.
func (c *conversion) read(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}

	if !info.IsDir() {
		// A file has episodes, whatever its name; answer files come in folders.
		return c.readEpisodes(path)
	}

	// A folder without episodes can only have answer files.
	inside := filepath.Join(path, episodesFile)
	if _, err := os.Stat(inside); err == nil {
		return c.readEpisodes(inside)
	}

	groups, err := os.ReadDir(path)
	if err != nil {
		return err
	}

	for _, group := range groups {
		if !group.IsDir() {
			continue
		}

		if err := c.readGroup(filepath.Join(path, group.Name()), group.Name()); err != nil {
			return err
		}
	}

	// Without answers there would be no files to judge, and no sign of a wrong folder.
	if len(c.files) == 0 {
		return console.Usage("no answers in %s: want %s, or e.g. G1_instruction/588_CoT@1.json",
			path, episodesFile)
	}
	return nil
}

// readGroup reads the answer files of a group.
func (c *conversion) readGroup(dir, group string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}

	for _, f := range files {
		id, method, ok := answers.Split(f.Name())
		// A folder may have other files beside its answers.
		if !ok {
			continue
		}

		at := filepath.Join(dir, f.Name())

		text, err := disk.ReadJSON(at)
		if err != nil {
			return err
		}

		a, err := answers.Read(method, text)
		if err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}

		// A converted file has one answer per query, so a second method of one is an error.
		if err := c.add(group+".json", id, a); err != nil {
			return err
		}
	}
	return nil
}

// readEpisodes reads the episodes of an evaluation.
func (c *conversion) readEpisodes(path string) error {
	file, err := disk.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()

	for lines, n := json.NewDecoder(file), 1; ; n++ {
		var e answers.Episode

		err := lines.Decode(&e)
		if errors.Is(err, io.EOF) {
			return nil
		}

		if err == nil {
			err = c.addEpisode(&e)
		}

		if err != nil {
			return fmt.Errorf("%s: episode %d: %w", path, n, err)
		}
	}
}

func (c *conversion) addEpisode(e *answers.Episode) error {
	if e.Lost != nil {
		// A lost episode says nothing about its policy, so judges do not see it.
		c.lost++
		return nil
	}

	// A converted file has one answer to each query.
	if e.Repeat > 0 {
		return nil
	}

	group, id, err := e.Query()
	if err != nil {
		return err
	}

	a, err := e.Answer()
	if err != nil {
		return err
	}

	played := e.Policy + " " + e.API
	folder := answers.FileName(played)

	// Different names may give the same folder, where one's answers would pass for the other's.
	if other, ok := c.from[folder]; ok && other != played {
		return fmt.Errorf("%s and %s have one folder, %s: convert them one by one",
			other, played, folder)
	}

	c.from[folder] = played
	return c.add(filepath.Join(folder, group+".json"), id, a)
}

// write writes the files.
func (c *conversion) write(out string) (*Converted, error) {
	done := &Converted{Files: []ConvertedFile{}, Lost: c.lost}

	for _, path := range slices.Sorted(maps.Keys(c.files)) {
		text, err := answers.Encode(c.files[path])
		if err != nil {
			return nil, err
		}

		at := filepath.Join(out, path)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return nil, err
		}

		if err := disk.Write(at, text); err != nil {
			return nil, err
		}

		done.Files = append(done.Files, ConvertedFile{at, len(c.files[path])})
	}
	return done, nil
}
