package improve

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// stage is a piece of work of a round.
type stage struct {
	round  int
	name   string // e.g. "evaluate-vllm"
	server string // by name: a checkpoint is asked on it; "" asks none

	model     string   // the folder of the checkpoint that is asked
	args      []string // of the command of toolevo, or the trainer's command
	out       string   // its folder
	dependsOn []string // the IDs of the stages whose results it uses
}

// ID names the stage, e.g. "2/evaluate-vllm".
func (s stage) ID() string { return strconv.Itoa(s.round) + "/" + s.name }

// The stages of every round; those of evaluations also name their server.
const (
	stageCollect  = "collect"
	stageExport   = "export"
	stageTrain    = "train"
	stageEvaluate = "evaluate"
)

// stages returns all stages in the order in which they are done.
func (l *loop) stages() []stage {
	var all []stage

	if l.config.Evaluate.Before {
		all = append(all, l.evaluations(0, l.config.Model, nil)...)
	}

	for round := 1; round <= l.config.Rounds; round++ {
		all = append(all, l.collect(round), l.export(round), l.train(round))
		all = append(all, l.evaluations(round, l.weights(round),
			[]string{id(round, stageTrain)})...)
	}

	return all
}

func id(round int, name string) string { return stage{round: round, name: name}.ID() }

// folder returns a folder of a round.
func (l *loop) folder(round int, name string) string {
	return filepath.Join(l.dir, "round-"+strconv.Itoa(round), name)
}

func (l *loop) collect(round int) stage {
	s := stage{round: round, name: stageCollect, out: l.folder(round, "run")}
	flags := l.config.collectFlags(round)

	if l.config.namesPolicy(round) {
		s.args = flags.args()
		return s
	}

	s.args = flags.overriddenBy(l.config.Trained).args()
	s.server, s.model = l.config.Collector, l.weights(round-1)
	s.dependsOn = []string{id(round-1, stageTrain)}
	return s
}

func (l *loop) export(round int) stage {
	s := stage{round: round, name: stageExport, out: l.folder(round, "export")}
	s.args = l.config.exportFlags(round).args()

	for r := 1; r <= round; r++ {
		s.args = append(s.args, l.folder(r, "run"))
		s.dependsOn = append(s.dependsOn, id(r, stageCollect))
	}
	return s
}

func (l *loop) train(round int) stage {
	s := stage{
		round:     round,
		name:      stageTrain,
		out:       l.folder(round, "train"),
		dependsOn: []string{id(round, stageExport)},
	}

	if l.config.Continue && round > 1 {
		s.dependsOn = append(s.dependsOn, id(round-1, stageTrain))
	}

	places := l.places(round)
	for _, word := range slices.Concat(l.config.Train.Command, l.config.ByRound[round].Train) {
		s.args = append(s.args, places.Replace(word))
	}
	return s
}

// places replaces the names between braces in the trainer's command.
func (l *loop) places(round int) *strings.Replacer {
	model := l.config.Model
	if l.config.Continue && round > 1 {
		model = l.weights(round - 1)
	}
	return strings.NewReplacer(
		"{export}", l.folder(round, "export"),
		"{model}", model,
		"{out}", l.folder(round, "train"),
		"{name}", l.modelName(round),
		"{round}", strconv.Itoa(round),
		"{toolevo}", l.program.Path,
	)
}

// weights returns the folder of the weights of a round.
func (l *loop) weights(round int) string {
	if round == 0 {
		return l.config.Model
	}
	return l.places(round).Replace(l.config.Train.Result)
}

func (l *loop) evaluations(round int, model string, dependsOn []string) []stage {
	var all []stage

	for _, server := range l.config.Evaluate.Servers {
		name := stageEvaluate + "-" + server
		all = append(all, stage{
			round:     round,
			name:      name,
			server:    server,
			model:     model,
			args:      l.config.Evaluate.Flags.overriddenBy(l.config.Trained).args(),
			out:       l.folder(round, name),
			dependsOn: dependsOn,
		})
	}

	return all
}

// surroundings returns the settings of a stage's command besides its words: those of the server
// that it asks, or the trainer's environment. How long a server may take to answer changes no
// result.
func (l *loop) surroundings(s stage) []string {
	var all []string

	environment := l.config.Train.Environment

	switch {
	case s.server != "":
		server := l.config.Servers[s.server]
		all = append(all, l.config.Template, server.Kind, strconv.FormatBool(server.Adapters))
		all = append(all, server.Command...)
		environment = server.Environment
	case s.name != stageTrain:
		return nil
	}

	for _, name := range slices.Sorted(maps.Keys(environment)) {
		all = append(all, name+"="+environment[name])
	}
	return all
}

// key identifies the settings of a stage and of those that it depends on. It stays the same when
// the folder or this program is moved.
func (l *loop) key(s stage, keys map[string]string) string {
	told := []string{s.server, s.model}
	told = append(told, s.args...)
	told = append(told, l.surroundings(s)...)

	moved := strings.NewReplacer(l.dir, "{dir}", l.program.Path, "{toolevo}")
	for i := range told {
		told[i] = moved.Replace(told[i])
	}

	for _, id := range s.dependsOn {
		told = append(told, keys[id])
	}

	text, err := json.Marshal(told)
	if err != nil {
		panic(fmt.Sprintf("improve: words that cannot be written: %v", err))
	}

	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}
