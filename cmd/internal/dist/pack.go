package main

import (
	"archive/tar"
	"archive/zip"
	"cmp"
	"compress/flate"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"
)

// file is a file of an archive.
type file struct {
	name string
	mode fs.FileMode
	data []byte
}

// stamped is the time of all files, so that the same files make the same archive. ZIP knows no
// earlier one.
var stamped = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// archive writes files as a compressed tar file with one folder.
func archive(w io.Writer, folder string, files []file) error {
	packed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}

	t := tar.NewWriter(packed)
	for _, f := range files {
		if err := t.WriteHeader(&tar.Header{
			Name: folder + "/" + f.name, Mode: int64(f.mode), Size: int64(len(f.data)), ModTime: stamped,
			Format: tar.FormatPAX,
		}); err != nil {
			return err
		}

		if _, err := t.Write(f.data); err != nil {
			return err
		}
	}
	return cmp.Or(t.Close(), packed.Close())
}

// wheel is a package that pip installs: nothing but a program for its folder of scripts.
type wheel struct{ version, platforms string }

func (w wheel) name() string {
	return fmt.Sprintf("toolevo-%s-py3-none-%s.whl", w.version, w.platforms)
}

const metadata = `Metadata-Version: 2.1
Name: toolevo
Version: %s
Summary: Trial-and-error tool-use trajectories for language models whose APIs change
License: Apache-2.0
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Operating System :: POSIX :: Linux
Requires-Python: >=3.7
Provides-Extra: numpy
Requires-Dist: numpy ; extra == 'numpy'
Description-Content-Type: text/markdown

The program toolevo as a static binary. "toolevo demo" is the place to start. The sandbox of
model-written programs wants a python3 that has numpy.
`

// write packs the program and the licences of what is linked.
func (w wheel) write(out io.Writer, program []byte, licences []file) error {
	info := fmt.Sprintf("toolevo-%s.dist-info/", w.version)
	files := []file{{fmt.Sprintf("toolevo-%s.data/scripts/toolevo", w.version), 0o755, program}}

	for _, f := range licences {
		files = append(files, file{info + "licenses/" + f.name, f.mode, f.data})
	}

	kind := "Wheel-Version: 1.0\nGenerator: toolevo\nRoot-Is-Purelib: false\n"
	for platform := range strings.SplitSeq(w.platforms, ".") {
		kind += "Tag: py3-none-" + platform + "\n"
	}

	files = append(files,
		file{info + "METADATA", 0o644, fmt.Appendf(nil, metadata, w.version)},
		file{info + "WHEEL", 0o644, []byte(kind)})

	// RECORD lists each file with its hash, and itself without one.
	record := ""
	for _, f := range files {
		sum := sha256.Sum256(f.data)
		record += fmt.Sprintf("%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.data))
	}

	files = append(files, file{info + "RECORD", 0o644, []byte(record + info + "RECORD,,\n")})
	return pack(out, files)
}

// pack writes a ZIP file.
func pack(out io.Writer, files []file) error {
	z := zip.NewWriter(out)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})

	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: stamped}
		h.SetMode(f.mode) // with the bit of a regular file, without which pip makes no program of it

		w, err := z.CreateHeader(h)
		if err != nil {
			return err
		}

		if _, err := w.Write(f.data); err != nil {
			return err
		}
	}
	return z.Close()
}
