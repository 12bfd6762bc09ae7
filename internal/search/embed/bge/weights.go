//go:build !slim

package bge

import _ "embed" // for the weights

// weights is the model as tools/pack-model writes it. LICENSE is in the same
// directory.
//
//go:embed bge-small-en-v1.5.pack
var weights string
