package app

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/embed"
	"github.com/cairn-kb/cairn/internal/embed/bge"
	"github.com/cairn-kb/cairn/internal/embed/kernel"
	"github.com/cairn-kb/cairn/internal/embed/modeldir"
	"github.com/cairn-kb/cairn/internal/embed/ollama"
	"github.com/cairn-kb/cairn/internal/embed/openai"
	"github.com/cairn-kb/cairn/internal/embed/remote"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// Where models come from, as the registry says it.
const (
	sourceBuiltIn   = "built-in"
	sourceOllama    = "ollama"
	sourceOpenAI    = "openai"
	sourceDirectory = "directory"
)

// modelConfig is what opens a model again, besides its name. It never holds a
// key, only where the key is read from.
type modelConfig struct {
	URL    string `json:"url,omitempty"`
	KeyEnv string `json:"key_env,omitempty"`
}

// embedder is an open model, and what it was opened from.
type embedder struct {
	embed.Embedder
	of  store.Model
	key string
}

// Embed implements embed.Embedder, and knows what to do where the model became
// one of other dimensions.
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
	return nil, withHint(err, "%s", addAnew(e.of, config))
}

// addAnew says how a model of a name is replaced by one of other dimensions:
// its vectors must go, and those of the model in use do not.
func addAnew(m store.Model, c modelConfig) string {
	add := "cairn model rm " + m.Name + " && cairn model add " + m.Name
	if c.URL != "" {
		add += " --url " + c.URL
	}
	if c.KeyEnv != "" {
		add += " --key-env " + c.KeyEnv
	}
	if !m.Active {
		return "remove it with its vectors, and add it again: " + add
	}
	other := bge.Name
	if !bge.Available() {
		other = "ANOTHER"
	}
	return fmt.Sprintf("remove it with its vectors, and add it again: cairn model use %s && %s && cairn model use %s && cairn embed --all", other, add, m.Name)
}

// activeModel returns the embedder that the memory uses. A memory that has
// chosen none uses the built-in model, where the build has it. The choice is
// read each time, since another process may change it.
func (a *App) activeModel(ctx context.Context) (embed.Embedder, error) {
	m, err := a.chosenModel(ctx)
	if err != nil {
		return nil, err
	}
	config, err := readModelConfig(m)
	if err != nil {
		return nil, err
	}
	key, err := a.modelKey(config)
	if err != nil {
		return nil, err
	}
	a.modelMu.Lock()
	defer a.modelMu.Unlock()
	if e := a.embedder; e != nil && e.of.Name == m.Name && e.of.Config == m.Config && e.of.Dims == m.Dims && e.key == key {
		return e, nil
	}
	opened, err := a.openModel(m)
	switch {
	case kb.CodeOf(err) == kb.NotFound && m.Source == sourceDirectory:
		return nil, withHint(err, "put its files back, or choose another model with: cairn model use NAME")
	case err != nil:
		return nil, err
	}
	if opened.Dimensions() != m.Dims {
		return nil, kb.Errorf(kb.Conflict, "%s has %d dimensions now, and had %d", m.Name, opened.Dimensions(), m.Dims).
			WithHint("%s", addAnew(m, config))
	}
	a.embedder = &embedder{opened, m, key}
	return a.embedder, nil
}

// chosenModel returns the active model, and makes the built-in one active
// where there is none.
func (a *App) chosenModel(ctx context.Context) (store.Model, error) {
	all, err := a.models(ctx)
	if err != nil {
		return store.Model{}, err
	}
	if m, ok := active(all); ok {
		return m, nil
	}
	if _, err := builtIn(a.opts.Place, a.opts.Workers); err != nil {
		return store.Model{}, err
	}
	m := a.builtInModel()
	return m, a.db.Update(ctx, func(tx store.Tx) error {
		if err := tx.Models().Put(ctx, m); err != nil {
			return err
		}
		return tx.Models().Activate(ctx, m.Name)
	})
}

func (a *App) models(ctx context.Context) (all []store.Model, err error) {
	err = a.db.View(ctx, func(tx store.Tx) error {
		all, err = tx.Models().All(ctx)
		return err
	})
	return all, err
}

