// Package schema says what notes of one type hold, and which note keeps to it. A schema
// is itself a note of type "schema", whose metadata has the fields in picoschema: an
// observation, a relation or a property of the same name is the value of a field.
//
// It is pure: it sees properties, observations and relations, and knows neither files
// nor where schemas are found. What binds every page of a space is policy's, not this.
package schema
