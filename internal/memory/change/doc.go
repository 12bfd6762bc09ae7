// Package change carries out what one caller changes: it finds the selected pages
// (refs, directories, conditions), plans the change of each (a text, edits, a new
// path, relations, deletion), applies it as one write, and describes the result.
// Plans of other packages are applied here, too. It uses no model and no search,
// and does not depend on surfaces.
package change
