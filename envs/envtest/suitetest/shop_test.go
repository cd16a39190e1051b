package suitetest

import (
	"testing"

	"toolevo/envs/dynamic"
	"toolevo/envs/suite"
)

func TestShop(t *testing.T) {
	Run(t, Shop{}, suite.Choice{Split: "train", Prompt: "old", Environment: dynamic.Settings{UpdateTool: true}}, nil)
}
