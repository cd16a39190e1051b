package training

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"

	"toolevo/envs/console"
	"toolevo/finetune/checkpoint"
	"toolevo/trajectories/export"
)

// Options say what a recipe is used for.
type Options struct {
	Exports []string  // the folders of exports, at least one
	With    []string  // other datasets: DIR:NAME for LLaMA-Factory, DIR for TRL
	Weights []float64 // shares of the exports and the others in an epoch; nil trains each sample once
	Model   string    // what is trained: a folder, or a name of a model hub; "" is the recipe's
	GPUs    int       // of this machine; 0 trains on the processor
	Set     []string  // ARGUMENT=VALUE, over the recipe's; an empty VALUE removes the argument

	AllowScripted bool // take samples that scripts wrote instead of a language model

	// Files holds the files that arguments name, beside the recipes.
	Files fs.FS
}

// Plan is everything that a trainer reads for one training.
type Plan struct {
	Recipe   *Recipe
	Sources  []*Source // what is trained, the exports first
	Model    string    // that is trained
	Warnings []string  // what the user should know before, a sentence each

	arguments arguments
	files     map[string][]byte // that arguments name, by name in the training's folder
	torchrun  bool              // must be started by torchrun, on however many GPUs
}

// Plan returns what the trainer needs to train a model on exports. It rejects an export that the
// recipe is not for, and one whose samples the trainer would cut.
func (r *Recipe) Plan(o Options) (*Plan, error) {
	p := &Plan{Recipe: r, files: map[string][]byte{}, arguments: arguments(r.Arguments)}

	var err error
	for _, assignment := range o.Set {
		if p.arguments, err = p.arguments.set(assignment); err != nil {
			return nil, err
		}
	}

	if p.Sources, err = r.openSources(o); err != nil {
		return nil, err
	}

	// Said before the hours that an interruption would lose.
	if p.rewards() {
		p.warn("A reward model whose training is interrupted is trained from the beginning: " +
			"LLaMA-Factory cannot resume it.")
	}

	for _, step := range []func(Options) error{
		p.checkSources, p.setModel, p.setAdapter, p.checkTemplates, p.balanceLabels, p.setBatch,
		p.addFiles, p.addSources,
	} {
		if err := step(o); err != nil {
			return nil, fmt.Errorf("recipe %s: %w", r.Name, err)
		}
	}

	p.arguments = p.arguments.with("output_dir", weightsFolder)
	return p, nil
}

// checkSources rejects exports that the recipe is not for, and those that do not go together.
func (p *Plan) checkSources(o Options) error {
	first := p.Sources[0]

	for _, s := range p.Sources {
		// Other datasets have no manifest: what it would have proved is only warned about.
		if s.Manifest == nil {
			p.warn("The tokens of %s of %s were not counted, and it may hold test questions. "+
				"The trainer cuts samples that are too long, and with them the answer.", s.Name, s.Folder)
			continue
		}

		for _, check := range []func(*Source) error{p.checkExport, p.checkLengths} {
			if err := check(s); err != nil {
				return err
			}
		}

		// A script is no language model: what is trained on it is for trying the tools, so it takes
		// a flag, and a warning even then.
		if n := s.Manifest.Scripted(); n > 0 && !o.AllowScripted {
			return console.Option("allow-scripted", "scripts wrote %d of the %d samples of %s, and no "+
				"language model: export runs of a model, or allow it", n, s.Rows, s.Folder)
		} else if n > 0 {
			p.warn("Scripts wrote %d of the %d samples of %s, and no language model.", n, s.Rows,
				s.Folder)
		}

		if s.Manifest.Calls != first.Manifest.Calls || s.Manifest.Tools != first.Manifest.Tools {
			return fmt.Errorf("the replies of %s and %s are not alike texts, function calls or native "+
				"calls: a model learns one of them, so collect both with the same environment.codec",
				first.Folder, s.Folder)
		}
	}

	return nil
}

