package bench

import (
	"context"

	"toolevo/toolqa/datacmd"
)

// Fill implements [suite.Filler].
func (ToolQA) Fill(ctx context.Context, data, software string) error {
	return datacmd.Fill(ctx, data, software)
}
