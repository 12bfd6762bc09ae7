package embedding

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/embed"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/search/vector"
	"github.com/cairn-kb/cairn/internal/store"
)

// ModelAdd is a model to be added to the registry.
type ModelAdd struct {
	Name   string // ollama/MODEL, openai/MODEL, dir:PATH, or the name of a packed model
	URL    string // of its server, "" for the default one
	KeyEnv string // environment variable with its API key

	// File is a packed model, or its URL. SHA256 is its checksum, "" for the
	// checksum of the file in cairn releases.
	File, SHA256 string
	Progress     func(phase string, done, total int) // of a download, in KiB
}

// ListModels returns the models that the memory may use, by name: those that were
// added, and the built-in one.
func ListModels(ctx context.Context, sess *memory.Session) ([]api.EmbeddingModel, error) {
	var out []api.EmbeddingModel
	err := sess.DB.View(ctx, func(tx store.Tx) error {
		all, err := tx.Models().All(ctx)
		if err != nil {
			return err
		}
		_, chosen := Chosen(all)
		if bge.Available() && !slices.ContainsFunc(all, func(m store.Model) bool { return m.Name == bge.Name }) {
			all = append(all, builtInModel(sess))
		}
		slices.SortFunc(all, func(x, y store.Model) int { return strings.Compare(x.Name, y.Name) })
		for _, m := range all {
			m.Active = m.Active || !chosen && m.Source == sourceBuiltIn
			described, err := describeModel(ctx, sess, tx, m)
			if err != nil {
				return err
			}
			out = append(out, described)
		}
		return nil
	})
	return out, err
}

func describeModel(ctx context.Context, sess *memory.Session, tx store.Tx, m store.Model) (api.EmbeddingModel, error) {
	c, err := readModelConfig(m)
	if err != nil {
		return api.EmbeddingModel{}, err
	}
	out := api.EmbeddingModel{Name: m.Name, Source: m.Source, Dims: m.Dims, Active: m.Active, URL: c.URL, KeyEnv: c.KeyEnv, File: c.File}
	out.Pages, out.Left, err = tx.Vectors().Counts(ctx, m.Name, Version(), nil)
	if kb.CodeOf(err) == kb.NotFound { // the built-in model before its first use
		out.Left, err = space.CountPages(ctx, tx, nil)
	}
	return out, err
}

// AddModel registers a model after a test with one text, so that a registered model
// works. It does not make it active. Adding an existing model replaces its
// settings.
func AddModel(ctx context.Context, sess *memory.Session, req ModelAdd) (api.EmbeddingModel, error) {
	if err := space.PersonOnly(sess.Actor, "model add "+req.Name, "add a model"); err != nil {
		return api.EmbeddingModel{}, err
	}
	if dir, ok := strings.CutPrefix(req.Name, "dir:"); ok && dir != "" {
		req.Name = "dir:" + filepath.Clean(sess.Place.Absolute(dir))
	}
	if req.File != "" || isPacked(req.Name) {
		return addPacked(ctx, sess, req)
	}
	source, rest, err := parseModel(req.Name)
	if err != nil {
		return api.EmbeddingModel{}, err
	}
	if source == sourceBuiltIn || source == sourceDirectory {
		if req.URL != "" || req.KeyEnv != "" {
			return api.EmbeddingModel{}, kb.Errorf(kb.Usage, "%s runs in this process: it has no address and no key", req.Name)
		}
	}
	if source == SourceOllama && req.KeyEnv != "" {
		return api.EmbeddingModel{}, kb.Errorf(kb.Usage, "Ollama has no keys").WithReason(kb.ModelWithoutKey).WithFact("model", rest)
	}
	c := modelConfig{URL: req.URL, KeyEnv: req.KeyEnv}
	m := store.Model{Name: req.Name, Source: source, Created: sess.Now()}
	if source == SourceOllama || source == SourceOpenAI {
		if m.Dims, err = probe(ctx, sess, source, rest, c); err != nil {
			return api.EmbeddingModel{}, err
		}
	}
	return register(ctx, sess, m, c)
}

// register adds a model that passed the test.
func register(ctx context.Context, sess *memory.Session, m store.Model, c modelConfig) (api.EmbeddingModel, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return api.EmbeddingModel{}, err
	}
	m.Config = string(text)
	opened, err := openModel(sess, m)
	if err != nil {
		return api.EmbeddingModel{}, err
	}
	if m.Source == sourceDirectory || m.Source == sourcePacked {
		if _, err := opened.Embed(ctx, []string{probeText}, embed.Passage); err != nil {
			return api.EmbeddingModel{}, err
		}
	}
	m.Name, m.Dims = opened.Model(), opened.Dimensions()
	return changeModels(ctx, sess, m.Name, func(tx store.Tx) error {
		if err := sameFile(ctx, tx, m.Name, c.File); err != nil {
			return err
		}
		err := tx.Models().Put(ctx, m)
		if kb.CodeOf(err) != kb.Conflict {
			return err
		}
		all, lost := tx.Models().All(ctx)
		if lost != nil {
			return lost
		}
		m.Active = slices.ContainsFunc(all, func(s store.Model) bool { return s.Name == m.Name && s.Active })
		return changed(err, m, c)
	})
}

