package training

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"toolevo/envs/disk"
	"toolevo/envs/yamltext"
	"toolevo/trajectories/export"
)

// Recipe says how a kind of model is trained. Its file begins with a comment that says who it is
// for.
type Recipe struct {
	Name  string `yaml:"-"` // of the shipped file, or the path of another
	About string `yaml:"-"` // the comment, on one line

	Trainer  export.Trainer `yaml:"trainer"`  // which it configures; "" in a file is LLaMA-Factory
	Format   export.Format  `yaml:"format"`   // of the exports that it trains
	Deployed string         `yaml:"deployed"` // API version of the runs that it trains; "" is any
	Batch    int            `yaml:"batch"`    // samples of one update, over all GPUs together

	// Template is the chat template of the model that the arguments name, by TRL's name for it.
	// LLaMA-Factory has an argument for it.
	Template string `yaml:"template"`

	// Arguments of the trainer, in the order of the file.
	Arguments yaml.MapSlice `yaml:"arguments"`
}

// LoadRecipe reads the recipe of a name in a folder, or else the file at a path.
func LoadRecipe(folder fs.FS, name string) (*Recipe, error) {
	text, err := disk.ReadNamed(folder, "recipe", name)
	if err != nil {
		return nil, err
	}
	return parseRecipe(name, text)
}

// planArguments lists the arguments that a plan sets, and a recipe therefore cannot.
var planArguments = []string{
	"dataset_dir", "dataset", "dataset_name", "datasets", "output_dir", "overwrite_output_dir",
	"resume_from_checkpoint", argAccumulation, argProcesses,
}

// The arguments that a plan reads.
const (
	argModel        = "model_name_or_path"
	argAdapter      = "adapter_name_or_path"
	argNewAdapter   = "create_new_adapter"
	argTemplate     = "template"
	argThinking     = "enable_thinking"
	argTuning       = "finetuning_type"
	argStage        = "stage"
	argPerDevice    = "per_device_train_batch_size"
	argAccumulation = "gradient_accumulation_steps"
	argProcesses    = "num_processes"
	argDeepSpeed    = "deepspeed"
	argCPU          = "use_cpu"
	argOnlyModel    = "save_only_model"
	argLoadBest     = "load_best_model_at_end"
)

// stageReward is the stage of reward models.
const stageReward = "rm"

func parseRecipe(name string, text []byte) (*Recipe, error) {
	r := &Recipe{Name: name, About: firstComment(text)}

	if err := yamltext.Decode(text, r, yaml.Strict(), yaml.UseOrderedMap()); err != nil {
		return nil, fmt.Errorf("recipe %s: %w", name, err)
	}

	r.Trainer = cmp.Or(r.Trainer, export.LlamaFactory)

	// Documents are for people and other tools; no trainer reads them.
	_, trainerErr := export.ParseTrainer(string(r.Trainer))
	_, formatErr := export.ParseFormat(string(r.Format), func(f export.Format) bool { return !f.IsDocuments() })

	if err := errors.Join(trainerErr, formatErr); err != nil {
		return nil, fmt.Errorf("recipe %s: %w", name, err)
	}

	if r.Batch < 1 {
		return nil, fmt.Errorf("recipe %s: batch: %d: want how many samples make an update", name,
			r.Batch)
	}

	// A plan sets these last, so a recipe's own would be overruled without a word.
	for _, item := range r.Arguments {
		if key := fmt.Sprint(item.Key); slices.Contains(planArguments, key) {
			return nil, fmt.Errorf("recipe %s: arguments: %s cannot be set in a recipe: it follows from "+
				"the export, the folder and the batch", name, key)
		}
	}

	return r, nil
}

// firstComment returns the comment that a file begins with, on one line.
func firstComment(text []byte) string {
	var words []string

	for line := range strings.Lines(string(text)) {
		comment, ok := strings.CutPrefix(line, "#")
		if !ok {
			break
		}

		words = append(words, strings.Fields(comment)...)
	}
	return strings.Join(words, " ")
}