// checkExport rejects an export that the recipe is not for.
func (p *Plan) checkExport(s *Source) error {
	format, trainer := s.Manifest.Format, s.Manifest.Trainer

	// From the format on: later checks read the export as what the recipe trains.
	switch {
	case format != p.Recipe.Format:
		return fmt.Errorf("it trains exports of the format %s, and %s is one of %s: export again in that "+
			"format, or choose another recipe", p.Recipe.Format, s.Folder, format)
	case trainer != p.Recipe.Trainer:
		return fmt.Errorf("%s is laid out for %s: export again for %s", s.Folder, trainer,
			p.Recipe.Trainer)
	case trainer == export.LlamaFactory && !s.Manifest.FitsLlamaFactory():
		return fmt.Errorf("LLaMA-Factory would train the messages of %s without their calls: export again "+
			"in the format %s, or for %s and a recipe of TRL", s.Folder, export.DefaultFormat, export.TRL)
	case s.Manifest.Rows == 0:
		return fmt.Errorf("%s holds no sample", s.Folder)
	case s.Manifest.Selection.Split == "test":
		return fmt.Errorf("%s has questions of the test split: a model that learns from them cannot be "+
			"measured by them", s.Folder)
	}

	// A recipe for one version, as the paper's static one, would lose its meaning on runs under
	// another.
	for _, run := range s.Manifest.Runs {
		if p.Recipe.Deployed != "" && run.DeployedAPI != p.Recipe.Deployed {
			return fmt.Errorf("it is for trajectories collected under %s, and run %s of %s was collected "+
				"under %s: collect under %s", p.Recipe.Deployed, run.RunID, s.Folder, run.DeployedAPI,
				p.Recipe.Deployed)
		}
	}

	return nil
}

// checkTemplates rejects exports that the chat template spoils.
func (p *Plan) checkTemplates(Options) error {
	for _, s := range p.Sources {
		if s.Manifest == nil {
			continue
		}

		if err := p.checkTemplate(s); err != nil {
			return err
		}
	}
	return nil
}

// checkTemplate rejects an export that the chat template spoils: the model would learn replies that
// no evaluation understands, or replies to prompts that it is never asked.
func (p *Plan) checkTemplate(s *Source) error {
	name := p.chatTemplate(s)

	// Only known templates can be checked. The others matter where replies are calls, which every
	// template writes in its own way.
	if format, trainer := s.Manifest.Format, s.Manifest.Trainer; !format.IsTrained() {
		return nil
	} else if export.ParseChatTemplate(trainer, name) != nil {
		if s.Manifest.Calls {
			p.warn("The replies in the export are function calls, and how the chat template %s writes them "+
				"is not known here: see trajectories/export/TEMPLATES.md.", cmp.Or(name, "of the model"))
		}
		return nil
	}

	// The template in the model's folder is what a server will use, so it has to agree, too.
	fit, err := s.Manifest.CheckTemplate(name)
	if err == nil {
		err = s.Manifest.CheckServer(name, templateText(p.Model))
	}

	if err != nil && p.Recipe.Trainer == export.LlamaFactory {
		return fmt.Errorf("the replies in %s cannot be trained like this: %w, with another %s, or another recipe",
			s.Folder, err, argTemplate)
	} else if err != nil {
		return fmt.Errorf("the replies in %s cannot be trained like this: %w", s.Folder, err)
	}

	// The advice about thinking is for those who have not switched it off.
	fit.WithoutThinking = fit.WithoutThinking && p.arguments.text(argThinking) != "false"

	for _, advice := range fit.Advice() {
		if !slices.Contains(p.Warnings, advice) { // another source's
			p.warn("%s", advice)
		}
	}

	return nil
}

