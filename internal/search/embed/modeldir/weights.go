package modeldir

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/embed/safetensors"
)

// maxParts is the maximum number of files of the weights. The largest encoders have a
// handful.
const maxParts = 64

// weights are the tensors of one file, or of the parts listed in an index.
type weights struct {
	parts  []*safetensors.File
	closer []io.Closer
}

// openWeights reads the headers of a folder's weights.
func openWeights(dir fs.FS, folder string) (*weights, error) {
	w := &weights{}
	err := w.add(dir, path.Join(folder, weightsFile))
	if errors.Is(err, fs.ErrNotExist) {
		err = w.addParts(dir, folder)
	}
	if err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

// addParts adds the files that an index lists.
func (w *weights) addParts(dir fs.FS, folder string) error {
	var index struct {
		Map map[string]string `json:"weight_map"`
	}
	found, err := readJSON(dir, path.Join(folder, indexFile), &index)
	switch {
	case err != nil:
		return err
	case !found:
		return kb.Errorf(kb.NotFound, "%s is missing in the model's directory", path.Join(folder, weightsFile)).
			WithHint("weights in another format must be converted to safetensors")
	}
	names := slices.Compact(slices.Sorted(maps.Values(index.Map)))
	if len(names) == 0 || len(names) > maxParts {
		return kb.Errorf(kb.Damaged, "%s names %d files, not 1 to %d", indexFile, len(names), maxParts)
	}
	for _, name := range names {
		if name != path.Base(name) || !fs.ValidPath(name) {
			return kb.Errorf(kb.Damaged, "%s names a file %.60q that is not in the same directory", indexFile, name)
		}
		err := w.add(dir, path.Join(folder, name))
		if errors.Is(err, fs.ErrNotExist) {
			return kb.Errorf(kb.NotFound, "%s names a file %s that is not there", indexFile, name).
				WithHint("get the model's files again")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// add opens a file. A missing one is fs.ErrNotExist.
func (w *weights) add(dir fs.FS, name string) error {
	f, err := open(dir, name)
	if err != nil {
		return err
	}
	w.closer = append(w.closer, f)
	stat, err := f.Stat()
	if err != nil {
		return kb.Errorf(kb.Damaged, "the model's weights cannot be read: %w", err)
	}
	at, ok := f.(io.ReaderAt)
	if !ok {
		return kb.Errorf(kb.Damaged, "%s is not a regular file", name)
	}
	tensors, err := safetensors.Open(at, stat.Size())
	if err != nil {
		return err
	}
	w.parts = append(w.parts, tensors)
	return nil
}

func (w *weights) close() error {
	var all error
	for _, c := range w.closer {
		if err := c.Close(); err != nil && all == nil {
			all = kb.Errorf(kb.Damaged, "the model's weights cannot be read: %w", err)
		}
	}
	return all
}

func (w *weights) has(name string) bool {
	for _, part := range w.parts {
		if _, ok := part.Tensor(name); ok {
			return true
		}
	}
	return false
}

// floats returns the values of a tensor, as safetensors.File.Floats does.
func (w *weights) floats(name string, shape ...int) ([]float32, error) {
	for _, part := range w.parts {
		if _, ok := part.Tensor(name); ok {
			return part.Floats(name, shape...)
		}
	}
	return w.parts[0].Floats(name, shape...)
}
