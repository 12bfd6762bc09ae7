package embedding

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/search/embed"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/search/embed/kernel"
	"github.com/cairn-kb/cairn/internal/search/embed/modeldir"
	"github.com/cairn-kb/cairn/internal/search/embed/packed"
	"github.com/cairn-kb/cairn/internal/search/embed/remote"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/store"
)

// Origins of models, as stored in the registry.
const (
	sourceBuiltIn   = "built-in"
	SourceOllama    = "ollama"
	SourceOpenAI    = "openai"
	sourceDirectory = "directory"
	sourcePacked    = "packed"
)

// modelConfig is the configuration needed to open a model again, in addition to its
// name. It never has a key, only the source of the key.
type modelConfig struct {
	URL    string `json:"url,omitempty"`
	KeyEnv string `json:"key_env,omitempty"`
	File   string `json:"file,omitempty"` // of a packed model
}

// embedder is an open model with its configuration.
type embedder struct {
	embed.Embedder
	of  store.Model
	key string
}

// Embed implements embed.Embedder, and adds advice when the dimensions of the model
// changed.
func (e *embedder) Embed(ctx context.Context, texts []string, kind embed.Kind) ([][]float32, error) {
	vectors, err := e.Embedder.Embed(ctx, texts, kind)
	if err == nil {
		return vectors, nil
	}
	if _, others := kb.AsError(err).Details["dimensions"]; !others {
		return nil, err
	}
	config, damaged := readModelConfig(e.of)
	if damaged != nil {
		return nil, damaged
	}
	return nil, changed(err, e.of, config)
}

// changed adds data to err, which reports that a model's dimensions changed, for a
// hint on replacing the model: its vectors must be removed, unless it is the model
// in use.
func changed(err error, m store.Model, c modelConfig) error {
	other := bge.Name
	if !bge.Available() {
		other = "ANOTHER"
	}
	return kb.AsError(err).WithHint("").WithReason(kb.ModelChanged).WithFact("model", m.Name).WithFact("active", m.Active).
		WithFact("url", c.URL).WithFact("key_env", c.KeyEnv).WithFact("other", other)
}

// ActiveModel returns the embedder that the memory uses. A memory without a chosen
// model uses the built-in one, if the build has it. The choice is read each time,
// since another process may change it.
func ActiveModel(ctx context.Context, sess *memory.Session) (embed.Embedder, error) {
	all, err := registered(ctx, sess)
	if err != nil {
		return nil, err
	}
	return OpenActive(ctx, sess, all)
}

// OpenActive is ActiveModel for a caller that has just read the registered models.
func OpenActive(ctx context.Context, sess *memory.Session, all []store.Model) (embed.Embedder, error) {
	m, err := choose(ctx, sess, all)
	if err != nil {
		return nil, err
	}
	config, err := readModelConfig(m)
	if err != nil {
		return nil, err
	}
	key, err := modelKey(sess, config)
	if err != nil {
		return nil, err
	}
	memory.Keep[State](sess).modelMu.Lock()
	defer memory.Keep[State](sess).modelMu.Unlock()
	if open := memory.Keep[State](sess).embedder; open != nil && open.of.Name == m.Name && open.of.Config == m.Config && open.of.Dims == m.Dims && open.key == key {
		return open, nil
	}
	opened, err := openModel(sess, m)
	switch {
	case kb.CodeOf(err) == kb.NotFound && (m.Source == sourceDirectory || m.Source == sourcePacked):
		return nil, kb.AsError(err).WithHint("").WithReason(kb.ModelFilesGone)
	case err != nil:
		return nil, err
	}
	if opened.Dimensions() != m.Dims {
		return nil, changed(kb.Errorf(kb.Conflict, "%s has %d dimensions now, and had %d", m.Name, opened.Dimensions(), m.Dims), m, config)
	}
	memory.Keep[State](sess).embedder = &embedder{opened, m, key}
	return memory.Keep[State](sess).embedder, nil
}

// ChosenModel returns the active model, and makes the built-in one active if there
// is none.
func ChosenModel(ctx context.Context, sess *memory.Session) (store.Model, error) {
	all, err := registered(ctx, sess)
	if err != nil {
		return store.Model{}, err
	}
	return choose(ctx, sess, all)
}

func choose(ctx context.Context, sess *memory.Session, all []store.Model) (store.Model, error) {
	if m, ok := Chosen(all); ok {
		return m, nil
	}
	if _, err := BuiltIn(sess.Place, sess.Workers); err != nil {
		return store.Model{}, err
	}
	m := builtInModel(sess)
	return m, sess.DB.Update(ctx, func(tx store.Tx) error {
		if err := tx.Models().Put(ctx, m); err != nil {
			return err
		}
		return tx.Models().Activate(ctx, m.Name)
	})
}

// registered returns the models that were added, and the built-in one if it was
// used.
func registered(ctx context.Context, sess *memory.Session) (all []store.Model, err error) {
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		all, err = tx.Models().All(ctx)
		return err
	})
	return all, err
}

