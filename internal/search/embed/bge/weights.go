//go:build !slim

package bge

import _ "embed" // for the weights

// packed is the model as tools/pack-model writes it. LICENSE stands beside it.
//
//go:embed bge-small-en-v1.5.pack
var packed string
