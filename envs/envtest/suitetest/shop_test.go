package suitetest

import (
	"testing"

	"toolevo/envs/suite"
)

func TestShop(t *testing.T) {
	Run(t, Shop{}, suite.Choice{Split: "train", Prompt: "old", Environment: suite.Environment{UpdateTool: true}}, nil)
}
