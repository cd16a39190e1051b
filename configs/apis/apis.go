// Package apis embeds the API versions toolevo ships, one YAML file each: p_c (what prompts show),
// p_s_in (what the server of the training environment enforces), p_s_ood (the held-out one) and
// p_s_ood_proprietary (the variant of p_s_ood that the published evaluation of proprietary models
// used). Five more, b2_*, each change one thing (ToolEvo, appendix B.2). Package envs/toolapi reads
// them. The folder scripts has the versions as operators on p_c, as far as that is possible;
// package envs/drift reads these.
package apis

import (
	"embed"
	"io/fs"
)

//go:embed *.yaml
var files embed.FS

// FS returns the YAML files, at the root of a read-only file system.
func FS() fs.FS { return files }