// active returns the model that is used, if one was chosen.
func active(all []store.Model) (store.Model, bool) {
	i := slices.IndexFunc(all, func(m store.Model) bool { return m.Active })
	if i < 0 {
		return store.Model{}, false
	}
	return all[i], true
}

// builtInModel is the registry's row of the built-in model, whether it can run
// here or not.
func (a *App) builtInModel() store.Model {
	return store.Model{Name: bge.Name, Source: sourceBuiltIn, Dims: bge.Dimensions, Created: a.opts.Now()}
}

// openModel makes a registered model ready, without contacting anything.
func (a *App) openModel(m store.Model) (embed.Embedder, error) {
	config, err := readModelConfig(m)
	if err != nil {
		return nil, err
	}
	source, name, err := parseModel(m.Name)
	if err != nil {
		return nil, err
	}
	switch source {
	case sourceOllama:
		return ollama.New(ollama.Options{URL: config.URL, Model: name, Dimensions: m.Dims}, a.world())
	case sourceOpenAI:
		o, err := a.openAI(config, name)
		if err != nil {
			return nil, err
		}
		o.Dimensions = m.Dims
		return openai.New(o, a.world())
	case sourceDirectory:
		e, err := modeldir.New(modeldir.Options{Dir: os.DirFS(name), Name: m.Name, CPU: a.opts.Env(kernel.EnvVar), Threads: a.opts.Workers})
		if kb.CodeOf(err) == kb.NotFound {
			return nil, kb.Errorf(kb.NotFound, "there is no model in %s: %w", name, err).WithHint("%s", kb.AsError(err).Hint)
		}
		if err != nil {
			return nil, err
		}
		return e, nil
	}
	return builtIn(a.opts.Place, a.opts.Workers)
}

func (a *App) openAI(c modelConfig, name string) (openai.Options, error) {
	key, err := a.modelKey(c)
	setting := c.KeyEnv
	if setting == "" {
		setting = "the variable that model add --key-env names"
	}
	return openai.Options{URL: c.URL, Model: name, Key: remote.Key(key), KeySetting: setting}, err
}

// modelKey reads a model's key from the environment. A variable that should
// hold one and does not is an error: text must not go to a server without it.
func (a *App) modelKey(c modelConfig) (string, error) {
	if c.KeyEnv == "" {
		return "", nil
	}
	key := a.opts.Env(c.KeyEnv)
	if key == "" {
		return "", kb.Errorf(kb.Usage, "the variable %s, which holds the API key of the model, is not set", c.KeyEnv).
			WithHint("set it to the API key; it is read each time, and never stored")
	}
	return key, nil
}

// probe asks a server for the dimensions of a model.
func (a *App) probe(ctx context.Context, source, name string, c modelConfig) (int, error) {
	if source == sourceOllama {
		return ollama.Probe(ctx, ollama.Options{URL: c.URL, Model: name}, a.world())
	}
	o, err := a.openAI(c, name)
	if err != nil {
		return 0, err
	}
	return openai.Probe(ctx, o, a.world())
}

// world is how servers are reached.
func (a *App) world() remote.World {
	w := remote.World{Client: remote.NewClient(), Now: a.opts.Now, Wait: a.opts.Wait, Chance: a.opts.Chance}
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
			WithHint("give them again with: cairn model add %s", m.Name)
	}
	return c, nil
}

// parseModel splits the name of a model into where it comes from and what it
// is called there.
func parseModel(name string) (source, rest string, err error) {
	if name == bge.Name {
		return sourceBuiltIn, name, nil
	}
	if dir, ok := strings.CutPrefix(name, "dir:"); ok && filepath.IsAbs(dir) {
		return sourceDirectory, dir, nil
	}
	for _, source := range []string{sourceOllama, sourceOpenAI} {
		if rest, ok := strings.CutPrefix(name, source+"/"); ok && rest != "" {
			return source, rest, nil
		}
	}
	return "", "", kb.Errorf(kb.Usage, "%q is not the name of a model", name).
		WithHint("Names are %s, ollama/MODEL, openai/MODEL, and dir: with an absolute path.", bge.Name)
}
