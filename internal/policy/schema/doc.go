// Package schema defines the fields of notes of one type, and validates notes.
// A schema is itself a note of type "schema" with fields in picoschema in its
// metadata: an observation, a relation or a property of the same name is the
// value of a field.
//
// It is pure: it takes properties, observations and relations, and does not
// look for files or schemas. Rules for every page of a space are in package
// policy.
package schema
