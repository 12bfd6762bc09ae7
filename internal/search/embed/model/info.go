package model

import (
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/embed/kernel"
)

// Info describes a model except for its weights. It is the header of a packed
// file.
type Info struct {
	Name         string  `json:"name"`
	Hidden       int     `json:"hidden"`       // width, and dimensions of a vector
	Intermediate int     `json:"intermediate"` // width of the feed-forward part
	Layers       int     `json:"layers"`
	Heads        int     `json:"heads"`
	Vocabulary   int     `json:"vocabulary"`
	MaxTokens    int     `json:"max_tokens"` // including the two special tokens
	NormEpsilon  float32 `json:"norm_epsilon"`
	// Pooling is left out for CLS, as in files packed before there was a choice.
	Pooling Pooling `json:"pooling,omitempty"`
	// The prefixes of questions and of passages.
	QueryPrefix   string `json:"query_prefix"`
	PassagePrefix string `json:"passage_prefix,omitempty"`
	// Unigram is nil for a WordPiece vocabulary.
	Unigram *Unigram `json:"unigram,omitempty"`
	Licence Licence  `json:"licence"`
	Source  Source   `json:"source"`
}

// Unigram names the ids of the words of a SentencePiece vocabulary with a special meaning.
type Unigram struct {
	Unknown int32 `json:"unknown"`
	First   int32 `json:"first"` // before every text
	Last    int32 `json:"last"`  // after every text
}

// Pooling defines how the rows of the last layer become the vector of a text.
type Pooling string

// The poolings.
const (
	CLS  Pooling = ""     // row of the first token
	Mean Pooling = "mean" // mean of all rows, including those of special tokens
)

// Licence names the terms for distributing the weights.
type Licence struct {
	ID     string `json:"id"` // SPDX
	Holder string `json:"holder"`
	Text   string `json:"text"`
}

// Source is the origin of the float weights.
type Source struct {
	Project  string `json:"project"`
	Artifact string `json:"artifact"`
	File     string `json:"file"`
	SHA256   string `json:"sha256"` // of File
}

// HeadWidth is the number of dimensions of one attention head.
func (i Info) HeadWidth() int { return i.Hidden / i.Heads }

// Check returns kb.Invalid for shapes that the kernels do not support.
func (i Info) Check() error {
	for _, v := range []struct {
		what string
		n    int
	}{
		{"hidden", i.Hidden}, {"intermediate", i.Intermediate}, {"layers", i.Layers}, {"heads", i.Heads},
		{"vocabulary", i.Vocabulary}, {"max_tokens", i.MaxTokens},
	} {
		// The bound prevents overflow of products of sizes.
		if v.n < 1 || v.n > 1<<20 {
			return kb.Errorf(kb.Invalid, "the model's %s is %d", v.what, v.n)
		}
	}
	switch {
	case i.Hidden%kernel.PanelCols != 0, i.Intermediate%kernel.PanelCols != 0:
		return kb.Errorf(kb.Invalid, "the model's widths %d and %d are not multiples of %d",
			i.Hidden, i.Intermediate, kernel.PanelCols)
	case i.Hidden%i.Heads != 0, i.HeadWidth()%kernel.GemmCols != 0:
		return kb.Errorf(kb.Invalid, "%d heads do not divide a width of %d into multiples of %d",
			i.Heads, i.Hidden, kernel.GemmCols)
	case i.Pooling != CLS && i.Pooling != Mean:
		return kb.Errorf(kb.Invalid, "the model pools by %q, which is not known here", i.Pooling)
	case i.MaxTokens < 3:
		return kb.Errorf(kb.Invalid, "the model takes only %d tokens", i.MaxTokens)
	}
	return nil
}
