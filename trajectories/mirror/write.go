package mirror

import (
	"toolevo/envs/kept"
	"toolevo/envs/toolbench/virtual"
	"toolevo/trajectories/export"
)

// The files of a folder, named like MirrorAPI's.
const (
	trainSFT     = "train_sft"     // recorded pairs
	trainCoT     = "train_cot"     // those of them that are explained
	trainAugment = "train_augment" // written by a model
	trainCache   = "train_cache"   // from caches
	testPrefix   = "test_"         // and then the name of a split
)

// Write writes the pairs to a folder that LLaMA-Factory reads, and the report beside them.
// explained are trained pairs with their rationales: they become samples of the mode cot, besides
// those of the mode sft.
func (d *Data) Write(dir string, explained []Pair, r *Report, software string) (*export.Manifest, error) {
	type file struct {
		name  string
		pairs []Pair
		mode  virtual.Mode
	}

	files := []file{
		{trainSFT, d.Train[Recorded], virtual.SFT},
		{trainCoT, explained, virtual.CoT},
		{trainAugment, d.Train[Augmented], virtual.SFT},
		{trainCache, d.Train[Cached], virtual.SFT},
	}
	// Rationales are for training: tests have the mode sft alone.
	for _, split := range splits() {
		files = append(files, file{testPrefix + string(split), d.Test[split], virtual.SFT})
	}

	sets := make([]export.InstructionSet, len(files))

	for i, f := range files {
		sets[i].Name = f.name
		for j := range f.pairs {
			sets[i].Samples = append(sets[i].Samples, sample(&f.pairs[j], f.mode))
		}

		// The folder has no file of an empty set either.
		if len(f.pairs) > 0 {
			r.Datasets = append(r.Datasets, count(f.name, f.pairs))
		}
	}
	return export.WriteInstructions(dir, sets, r, software)
}

// sample returns the sample of a pair: what a model is asked, and what it should answer.
func sample(p *Pair, mode virtual.Mode) export.Instruction {
	return export.Instruction{
		System:      mode.Instructions(kept.Prompts{}),
		Instruction: mode.Request(p.Document, p.Input, nil),
		Output:      mode.Reply(p.Rationale, p.Answer),
	}
}
