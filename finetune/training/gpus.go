package training

import (
	"context"
	"os/exec"
	"slices"
	"strings"
)

// CountGPUs counts the GPUs that a training on this machine would use: those that
// CUDA_VISIBLE_DEVICES (visible, if it is set) names, else those that the driver lists.
func CountGPUs(ctx context.Context, visible string, isSet bool) int {
	if isSet {
		n := 0

		for device := range strings.SplitSeq(visible, ",") {
			if device = strings.TrimSpace(device); device == "" || device == "-1" {
				break // as CUDA reads it: what follows is not visible
			}

			n++
		}
		return n
	}

	list, err := exec.CommandContext(ctx, "nvidia-smi", "--list-gpus").Output()
	if err != nil {
		return 0
	}

	// What the driver lists below a GPU are its parts (MIG). Of all parts CUDA uses one.
	gpus := strings.Split("\n"+string(list), "\nGPU ")[1:]
	whole := slices.DeleteFunc(slices.Clone(gpus), func(gpu string) bool {
		return strings.Contains(gpu, "\n  MIG ")
	})
	return min(len(whole)+1, len(gpus))
}
