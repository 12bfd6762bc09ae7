// Package conformity holds the pages of a space to their schemas: it gathers what a page
// says, and asks package schema whether it keeps to the schema that finder names. It
// infers a schema from pages, too, and says where both have come apart.
//
// To look changes nothing; a schema that was inferred is written by package change, as
// any other page.
package conformity
