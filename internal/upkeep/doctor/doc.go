// Package doctor looks for what is wrong with a memory: doctor for what needs a
// person's attention, validate for damage, by deriving everything again from the
// stored texts and comparing. It mends what can be mended without touching a
// document, and writes the canonical dump by which two memories are compared.
//
// To look changes nothing. A check that can be mended says what would be done, and
// does it only when it is asked to.
package doctor
