// Package documents reads the text of PDF, DOCX, EPUB and HTML files as Markdown, with their
// title, author and dates. Images are left out and counted.
package documents