// sameFile rejects another file for a packed model with vectors: vectors of
// different files are not comparable.
func sameFile(ctx context.Context, tx store.Tx, name, file string) error {
	all, err := tx.Models().All(ctx)
	i := slices.IndexFunc(all, func(m store.Model) bool { return m.Name == name && m.Source == sourcePacked })
	if err != nil || i < 0 {
		return err
	}
	was, err := readModelConfig(all[i])
	if err != nil || was.File == file {
		return err
	}
	pages, _, err := tx.Vectors().Counts(ctx, name, Version(), nil)
	if err == nil && pages > 0 {
		err = kb.Errorf(kb.Conflict, "%s has vectors of another file, which cannot be compared with those of this one", name).
			WithHint("remove the model first; its vectors go with it")
	}
	return err
}

// probeText is a text that a model must be able to embed to be added or verified.
const probeText = "cairn"

// UseModel makes a model the active one, used by queries and embed, in one
// transaction. Vectors of other models are kept: switching back only embeds pages
// that changed.
func UseModel(ctx context.Context, sess *memory.Session, name string) (api.EmbeddingModel, error) {
	if err := space.PersonOnly(sess.Actor, "model use "+name, "choose the model"); err != nil {
		return api.EmbeddingModel{}, err
	}
	return changeModels(ctx, sess, name, func(tx store.Tx) error {
		all, err := tx.Models().All(ctx)
		if err != nil {
			return err
		}
		if name == bge.Name && !slices.ContainsFunc(all, func(m store.Model) bool { return m.Name == name }) {
			if _, err := BuiltIn(sess.Place, sess.Workers); err != nil {
				return err
			}
			if err := tx.Models().Put(ctx, builtInModel(sess)); err != nil {
				return err
			}
		}
		if err := tx.Models().Activate(ctx, name); err != nil {
			return kb.AsError(err).WithHint("").WithReason(kb.NoSuchModel).WithFact("models", names(all))
		}
		return nil
	})
}

// RemoveModel removes a model and its vectors; kb.Conflict for the active one.
func RemoveModel(ctx context.Context, sess *memory.Session, name string) (removed api.EmbeddingModel, err error) {
	if err := space.PersonOnly(sess.Actor, "model rm "+name, "remove a model"); err != nil {
		return api.EmbeddingModel{}, err
	}
	err = sess.DB.Update(ctx, func(tx store.Tx) error {
		all, err := tx.Models().All(ctx)
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(all, func(m store.Model) bool { return m.Name == name }); i >= 0 {
			if removed, err = describeModel(ctx, sess, tx, all[i]); err != nil {
				return err
			}
		}
		err = tx.Models().Remove(ctx, name)
		switch {
		case err == nil:
			return nil
		case kb.CodeOf(err) == kb.Conflict:
			return kb.AsError(err).WithHint("").WithReason(kb.ModelInUse)
		}
		return kb.AsError(err).WithHint("models are: %s", names(all))
	})
	return removed, err
}

// changeModels runs change and describes the resulting state of the model.
func changeModels(ctx context.Context, sess *memory.Session, name string, change func(store.Tx) error) (out api.EmbeddingModel, err error) {
	err = sess.DB.Update(ctx, func(tx store.Tx) error {
		if err := change(tx); err != nil {
			return err
		}
		all, err := tx.Models().All(ctx)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(m store.Model) bool { return m.Name == name })
		out, err = describeModel(ctx, sess, tx, all[i])
		return err
	})
	return out, err
}

// VerifyModel opens the active model, embeds a text with it, and reads all of its
// vectors.
func VerifyModel(ctx context.Context, sess *memory.Session) (out api.EmbeddingModel, err error) {
	m, err := ActiveModel(ctx, sess)
	if err != nil {
		return out, err
	}
	if _, err := m.Embed(ctx, []string{probeText}, embed.Query); err != nil {
		return out, err
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		all, err := tx.Models().All(ctx)
		if err != nil {
			return err
		}
		used, ok := Chosen(all)
		if !ok || used.Name != m.Model() {
			return kb.Errorf(kb.Conflict, "the model was changed meanwhile").WithHint("run it again")
		}
		if out, err = describeModel(ctx, sess, tx, used); err != nil {
			return err
		}
		return tx.Vectors().Each(ctx, m.Model(), func(p store.PageVectors) error {
			if err := vector.Check(p.Info, p.Values, m.Dimensions(), p.Chunks); err != nil {
				return kb.AsError(err).WithHint("").WithReason(kb.VectorsDamaged)
			}
			return nil
		})
	})
	return out, err
}

// names lists the models that may be used, as ListModels does.
func names(all []store.Model) string {
	var out []string
	for _, m := range all {
		out = append(out, m.Name)
	}
	if bge.Available() && !slices.Contains(out, bge.Name) {
		out = append(out, bge.Name)
	}
	if len(out) == 0 {
		return "none"
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}
