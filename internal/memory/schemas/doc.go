// Package schemas finds the schemas of a space, and the schema that applies to a
// page: the one in its own metadata, else the one that it names, else the one for
// its type. This is the same for existing pages and for pages about to be written.
package schemas
