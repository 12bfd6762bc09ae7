// Package conformity validates pages of a space against their schemas: it reads the
// fields of a page, and package schema checks them against the schema that package
// schemas finds. It also infers a schema from pages, and reports drift between both.
//
// Checks change nothing; package change writes an inferred schema like any other page.
package conformity
