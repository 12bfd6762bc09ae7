// Package importer brings the knowledge of other programs into the memory: as pages of
// spaces, in one write that can be undone, with a receipt that says what became of
// every piece and what was lost.
//
// Package jsonfile reads the JSON of exports element by element, whatever their size: files, on
// disk, in a directory or in a ZIP archive, that are a list, or one value after the other.
package importer