// chatTemplate returns the trainer's name for the template that is trained; "" if that is unknown.
// TRL has the model's own.
func (p *Plan) chatTemplate(s *Source) string {
	if p.Recipe.Trainer == export.LlamaFactory {
		return p.arguments.text(argTemplate)
	}

	if text := templateText(p.Model); text != "" {
		return export.ChatTemplateOf(p.Recipe.Trainer, text)
	}

	if p.Model == arguments(p.Recipe.Arguments).text(argModel) {
		return p.Recipe.Template
	}
	return s.Manifest.ChatTemplate
}

// templateText returns the chat template of the model in a folder, "" if it has none.
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

// cutoffs are the trainers' arguments for the length at which they cut a sample, and its default.
var cutoffs = map[export.Trainer]struct {
	argument  string
	otherwise int
}{
	export.LlamaFactory: {"cutoff_len", 2048},
	export.TRL:          {"max_length", 1024},
}

// checkLengths rejects samples that the trainer would cut: it cuts the end, where the answer is.
func (p *Plan) checkLengths(s *Source) error {
	key := cutoffs[p.Recipe.Trainer]

	cutoff, err := p.arguments.number(key.argument, key.otherwise)
	if err != nil {
		return err
	}

	lengths, template := s.Manifest.Lengths, p.arguments.text(argTemplate)

	switch {
	// A token is at least a byte, so a text that is short enough in bytes fits uncounted.
	case lengths.MaxTokens == 0 && lengths.MaxChars*utf8.UTFMax <= cutoff:
	case lengths.MaxTokens == 0:
		p.warn("The export was made without --tokenizer, so nobody knows whether its samples fit %d "+
			"tokens; the longest has %d characters. The trainer cuts what is longer, and with it the "+
			"answer.", cutoff, lengths.MaxChars)
	case template != "" && lengths.Template != template:
		p.warn("The export counted its tokens under the chat template %s, and %s is trained: lengths "+
			"differ a little.", lengths.Template, template)
	}

	// Counted tokens are proof, so this is an error, not a warning.
	if lengths.MaxTokens > cutoff {
		return fmt.Errorf("the longest sample of %s has %d tokens, and %s is %d: the trainer would cut "+
			"the answer off. Export again with a cutoff of %d, or set %s=%d", s.Folder, lengths.MaxTokens,
			key.argument, cutoff, cutoff, key.argument, lengths.MaxTokens)
	}

	return nil
}

// balanceLabels gives the rarer kind of labels more weight, unless the recipe or the user sets a
// weight.
func (p *Plan) balanceLabels(Options) error {
	weights := p.labels().Weights(p.Recipe.Trainer)

	isSet := func(w yaml.MapItem) bool { return p.arguments.text(fmt.Sprint(w.Key)) != "" }
	if slices.ContainsFunc(weights, isSet) {
		return nil
	}

	p.arguments = append(slices.Clip(p.arguments), weights...)
	return nil
}

// labels counts the labels of an epoch. Those of other datasets are unknown; with one, nothing is
// balanced.
func (p *Plan) labels() (all export.Labels) {
	for _, s := range p.Sources {
		if s.Manifest == nil {
			return export.Labels{}
		}

		times := float64(s.Trained) / float64(max(s.Rows, 1))
		all.Desirable += int(math.Round(times * float64(s.Manifest.Labels.Desirable)))
		all.Undesirable += int(math.Round(times * float64(s.Manifest.Labels.Undesirable)))
	}
	return all
}

// setModel sets the model that is trained. LLaMA-Factory runs in another folder, so that of a model
// is made absolute.
func (p *Plan) setModel(o Options) error {
	p.Model = o.Model
	if p.Model == "" {
		p.Model = p.arguments.text(argModel)
	}

	if p.Model == "" {
		return console.Option("model", "it names no model: name one")
	}

	var err error
	if p.Model, err = locate("model", p.Model); err == nil {
		p.arguments = p.arguments.with(argModel, p.Model)
	}
	return err
}

