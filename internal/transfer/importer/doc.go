// Package importer brings the knowledge of other programs into the memory: as pages of
// spaces, in one write that can be undone, with a receipt that lists what became of
// every piece and what was lost.
//
// Each program has a reader, which yields drafts (writer.go); batch.run writes them.
// Readers whose exports become pages of one space are a pageReader (batch.go). Others keep
// more than pages: quaid and directories the bytes that were read, kt the mappings of
// directories, and Basic Memory only adds spaces.
//
// jsonfile.go reads the JSON of exports element by element, whatever their size: files, on
// disk, in a directory or in a ZIP archive, that are a list, or one value after the other.
package importer
