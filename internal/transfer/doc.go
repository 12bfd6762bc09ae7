// Package transfer is the room for data of other programs. It has no code of its own.
//
// Its packages, in reading order:
//
//   - foreign: readers of other programs' databases; foreigntest writes such databases for
//     tests
//   - markup: HTML into Markdown
//   - documents: the text of PDF, DOCX, EPUB and HTML files
//   - importer: from other programs into pages
//   - exporter: from pages into directories
package transfer
