package openapi_test

import (
	"crypto/sha256"
	"fmt"
	"strconv"

	"toolevo/envs"
)

// hashOf is what ends a name of an operation that others share.
func hashOf(operation string) string { return fmt.Sprintf("%.4x", sha256.Sum256([]byte(operation))) }

func schemaAt(i int) string { return "#/components/schemas/s" + strconv.Itoa(i) }

func number(i int) envs.Number { return envs.Number(strconv.Itoa(i)) }
