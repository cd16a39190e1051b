package training

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"

	"toolevo/trajectories/export"
)

// Options say what a recipe is used for.
type Options struct {
	Export string   // the folder of the export
	Model  string   // what is trained: a folder, or a name of a model hub; "" is the recipe's
	GPUs   int      // of this machine; 0 trains on the processor
	Set    []string // ARGUMENT=VALUE, over the recipe's; an empty VALUE takes the argument away

	// Files holds those that arguments name, beside the recipes.
	Files fs.FS
}

// Plan is everything that a trainer is told for one training.
type Plan struct {
	Recipe   *Recipe
	Export   string           // its folder, absolute
	Manifest *export.Manifest // of the export
	Model    string           // what is trained
	Warnings []string         // what the user should know before, a sentence each

	arguments arguments
	files     map[string][]byte // that arguments name, by name in the training's folder
	torchrun  bool              // must be started so, on however many GPUs
}

// Plan returns what the trainer is told to train a model on an export. It refuses an export that
// the recipe is not for, and one whose samples the trainer would cut.
func (r *Recipe) Plan(o Options) (*Plan, error) {
	folder, err := filepath.Abs(o.Export)
	if err != nil {
		return nil, err
	}

	manifest, err := export.ReadManifest(folder)
	if err != nil {
		return nil, err
	}

	p := &Plan{Recipe: r, Export: folder, Manifest: manifest, files: map[string][]byte{}}
	p.arguments = arguments(r.Arguments)

	for _, assignment := range o.Set {
		if p.arguments, err = p.arguments.set(assignment); err != nil {
			return nil, err
		}
	}

	for _, step := range []func(Options) error{
		p.checkExport, p.setModel, p.checkTemplate, p.checkLengths, p.balanceLabels, p.setBatch, p.addFiles,
	} {
		if err := step(o); err != nil {
			return nil, fmt.Errorf("recipe %s: %w", r.Name, err)
		}
	}

	if r.Trainer == export.TRL {
		p.arguments = p.arguments.with("dataset_name", folder)
		if o.GPUs > 0 { // else what accelerate_config says, or as many as there are
			p.arguments = p.arguments.with(argProcesses, o.GPUs)
		}
	} else {
		p.arguments = p.arguments.with("dataset_dir", folder).with("dataset", manifest.Dataset())
	}

	p.arguments = p.arguments.with("output_dir", weightsFolder)

	return p, nil
}

// checkExport refuses an export that the recipe is not for.
func (p *Plan) checkExport(Options) error {
	format, trainer := p.Manifest.Form()

	switch {
	case format != p.Recipe.Format:
		return fmt.Errorf("it trains exports of the format %s, and %s is one of %s: export again with --format %s, or "+
			"choose another recipe", p.Recipe.Format, p.Export, format, p.Recipe.Format)
	case trainer != p.Recipe.Trainer:
		return fmt.Errorf("%s is laid out for %s: export again with --for %s", p.Export, trainer,
			p.Recipe.Trainer)
	case trainer == export.LlamaFactory && !p.Manifest.FitsLlamaFactory():
		return fmt.Errorf("LLaMA-Factory would train the messages of %s without their calls: export again with "+
			"--format %s, or with --for %s for a recipe of TRL", p.Export, export.SFTTrajectory, export.TRL)
	case p.Manifest.Rows == 0:
		return fmt.Errorf("%s holds no sample", p.Export)
	}

	for _, run := range p.Manifest.Runs {
		if p.Recipe.Deployed != "" && run.DeployedAPI != p.Recipe.Deployed {
			return fmt.Errorf("it is for trajectories collected under %s, and run %s of %s was collected under %s: "+
				"collect with --api %s", p.Recipe.Deployed, run.RunID, p.Export, run.DeployedAPI, p.Recipe.Deployed)
		}
	}

	return nil
}

// checkTemplate refuses an export that the chat template spoils: the model would learn replies that
// no evaluation understands, or to others than it is asked.
func (p *Plan) checkTemplate(Options) error {
	name := p.chatTemplate()

	if format, trainer := p.Manifest.Form(); format == export.Simulator {
		return nil
	} else if export.ParseChatTemplate(trainer, name) != nil {
		if p.Manifest.Calls {
			p.warn("The replies in the export are function calls, and how the chat template %s writes them is not "+
				"known here: see trajectories/export/TEMPLATES.md.", cmp.Or(name, "of the model"))
		}

		return nil
	}

	fit, err := p.Manifest.CheckTemplate(name)
	if err != nil && p.Recipe.Trainer == export.LlamaFactory {
		return fmt.Errorf("the replies in %s cannot be trained so: %w, with --set %s=NAME, or another recipe", p.Export,
			err, argTemplate)
	} else if err != nil {
		return fmt.Errorf("the replies in %s cannot be trained so: %w", p.Export, err)
	}

	fit.WithoutThinking = fit.WithoutThinking && p.arguments.text(argThinking) != "false"
	p.Warnings = append(p.Warnings, fit.Advice()...)

	return nil
}

// chatTemplate is the one that is trained, by the trainer's name for it; "" where that is not known.
// TRL has the model's own.
func (p *Plan) chatTemplate() string {
	if p.Recipe.Trainer == export.LlamaFactory {
		return p.arguments.text(argTemplate)
	}

	if text := templateText(p.Model); text != "" {
		return export.ChatTemplateOf(p.Recipe.Trainer, text)
	}

	if p.Model == arguments(p.Recipe.Arguments).text(argModel) {
		return p.Recipe.Template
	}

	return p.Manifest.ChatTemplate
}

