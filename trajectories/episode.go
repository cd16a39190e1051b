package trajectories

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strconv"

	"toolevo/envs/disk"
	"toolevo/mcts"
	"toolevo/trajectories/internal/pq"
)

// EpisodeVersion is the version of the columns of [Episode], as [SchemaVersion] is for [Row].
const EpisodeVersion = 5

// The two files of an evaluation that hold its episodes. Both hold the same.
const (
	EpisodesParquet = "episodes.parquet"
	EpisodesJSONL   = "episodes.jsonl" // the columns are the keys
)

// Episode is one episode of an evaluation with its lineage: what a policy did about one question
// under one API version, and how its answer was scored. Fields about a tree are zero in its Row.
// SCHEMA.md describes the columns.
type Episode struct {
	Row
	Status string // "terminated" or "truncated"; "" if it was lost
	Limit  string // what truncated it, see mcts.Limit; "" otherwise
	Lost   string // the infrastructure failure that it was lost to; "" if it was measured
	Repeat int    // its number among the question's episodes in a cell, from 0
	Tokens int    // written by the policy; 0 if they were not counted
}

// FromEpisode returns the episode of a tree of one branch, which is how a run keeps it.
func FromEpisode(meta Meta, branch *mcts.TreeRecord) Episode {
	end := len(branch.Nodes) - 1
	e := Episode{Row: FromNode(meta, branch, end)}
	e.SchemaVersion = EpisodeVersion

	e.Repeat = branch.Tree
	e.Preset, e.Tree, e.TreeSeed, e.Node, e.NodePath, e.Visits, e.Value = "", 0, 0, 0, "", 0, 0

	for i := range e.Turns {
		t := &e.Turns[i]
		t.Prior, t.Visits, t.Value, t.Limit = 0, 0, 0, ""
	}

	e.Status = branch.Nodes[end].Status.String()
	e.Limit = valid(string(branch.Nodes[end].Limit))
	return e
}

// LostEpisode returns the episode, without turns, of a question that was lost to a failure.
func LostEpisode(meta Meta, failure string) Episode {
	e := FromEpisode(meta, &mcts.TreeRecord{Nodes: []mcts.Record{{Parent: mcts.NoParent}}})
	e.Status, e.Lost = "", valid(failure)
	return e
}

// WriteEpisodes writes the episodes of an evaluation into the two files of a folder, each of which
// appears whole or not at all, and returns how many there were. The first error of episodes ends
// it.
func WriteEpisodes(ctx context.Context, dir string, episodes iter.Seq2[Episode, error]) (n int, err error) {
	err = disk.WriteFile(filepath.Join(dir, EpisodesParquet), func(parquet io.Writer) error {
		// One inside the other: a single pass writes both files, and an error leaves neither.
		return disk.WriteFile(filepath.Join(dir, EpisodesJSONL), func(lines io.Writer) error {
			meta := map[string]string{schemaKey: strconv.Itoa(EpisodeVersion)}

			w, err := pq.NewWriter[Episode](parquet, episodeColumns(), meta)
			if err != nil {
				return err
			}

			for e, err := range episodes {
				if err = errors.Join(err, ctx.Err()); err == nil {
					err = writeEpisode(w, lines, &e)
				}

				if err != nil {
					return errors.Join(err, w.Close())
				}
			}

			n = w.Rows()
			return w.Close()
		})
	})
	if err != nil {
		return 0, fmt.Errorf("trajectories: write the episodes of %s: %w", dir, err)
	}

	return n, nil
}

func writeEpisode(w *pq.Writer[Episode], lines io.Writer, e *Episode) error {
	line, err := e.line()
	if err != nil {
		return err
	}

	if _, err := lines.Write(line); err != nil {
		return err
	}
	return w.Write(e)
}

// line returns the episode's line in the JSONL file.
func (e *Episode) line() ([]byte, error) {
	line, err := e.MarshalJSON()
	return append(line, '\n'), err
}

// MarshalJSON returns the episode as an object whose keys are its columns.
func (e Episode) MarshalJSON() ([]byte, error) {
	return pq.AppendJSON(nil, &e, episodeColumns())
}

// ReadEpisodes streams the episodes of an evaluation's folder from its Parquet file, in its order.
func ReadEpisodes(dir string) iter.Seq2[Episode, error] {
	return read[Episode](filepath.Join(dir, EpisodesParquet), episodeColumns(), EpisodeVersion)
}

// CompareEpisodes compares both files of a folder with the episodes that they ought to hold. It
// returns how many those are and how a file differs, or "". A file that is missing or cannot be
// read is an error.
func CompareEpisodes(dir string, want iter.Seq2[Episode, error]) (n int, problem string, err error) {
	n, problem, err = Differ(want, ReadEpisodes(dir), func(e *Episode) string {
		return fmt.Sprintf("the episode of %s under %s about question %s", e.Policy, e.DeployedAPI, e.QuestionID)
	})
	if problem != "" {
		problem = EpisodesParquet + " " + problem
	}

	if err != nil || problem != "" {
		return n, problem, err
	}

	lines := func(yield func([]byte, error) bool) {
		for e, err := range want {
			line, encodeErr := e.line()
			if !yield(line, errors.Join(err, encodeErr)) {
				return
			}
		}
	}
	have := disk.Lines(filepath.Join(dir, EpisodesJSONL))

	_, problem, err = Differ(lines, have, func(*[]byte) string { return "what " + EpisodesParquet + " has there" })
	if problem != "" {
		problem = EpisodesJSONL + " " + problem
	}
	return n, problem, err
}
