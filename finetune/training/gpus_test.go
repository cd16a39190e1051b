package training_test

import (
	"os"
	"path/filepath"
	"testing"

	"toolevo/finetune/training"
)

func TestCountGPUs(t *testing.T) {
	for visible, want := range map[string]int{"": 0, "-1": 0, "0": 1, "0,1, 3": 3, "0,-1,2": 1, "GPU-5e, GPU-7a": 2} {
		if n := training.CountGPUs(t.Context(), visible, true); n != want {
			t.Errorf("CUDA_VISIBLE_DEVICES=%q: %d GPUs, want %d", visible, n, want)
		}
	}

	dir := t.TempDir()
	t.Setenv("PATH", dir)

	if n := training.CountGPUs(t.Context(), "", false); n != 0 {
		t.Errorf("%d GPUs without a driver", n)
	}

	const (
		whole = "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)\n"
		parts = "GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-2)\n" +
			"  MIG 3g.40gb     Device  0: (UUID: MIG-3)\n" +
			"  MIG 3g.40gb     Device  1: (UUID: MIG-4)\n"
	)

	for list, want := range map[string]int{
		"": 0, whole: 1, whole + whole: 2, parts: 1, parts + parts: 1,
		parts + whole + parts + whole: 3,
	} {
		script := "#!/bin/sh\nprintf '" + list + "'\n"
		if err := os.WriteFile(filepath.Join(dir, "nvidia-smi"), []byte(script),
			0o755); err != nil {
			t.Fatal(err)
		}

		if n := training.CountGPUs(t.Context(), "", false); n != want {
			t.Errorf("%d GPUs, want %d, in\n%s", n, want, list)
		}
	}
}