// Chosen returns the active model, if one was chosen.
func Chosen(all []store.Model) (store.Model, bool) {
	i := slices.IndexFunc(all, func(m store.Model) bool { return m.Active })
	if i < 0 {
		return store.Model{}, false
	}
	return all[i], true
}

// builtInModel is the registry row of the built-in model, whether or not it can run
// here.
func builtInModel(sess *memory.Session) store.Model {
	return store.Model{Name: bge.Name, Source: sourceBuiltIn, Dims: bge.Dimensions, Created: sess.Now()}
}

// Rest closes the built-in model, which can be reopened within a millisecond,
// unlike other models.
func (s *State) Rest() {
	s.modelMu.Lock()
	if open := s.embedder; open != nil && open.of.Source == sourceBuiltIn {
		s.embedder = nil
	} else if open != nil && open.of.Source == sourcePacked {
		open.Embedder.(*packed.Embedder).Rest()
	}
	s.modelMu.Unlock()
	bge.Rest()
}

// openModel opens a registered model, without contacting a server.
func openModel(sess *memory.Session, m store.Model) (embed.Embedder, error) {
	config, err := readModelConfig(m)
	if err != nil {
		return nil, err
	}
	if m.Source == sourcePacked {
		return openPacked(sess, config.File)
	}
	source, name, err := parseModel(m.Name)
	if err != nil {
		return nil, err
	}
	switch source {
	case SourceOllama:
		return remote.NewOllama(remote.OllamaOptions{URL: config.URL, Model: name, Dimensions: m.Dims}, world(sess))
	case SourceOpenAI:
		o, err := openAI(sess, config, name)
		if err != nil {
			return nil, err
		}
		o.Dimensions = m.Dims
		return remote.NewOpenAI(o, world(sess))
	case sourceDirectory:
		opened, err := modeldir.New(modeldir.Options{Dir: os.DirFS(name), Name: m.Name, CPU: sess.Place.Env(kernel.EnvVar), Threads: sess.Workers})
		if kb.CodeOf(err) == kb.NotFound {
			return nil, kb.Errorf(kb.NotFound, "there is no model in %s: %w", name, err).WithHintOf(err)
		}
		if err != nil {
			return nil, err
		}
		return opened, nil
	}
	return BuiltIn(sess.Place, sess.Workers)
}

func openAI(sess *memory.Session, c modelConfig, name string) (remote.OpenAIOptions, error) {
	key, err := modelKey(sess, c)
	setting := c.KeyEnv
	if setting == "" {
		setting = "the variable that model add --key-env names"
	}
	return remote.OpenAIOptions{URL: c.URL, Model: name, Key: remote.Key(key), KeySetting: setting}, err
}

// modelKey reads a model's key from the environment. A configured variable without
// a value is an error: text must not be sent to a server without the key.
func modelKey(sess *memory.Session, c modelConfig) (string, error) {
	if c.KeyEnv == "" {
		return "", nil
	}
	key := sess.Place.Env(c.KeyEnv)
	if key == "" {
		return "", kb.Errorf(kb.Usage, "the variable %s, which holds the API key of the model, is not set", c.KeyEnv).
			WithHint("set it to the API key; it is read each time, and never stored")
	}
	return key, nil
}

// probe asks a server for the dimensions of a model.
func probe(ctx context.Context, sess *memory.Session, source, name string, c modelConfig) (int, error) {
	if source == SourceOllama {
		return remote.ProbeOllama(ctx, remote.OllamaOptions{URL: c.URL, Model: name}, world(sess))
	}
	o, err := openAI(sess, c, name)
	if err != nil {
		return 0, err
	}
	return remote.ProbeOpenAI(ctx, o, world(sess))
}

// world returns the connection settings for servers.
func world(sess *memory.Session) remote.World {
	w := remote.World{Client: remote.NewClient(), Now: sess.Now, Wait: sess.Wait, Chance: sess.Chance}
	if w.Wait == nil {
		w.Wait = remote.Wait
	}
	if w.Chance == nil {
		w.Chance = remote.Chance
	}
	return w
}

func readModelConfig(m store.Model) (c modelConfig, err error) {
	if m.Config == "" {
		return c, nil
	}
	if err := json.Unmarshal([]byte(m.Config), &c); err != nil {
		return c, kb.Errorf(kb.Damaged, "the settings of the model %s cannot be read: %w", m.Name, err).
			WithReason(kb.ModelSettingsLost).WithFact("model", m.Name)
	}
	return c, nil
}

// parseModel splits the name of a model into its origin and its name there.
func parseModel(name string) (source, rest string, err error) {
	if name == bge.Name {
		return sourceBuiltIn, name, nil
	}
	if dir, ok := strings.CutPrefix(name, "dir:"); ok && filepath.IsAbs(dir) {
		return sourceDirectory, dir, nil
	}
	for _, source := range []string{SourceOllama, SourceOpenAI} {
		if rest, ok := strings.CutPrefix(name, source+"/"); ok && rest != "" {
			return source, rest, nil
		}
	}
	return "", "", kb.Errorf(kb.Usage, "%q is not the name of a model", name).
		WithHint("Names are %s, %s, ollama/MODEL, openai/MODEL, and dir: with an absolute path.", bge.Name, packed.Multilingual.Short)
}
