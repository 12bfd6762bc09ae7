package exporter

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
)

// manifestName is the file that records the exported files of a directory and
// their hashes.
const manifestName = ".cairn-journal.json"

// manifest records which files of a directory belong to an export. It is written before the
// files, so that the next export knows the files of one that was killed.
type manifest struct {
	Space   kb.ID             `json:"space"`
	Files   map[string]string `json:"files"`             // hash of the written bytes, by name
	Pending map[string]string `json:"pending,omitempty"` // and of files about to be written
}

// has reports whether a file with a text was exported.
func (m manifest) has(name string, text []byte) bool {
	h := hash(text)
	return m.Files[name] == h || m.Pending[name] == h
}

// names returns the names of the recorded files.
func (m manifest) names() map[string]bool {
	out := map[string]bool{}
	for _, files := range []map[string]string{m.Files, m.Pending} {
		for name := range files {
			if fs.ValidPath(name) {
				out[name] = true
			}
		}
	}
	return out
}

// keep copies the entries of a file from another manifest.
func (m manifest) keep(name string, from manifest) {
	if h, ok := from.Files[name]; ok {
		m.Files[name] = h
	}
	if h, ok := from.Pending[name]; ok {
		m.Pending[name] = h
	}
}

func newManifest(space kb.ID) manifest {
	return manifest{Space: space, Files: map[string]string{}, Pending: map[string]string{}}
}

// read reads the manifest of earlier exports. An unreadable manifest counts as empty, so
// that all existing files stay.
func (t *target) read(ctx context.Context) error {
	text, there, err := t.look(ctx, manifestName)
	if err != nil || !there {
		return fsys.Explain(err, "read %s", manifestName)
	}
	t.written = text
	var m manifest
	if json.Unmarshal(text, &m) != nil {
		return nil
	}
	if m.Space != t.space {
		return kb.Errorf(kb.Conflict, "the journal of another space was exported here").WithHint("Name another directory.")
	}
	t.before = m
	return nil
}

// write writes a manifest, unless another export has written one in the meantime.
func (t *target) write(ctx context.Context, m manifest) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if text = append(text, '\n'); bytes.Equal(text, t.written) {
		return nil
	}
	pre := fsys.Absent()
	if t.written != nil {
		pre = fsys.Unchanged(t.written)
	}
	if err := fsys.WriteAtomic(ctx, t.dir, manifestName, text, pre, t.options()); err != nil {
		return fsys.Explain(err, "write %s", manifestName)
	}
	t.written = text
	return nil
}

// isOwn reports whether a temporary file holds the beginning of a manifest or of an exported
// text.
func (t *target) isOwn(text []byte) bool {
	head := []byte("{\n  \"space\": \"" + string(t.space) + "\"")
	if bytes.HasPrefix(text, head) || bytes.HasPrefix(head, text) {
		return true
	}
	for _, now := range t.texts {
		if bytes.HasPrefix(now, text) {
			return true
		}
	}
	return false
}

func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
