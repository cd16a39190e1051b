package bench

import (
	"io/fs"

	"toolevo/toolqa/questions"
)

// Demonstrations implements [suite.Demonstrator].
func (ToolQA) Demonstrations() fs.FS { return questions.Demonstrations() }
