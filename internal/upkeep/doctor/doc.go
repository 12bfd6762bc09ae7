// Package doctor checks a memory: doctor for problems that need a person's
// attention, validate for damage, by deriving everything again from the stored
// texts and comparing. It repairs faults that need no change to a document, and
// writes the canonical dump by which two memories are compared.
//
// Checks change nothing. A check with a repair describes it, and runs it only
// on request.
package doctor
