// Package safetensors reads float tensors from files in the format of Hugging
// Face's safetensors: the length of a header, the header in JSON, the data.
//
// Invariants: the header is checked against the size of the file before any
// tensor is read, so a file cannot request more memory than it has bytes, twice
// that for 16-bit floats. A damaged file is kb.Damaged, an unsupported one
// kb.Invalid.
package safetensors