// templateText is the chat template of the model in a folder, "" where there is none.
func templateText(folder string) string {
	if text, err := os.ReadFile(filepath.Join(folder, "chat_template.jinja")); err == nil {
		return string(text)
	}

	var tokenizer struct {
		Template any `json:"chat_template"` // several are a list
	}

	text, err := os.ReadFile(filepath.Join(folder, "tokenizer_config.json"))
	if err == nil {
		err = json.Unmarshal(text, &tokenizer)
	}

	if template, ok := tokenizer.Template.(string); ok && err == nil {
		return template
	}

	return ""
}

// cutoffs are how trainers call the length at which they cut a sample, and how long that is when
// they are not told.
var cutoffs = map[export.Trainer]struct {
	argument  string
	otherwise int
}{
	export.LlamaFactory: {"cutoff_len", 2048},
	export.TRL:          {"max_length", 1024},
}

// checkLengths refuses samples that the trainer would cut, which it does from behind, where the
// answer is.
func (p *Plan) checkLengths(Options) error {
	key := cutoffs[p.Recipe.Trainer]

	cutoff, err := p.arguments.number(key.argument, key.otherwise)
	if err != nil {
		return err
	}

	lengths, template := p.Manifest.Lengths, p.arguments.text(argTemplate)

	switch {
	case lengths.MaxTokens == 0 && lengths.MaxChars*utf8.UTFMax <= cutoff: // a token is a byte at least
	case lengths.MaxTokens == 0:
		p.warn("The export was made without --tokenizer, so nobody knows whether its samples fit %d tokens; the "+
			"longest has %d characters. The trainer cuts what is longer, and with it the answer.", cutoff,
			lengths.MaxChars)
	case template != "" && lengths.Template != template:
		p.warn("The export counted its tokens under the chat template %s, and %s is trained: lengths differ a little.",
			lengths.Template, template)
	}

	if lengths.MaxTokens > cutoff {
		return fmt.Errorf("the longest sample of %s has %d tokens, and %s is %d: the trainer would cut "+
			"the answer off. Export again with --cutoff %d, or --set %s=%d", p.Export, lengths.MaxTokens,
			key.argument, cutoff, cutoff, key.argument, lengths.MaxTokens)
	}

	return nil
}

// balanceLabels has the rarer kind of labels weigh more, unless the recipe or the user says what it
// weighs.
func (p *Plan) balanceLabels(Options) error {
	weights := p.Manifest.Labels.Weights(p.Recipe.Trainer)

	isSet := func(w yaml.MapItem) bool { return p.arguments.text(fmt.Sprint(w.Key)) != "" }
	if slices.ContainsFunc(weights, isSet) {
		return nil
	}

	p.arguments = append(slices.Clip(p.arguments), weights...)

	return nil
}

// setModel says which model is trained. LLaMA-Factory runs elsewhere, so a folder gets its whole name.
func (p *Plan) setModel(o Options) error {
	p.Model = o.Model
	if p.Model == "" {
		p.Model = p.arguments.text(argModel)
	}

	if p.Model == "" {
		return errors.New("it names no model: name one with --model")
	}

	if info, err := os.Stat(p.Model); err == nil && info.IsDir() {
		if p.Model, err = filepath.Abs(p.Model); err != nil {
			return err
		}
	} else if strings.HasPrefix(p.Model, "/") || strings.HasPrefix(p.Model, ".") {
		return fmt.Errorf("the model %s is no folder", p.Model)
	}

	p.arguments = p.arguments.with(argModel, p.Model)

	return nil
}

// The value that LLaMA-Factory has when it is not told.
const defaultPerDevice = 8

// setBatch has gradients accumulated until an update has as many samples as the recipe says, whatever the machine.
func (p *Plan) setBatch(o Options) error {
	perDevice, err := p.arguments.number(argPerDevice, defaultPerDevice)
	if err != nil {
		return err
	}

	together := perDevice * max(o.GPUs, 1)
	accumulation := max((p.Recipe.Batch+together/2)/together, 1)

	if batch := accumulation * together; batch != p.Recipe.Batch {
		p.warn("An update has %d samples and not %d: %d at a time on %d GPUs do not make that. Another --set %s might.",
			batch, p.Recipe.Batch, perDevice, max(o.GPUs, 1), argPerDevice)
	}

	p.arguments = p.arguments.with(argAccumulation, accumulation)

	return nil
}

// addFiles finds the files that arguments name.
func (p *Plan) addFiles(o Options) error {
	name := p.arguments.text(argDeepSpeed)
	if name == "" {
		return nil
	}

	p.torchrun = true

	text, err := fs.ReadFile(o.Files, name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
		if name, err = filepath.Abs(name); err == nil {
			_, err = os.Stat(name)
		}

		p.arguments = p.arguments.with(argDeepSpeed, name)

		return err
	}

	p.files[name] = text

	return err
}

func (p *Plan) warn(format string, args ...any) {
	p.Warnings = append(p.Warnings, fmt.Sprintf(format, args...))
}

// NeedsGPU reports whether the arguments are for GPUs.
func (p *Plan) NeedsGPU() bool { return !p.arguments.isTrue(argCPU) }

// Template is the chat template that is trained.
func (p *Plan) Template() string { return p.arguments.text(argTemplate) }

// Adapts reports whether an adapter is trained, and the model itself stays as it is.
func (p *Plan) Adapts() bool { return p.arguments.text(argTuning) == "lora" }

// YAML is the file of LLaMA-Factory's arguments.
func (p *Plan) YAML() ([]byte, error) {
	text, err := p.arguments.encode()
	head := fmt.Sprintf("# Written by toolevo from the recipe %s, for the export with the seal\n# %s.\n", p.Recipe.Name,
		p.Manifest.Seal)

	return append([]byte(head), text...), err
}
