package checkpoint_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"toolevo/envs/disk"
	"toolevo/finetune/checkpoint"
)

// One weight in safetensors: how long the header is, the header, and a byte.
const tensors = "\x35\x00\x00\x00\x00\x00\x00\x00" + `{"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}` + "w"

// anArchive is a zip file with nothing in it.
const anArchive = "PK\x05\x06" + "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"

func TestCheck(t *testing.T) {
	const index = `{"weight_map": {"a": "model-1.safetensors", "b": "model-2.safetensors", "c": "model-1.safetensors"}}`

	for name, c := range map[string]struct {
		files map[string]string
		want  string // in the error; "" is none
	}{
		"whole": {map[string]string{"model.safetensors": tensors, "config.json": "{}"}, ""},
		"shards": {map[string]string{
			"model.safetensors.index.json": index, "model-1.safetensors": tensors, "model-2.safetensors": tensors,
			"config.json": "{}",
		}, ""},
		"an adapter": {map[string]string{"adapter_model.safetensors": tensors, "adapter_config.json": "{}"}, ""},
		"PyTorch":    {map[string]string{"pytorch_model.bin": anArchive, "config.json": "{}"}, ""},
		"GGUF":       {map[string]string{"m.gguf": "GGUF" + strings.Repeat("x", 40)}, ""},

		"a head": {map[string]string{
			"model.safetensors": tensors, "config.json": "{}", "value_head.safetensors": tensors,
		}, ""},

		"nothing": {nil, "neither"},
		"a shard too few": {map[string]string{
			"model.safetensors.index.json": index, "model-1.safetensors": tensors, "config.json": "{}",
		}, "model-2.safetensors"},
		"an index of nothing": {map[string]string{"model.safetensors.index.json": "{}", "config.json": "{}"}, "index"},
		"an empty file":       {map[string]string{"model.safetensors": "", "config.json": "{}"}, "0 bytes"},
		"cut in the header":   {map[string]string{"model.safetensors": tensors[:20], "config.json": "{}"}, "header"},
		"cut":                 {map[string]string{"model.safetensors": tensors[:61], "config.json": "{}"}, "61 bytes"},
		"longer":              {map[string]string{"model.safetensors": tensors + "w", "config.json": "{}"}, "63 bytes"},
		"a pointer of Git LFS": {map[string]string{"model.safetensors": "version https://git", "config.json": "{}"},
			"no safetensors"},
		"no configuration": {map[string]string{"model.safetensors": tensors}, "config.json"},
		"half a configuration": {map[string]string{"model.safetensors": tensors, "config.json": "{"},
			"config.json"},
		"half a head": {map[string]string{
			"model.safetensors": tensors, "config.json": "{}",
			"value_head.safetensors": tensors[:61],
		}, "value_head.safetensors: 61 bytes"},
		"half of PyTorch": {map[string]string{"pytorch_model.bin": anArchive[:9], "config.json": "{}"}, "pytorch"},
		"half of GGUF":    {map[string]string{"m.gguf": "GGUF"}, "m.gguf"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()

			for name, text := range c.files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}

			err := checkpoint.Check(dir)
			if c.want == "" && err != nil {
				t.Errorf("error %v", err)
			}

			if c.want != "" && (!errors.Is(err, disk.ErrDamaged) || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}
