// Package change carries out what one caller changes: it finds the pages that are
// meant (refs, directories, conditions), plans what becomes of each (a text, edits, a
// new path, relations, deletion), applies it as one write, and describes what came of
// it. What other packages plan is applied here, too. It asks no model and searches
// for nothing; surfaces stay out of reach.
package change
