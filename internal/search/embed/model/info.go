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
	MaxTokens    int     `json:"max_tokens"` // with the two special tokens
	NormEpsilon  float32 `json:"norm_epsilon"`
	// Pooling is left out for CLS, as in files packed before there was a choice.
	Pooling Pooling `json:"pooling,omitempty"`
	// The prefixes are put before questions and before passages.
	QueryPrefix   string `json:"query_prefix"`
	PassagePrefix string `json:"passage_prefix,omitempty"`
	// Unigram is nil for a WordPiece vocabulary.
	Unigram *Unigram `json:"unigram,omitempty"`
	Licence Licence  `json:"licence"`
	Source  Source   `json:"source"`
}

// Unigram names the words of a vocabulary of SentencePiece that have a meaning of
// their own, by their ids.
type Unigram struct {
	Unknown int32 `json:"unknown"`
	First   int32 `json:"first"` // before every text
	Last    int32 `json:"last"`  // after every text
}

// Pooling is how the last layer becomes the vector of a text.
type Pooling string

// The poolings.
const (
	CLS  Pooling = ""     // the row of the first token
	Mean Pooling = "mean" // the mean of all rows, those of special tokens too
)

// Licence names the terms under which the weights may be passed on.
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

// Check refuses shapes that the kernels are not built for with kb.Invalid.
func (i Info) Check() error {
	for _, v := range []struct {
		what string
		n    int
	}{
		{"hidden", i.Hidden}, {"intermediate", i.Intermediate}, {"layers", i.Layers}, {"heads", i.Heads},
		{"vocabulary", i.Vocabulary}, {"max_tokens", i.MaxTokens},
	} {
		// The bound keeps products of sizes far from overflow.
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
