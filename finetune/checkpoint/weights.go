package checkpoint

import (
	"archive/zip"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"toolevo/envs/disk"
)

// Whole makes sure that a folder holds all of a model's weights, or of an adapter's: its
// configuration, every file that its index names, and in each as many bytes as the header says. It
// reads no weights. The error wraps [disk.ErrDamaged].
func Whole(folder string) error {
	_, err := weightsIn(folder)
	return err
}

// Check does what Whole does, and compares the weights with the sums in their origin, if it has
// some.
func Check(folder string) error {
	files, err := weightsIn(folder)
	if err != nil {
		return err
	}

	o, err := Read(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // this program did not train them
	}

	if err != nil || len(o.Weights) == 0 {
		return err
	}

	for _, name := range slices.Sorted(maps.Keys(o.Weights)) {
		if !slices.Contains(files, name) {
			return damaged(folder, "%s is missing", name)
		}

		if sum, err := sumOf(filepath.Join(folder, name)); err != nil || sum != o.Weights[name] {
			return errors.Join(err, damaged(folder, "%s changed after it was written", name))
		}
	}
	return nil
}

// Seal notes the sums of the weights in a folder, and writes the origin there. It refuses a folder
// that is not whole.
func (o *Origin) Seal(folder string) error {
	files, err := weightsIn(folder)
	if err != nil {
		return err
	}

	sealed := *o
	sealed.Weights = map[string]string{}

	for _, name := range files {
		if sealed.Weights[name], err = sumOf(filepath.Join(folder, name)); err != nil {
			return err
		}
	}

	return sealed.Write(folder)
}

// CheckHead makes sure that the weights in a folder have the head of a reward model beside them.
// The error wraps [disk.ErrDamaged].
func CheckHead(folder string) error {
	if len(headsIn(folder)) == 0 {
		return damaged(folder, "the head of the reward model, %s, is missing", heads[0])
	}
	return nil
}

// headsIn returns the names of the files that hold the head of a reward model.
func headsIn(folder string) []string {
	return slices.DeleteFunc(slices.Clone(heads), func(name string) bool {
		_, err := os.Stat(filepath.Join(folder, name))
		return err != nil
	})
}

func damaged(folder, format string, args ...any) error {
	return fmt.Errorf("the weights in %s are %w: %s", folder, disk.ErrDamaged,
		fmt.Sprintf(format, args...))
}

// The files of weights: of a model or an adapter, in one file or, by an index, in several.
var stems = []string{"model.safetensors", "adapter_model.safetensors", "pytorch_model.bin", "adapter_model.bin"}

// heads are the files of a reward model's head, beside the others.
var heads = []string{"value_head.safetensors", "value_head.bin"}

// indexEnding is what the name of an index adds to that of the one file.
const indexEnding = ".index.json"

// weightsIn checks the weights in a folder and returns the names of their files.
func weightsIn(folder string) ([]string, error) {
	files, err := listWeights(folder)
	if err != nil {
		return nil, err
	}

	// A folder without weights is damaged, not empty: this is only asked where there should be
	// some.
	if len(files) == 0 {
		return nil, damaged(folder, "it holds neither safetensors nor GGUF nor a file of PyTorch")
	}

	files = append(files, headsIn(folder)...)
	for _, name := range files {
		if err := checkFile(filepath.Join(folder, name)); err != nil {
			return nil, damaged(folder, "%s: %v", name, err)
		}
	}

	// Trainers write the configuration besides the weights, and a server without it cannot load
	// them.
	config := "config.json"

	switch name := files[0]; {
	case strings.HasSuffix(name, ".gguf"):
		return files, nil // the file includes its configuration
	case strings.HasPrefix(name, "adapter_"):
		config = "adapter_config.json"
	}

	var any map[string]any
	if err := readJSON(filepath.Join(folder, config), &any); err != nil {
		return nil, damaged(folder, "%s: %v", config, err)
	}
	return files, nil
}

// listWeights returns the names of the files that hold weights, or should.
func listWeights(folder string) ([]string, error) {
	for _, stem := range stems {
		var index struct {
			Files map[string]string `json:"weight_map"` // by tensor
		}

		err := readJSON(filepath.Join(folder, stem+indexEnding), &index)
		if err == nil && len(index.Files) > 0 {
			return slices.Compact(slices.Sorted(maps.Values(index.Files))), nil
		}

		if !errors.Is(err, fs.ErrNotExist) {
			return nil, damaged(folder, "%s names no files: %v", stem+indexEnding, err)
		}

		if _, err := os.Stat(filepath.Join(folder, stem)); err == nil {
			return []string{stem}, nil
		}
	}

	paths, err := filepath.Glob(filepath.Join(folder, "*.gguf"))
	for i, path := range paths {
		paths[i] = filepath.Base(path)
	}
	return paths, err
}

func readJSON(path string, into any) error {
	text, err := disk.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// checkFile compares the size of a file of weights with what its header says.
func checkFile(path string) error {
	if strings.HasSuffix(path, ".bin") { // a zip archive, whose table of contents is at its end
		archive, err := zip.OpenReader(path)
		if err != nil {
			return err
		}
		return archive.Close()
	}

	f, err := disk.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()

	stat, err := f.Stat()
	if err != nil {
		return err
	}

	if strings.HasSuffix(path, ".gguf") {
		return checkGGUF(f, stat.Size())
	}
	return checkSafetensors(f, stat.Size())
}

// leastGGUF is the size of a GGUF file's header.
const leastGGUF = 24

func checkGGUF(f io.Reader, size int64) error {
	magic := make([]byte, 4)
	if _, err := io.ReadFull(f, magic); err != nil || string(magic) != "GGUF" || size <= leastGGUF {
		return fmt.Errorf("no GGUF file (%d bytes)", size)
	}
	return nil
}

// mostHeader bounds a header of safetensors, as their format does.
const mostHeader = 100 << 20

// checkSafetensors makes sure that the tensors that the header names end where the file does.
func checkSafetensors(f io.Reader, size int64) error {
	var length uint64
	if err := binary.Read(f, binary.LittleEndian, &length); err != nil || length > mostHeader {
		return fmt.Errorf("no safetensors (%d bytes)", size)
	}

	text := make([]byte, min(int64(length), size))
	if _, err := io.ReadFull(f, text); err != nil {
		return fmt.Errorf("it ends in its header, after %d bytes", size)
	}

	var header map[string]struct {
		Offsets [2]int64 `json:"data_offsets"`
	}
	if err := json.Unmarshal(text, &header); err != nil {
		return fmt.Errorf("no header of safetensors: %w", err)
	}

	data := int64(0)
	for _, tensor := range header {
		data = max(data, tensor.Offsets[1])
	}

	if want := 8 + int64(length) + data; data == 0 || size != want {
		return fmt.Errorf("%d bytes, but its header names %d of tensors, so %d in all", size,
			data, want)
	}
	return nil
}

// sumOf returns the XXH3 of a file: a hash that is as fast as the disk.
func sumOf(path string) (string, error) {
	f, err := disk.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()

	h := xxh3.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