// setAdapter makes sure that the adapter which is trained further, if one is named, is the only
// one: what is served is that of the end, merged into the model.
func (p *Plan) setAdapter(Options) error {
	name := p.arguments.text(argAdapter)
	if name == "" || !p.Adapts() {
		return nil
	}

	isNew := p.arguments.text(argNewAdapter)
	if strings.Contains(name, ",") || isNew != "" && isNew != "false" {
		return console.Usage("%s %s: an adapter that is trained on top of others cannot be served "+
			"without them: merge those into their model, and name the result as ‹model›",
			argAdapter, name)
	}

	name, err := locate("adapter", name)
	p.arguments = p.arguments.with(argAdapter, name)
	return err
}

// locate makes the path of a folder absolute. Other names are of a model hub.
func locate(what, name string) (string, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return filepath.Abs(name)
	}

	if strings.HasPrefix(name, "/") || strings.HasPrefix(name, ".") {
		return "", fmt.Errorf("the %s %s is no folder", what, name)
	}
	return name, nil
}

// defaultPerDevice is LLaMA-Factory's default.
const defaultPerDevice = 8

// setBatch sets how many gradients are accumulated, so that an update has as many samples as the
// recipe says on any machine.
func (p *Plan) setBatch(o Options) error {
	perDevice, err := p.arguments.number(argPerDevice, defaultPerDevice)
	if err != nil {
		return err
	}

	together := perDevice * max(o.GPUs, 1)
	accumulation := max((p.Recipe.Batch+together/2)/together, 1)

	if batch := accumulation * together; batch != p.Recipe.Batch {
		p.warn("An update has %d samples and not %d: %d at a time on %d GPUs do not make that. "+
			"Another --set %s might.", batch, p.Recipe.Batch, perDevice, max(o.GPUs, 1), argPerDevice)
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

// Template returns the chat template that is trained.
func (p *Plan) Template() string { return p.arguments.text(argTemplate) }

// NativeCalls reports whether the samples are of native calls; all sources are the same in that.
func (p *Plan) NativeCalls() bool {
	return slices.ContainsFunc(p.Sources, func(s *Source) bool {
		return s.Manifest != nil && s.Manifest.Tools
	})
}

// Adapts reports whether an adapter is trained, and the model itself stays as it is.
func (p *Plan) Adapts() bool { return p.arguments.text(argTuning) == "lora" }

// rewards reports whether a reward model is trained: weights and, in a file beside them, a head.
func (p *Plan) rewards() bool { return p.arguments.text(argStage) == stageReward }

// resumes reports whether a training that broke off continues from a checkpoint. One of a reward
// model does not in LLaMA-Factory: of all weights it begins anew, and of an adapter it fails, as
// the trainer looks for the files that the head was split from.
func (p *Plan) resumes() bool { return !p.arguments.isTrue(argOnlyModel) && !p.rewards() }

// Rows returns the samples of an epoch.
func (p *Plan) Rows() (n int) {
	for _, s := range p.Sources {
		n += s.Trained
	}
	return n
}

// Scripted counts the samples of the exports that scripts wrote instead of a language model.
func (p *Plan) Scripted() (n int) {
	for _, s := range p.Sources {
		if s.Manifest != nil {
			n += s.Manifest.Scripted()
		}
	}

	return n
}

// Origins returns the sources as the trained weights name them.
func (p *Plan) Origins() (all []checkpoint.Source) {
	for _, s := range p.Sources {
		all = append(all, s.origin())
	}
	return all
}

// Command returns the command that carries the plan out, without arguments.
func (p *Plan) Command() string { return p.Sources[0].Manifest.Command() }

// YAML returns the file of the trainer's arguments.
func (p *Plan) YAML() ([]byte, error) {
	text, err := p.arguments.encode()
	head := fmt.Sprintf("# Written by toolevo from the recipe %s, for\n", p.Recipe.Name)

	for _, s := range p.Sources {
		head += fmt.Sprintf("# %s\n", s)
	}
	return append([]byte(head), text...), err
}
