package disk_test

import (
	"testing"

	"toolevo/envs/disk"
)

// The line says who made the file, in which format, and who can export it.
func TestFormatError(t *testing.T) {
	if err := disk.CheckFormat("a", "0.1.0", 3, 3); err != nil {
		t.Errorf("the same format: %v", err)
	}

	if err := disk.CheckJSON("a", []byte("[not an object"), "format", 3); err != nil {
		t.Errorf("no object: %v", err)
	}

	for want, err := range map[string]error{
		"run was made by toolevo 0.0.9 (abc) in format 2; this version reads format 3: " +
			"export it with toolevo 0.0.9 (abc), or make it again": disk.CheckJSON("run",
			[]byte(`{"format": 2, "software": "0.0.9 (abc)", "else": []}`), "format", 3),
		"run was made by another version of toolevo in a format without a number; this version reads format 3: " +
			"export it with that version, or make it again": disk.CheckJSON("run", []byte(`{}`), "format", 3),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}
