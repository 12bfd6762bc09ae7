// Package render makes HTML of documents, for a browser that shows them to a person.
//
// Invariants:
//   - The result has only the elements, attributes, classes, ids and addresses of the
//     policy in sanitize.go, for any input. No script, no style, nothing from other hosts.
//   - Links lead where the index says that they lead. Text that the index does not take
//     for a link is not one.
//   - Characters that a reader would not see, or that change the order of text, are shown.
//     Credentials are masked.
//
// It is pure: text in, HTML out. It is the only package that imports goldmark, go-org,
// bluemonday and chroma.
package render
