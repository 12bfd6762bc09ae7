// Package importer imports the knowledge of other programs: as pages of spaces, in one write
// that can be undone, with a receipt that lists the outcome of every piece and the losses.
//
// Each program has a reader, which yields drafts (writer.go); batch.run writes them. Readers
// of exports that become pages of one space are a pageReader (batch.go). Other readers keep
// more than pages: quaid and directories keep the bytes that were read, kt the mappings of
// directories, and Basic Memory only adds spaces.
//
// Note-taking programs have a Source (note.go): a reader that yields notes with their
// attachments. It runs twice, once for the names and once for the texts, so that links
// between notes become links between pages. tree.go lists the files of directories and
// archives.
//
// jsonfile.go reads the JSON of exports of any size element by element: files, on disk, in a
// directory or in a ZIP archive, that contain a list or a sequence of values. jsontree.go
// reads objects member by member, and spill.go keeps on disk the members that pages need
// later.
package importer
