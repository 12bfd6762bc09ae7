package embedding

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/search/embed/kernel"
	"github.com/cairn-kb/cairn/internal/search/embed/packed"
	"github.com/cairn-kb/cairn/internal/search/embed/remote"
	"github.com/cairn-kb/cairn/internal/store"
)

// maxPacked is the maximum size of a packed model, in bytes: it is held in memory
// while it is added.
const maxPacked = 1 << 30

// isPacked reports whether a name is that of a known packed model.
func isPacked(name string) bool {
	return name == packed.Multilingual.Name || name == packed.Multilingual.Short
}

// addPacked copies a packed model to the user's data directory, which all memories
// share, and registers it. The file name of the copy includes the checksum, so that
// a file in use is never changed.
func addPacked(ctx context.Context, sess *memory.Session, req ModelAdd) (api.EmbeddingModel, error) {
	none := api.EmbeddingModel{}
	if req.URL != "" || req.KeyEnv != "" {
		return none, kb.Errorf(kb.Usage, "%s runs in this process: it has no address and no key", req.Name).
			WithHint("Give the address of its file as an argument.")
	}
	want, name := strings.ToLower(req.SHA256), req.Name
	if isPacked(name) {
		name = packed.Multilingual.Name
		if want == "" {
			want = packed.Multilingual.SHA256
		}
	}
	if sum, err := hex.DecodeString(want); err != nil || len(sum) != sha256.Size {
		return none, kb.Errorf(kb.Usage, "a packed model that cairn does not know needs its checksum").
			WithReason(kb.ModelNeedsSum)
	}
	if _, _, err := parseModel(name); err == nil {
		return none, kb.Errorf(kb.Usage, "%q is the name of a model of another kind", name)
	}
	dir, err := sess.Place.ModelsDir()
	if err != nil {
		return none, err
	}
	file := filepath.Join(dir, filepath.Base(name)+"-"+want[:12]+".pack")
	kept := isSound(sess, file)
	if !kept {
		if err := keepPacked(ctx, sess, req, want, file); err != nil {
			return none, err
		}
	}
	opened, err := openPacked(sess, file)
	if err == nil && opened.Model() != name {
		err = kb.Errorf(kb.Usage, "the file holds the model %s, not %s", opened.Model(), name).
			WithHint("Add it by its own name.")
	}
	if err != nil && !kept {
		err = errors.Join(err, fsys.Within(dir, func(d *fsys.Dir) error { return d.Remove(filepath.Base(file)) }))
	}
	if err != nil {
		return none, err
	}
	return register(ctx, sess, store.Model{Name: name, Source: sourcePacked, Created: sess.Now()}, modelConfig{File: file})
}

// keepPacked stores the packed model of a request at a path, if it has the
// checksum.
func keepPacked(ctx context.Context, sess *memory.Session, req ModelAdd, want, at string) error {
	var data []byte
	var err error
	switch {
	case req.File == "":
		return kb.Errorf(kb.Usage, "%s needs its file, or the address of it", req.Name).
			WithReason(kb.ModelNeedsFile).WithFact("model", req.Name).WithFact("file", packed.Multilingual.Name+".pack")
	case strings.Contains(req.File, "://"):
		report := func(done, total int64) {
			if req.Progress != nil {
				req.Progress("download, in KiB", int(done>>10), int(total>>10))
			}
		}
		data, err = remote.Download(ctx, remote.NewClient(), req.File, maxPacked, report)
	default:
		data, err = fsys.ReadRegular(sess.Place.Absolute(req.File), maxPacked)
		err = fsys.Explain(err, "read the packed model")
	}
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	if got := hex.EncodeToString(sum[:]); got != want {
		return kb.Errorf(kb.Invalid, "%s has the SHA-256 %s, not %s", req.File, got, want).
			WithReason(kb.ModelOtherSum)
	}
	if err := fsys.MakeDir(filepath.Dir(at)); err != nil {
		return fsys.Explain(err, "make the directory of models")
	}
	return fsys.Within(filepath.Dir(at), func(dir *fsys.Dir) error {
		err := fsys.WriteAtomic(ctx, dir, filepath.Base(at), data, fsys.Any(), fsys.WriteOptions{Perm: 0o600})
		return fsys.Explain(err, "keep the packed model")
	})
}

// isSound reports whether a packed model exists and matches the checksum in its
// header.
func isSound(sess *memory.Session, file string) bool {
	m, err := openPacked(sess, file)
	return err == nil && m.Verify() == nil
}

// openPacked opens a packed model that was added.
func openPacked(sess *memory.Session, file string) (*packed.Embedder, error) {
	m, err := packed.Open(file, sess.Place.Env(kernel.EnvVar), sess.Workers)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, kb.Errorf(kb.NotFound, "the packed model %s is gone", file)
	}
	return m, fsys.Explain(err, "open the packed model")
}
