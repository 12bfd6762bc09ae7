package modeldir

import (
	"io/fs"
	"path"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/embed/model"
)

// denseStep is a matrix after the pooling.
type denseStep struct {
	folder  string
	in, out int
	bias    bool
	tanh    bool
}

const (
	// maxDense and maxDenseOut bound the matrices after the pooling. Models have one, of at
	// most some thousand dimensions.
	maxDense    = 4
	maxDenseOut = 1 << 14
)

// Keys and values in the configuration of dense steps.
const (
	tanhClass     = "torch.nn.modules.activation.Tanh"
	identityClass = "torch.nn.modules.linear.Identity"
	pooledName    = "sentence_embedding"
)

// readDense reads a matrix that is applied after the pooling.
func (c *config) readDense(dir fs.FS, folder string) error {
	f := struct {
		In         int    `json:"in_features"`
		Out        int    `json:"out_features"`
		Bias       bool   `json:"bias"`
		Activation string `json:"activation_function"`
		Residual   bool   `json:"use_residual"`
		From       string `json:"module_input_name"`
		To         string `json:"module_output_name"`
	}{Bias: true, Activation: tanhClass, From: pooledName, To: pooledName}
	found, err := readJSON(dir, path.Join(folder, configFile), &f)
	d := denseStep{folder: folder, in: f.In, out: f.Out, bias: f.Bias, tanh: f.Activation == tanhClass}
	switch {
	case err != nil:
		return err
	case !found:
		return kb.Errorf(kb.NotFound, "%s of the model's dense step is missing", path.Join(folder, configFile)).
			WithHint("get the model's files again")
	case !d.tanh && f.Activation != identityClass:
		return unsupported("its dense step has the activation %.60q", f.Activation)
	case f.Residual, f.From != pooledName, f.To != pooledName:
		return unsupported("its dense step has other inputs or outputs than the pooled vector")
	case d.in != c.dimensions || d.out < 1 || d.out > maxDenseOut:
		return unsupported("its dense step takes %d dimensions of %d to %d", d.in, c.dimensions, d.out)
	case len(c.dense) == maxDense:
		return unsupported("it has more than %d dense steps", maxDense)
	}
	c.dense = append(c.dense, d)
	c.dimensions = d.out
	return nil
}

// projections reads the matrices after the pooling.
func (c config) projections(dir fs.FS) ([]model.Projection, error) {
	var all []model.Projection
	for _, d := range c.dense {
		p, err := d.read(dir)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

func (d denseStep) read(dir fs.FS) (p model.Projection, err error) {
	file, err := openWeights(dir, d.folder)
	if err != nil {
		return p, err
	}
	defer func() {
		if cerr := file.close(); err == nil {
			err = cerr
		}
	}()
	p = model.Projection{Dense: model.Dense{In: d.in, Out: d.out, Bias: make([]float32, d.out)}, Tanh: d.tanh}
	if p.W, err = file.floats("linear.weight", d.out, d.in); err != nil {
		return p, err
	}
	if d.bias {
		p.Bias, err = file.floats("linear.bias", d.out)
	}
	return p, err
}
