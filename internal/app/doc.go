// Package app holds cairn's use cases, the same for every surface: one method
// per operation, of App or of a part that App hands out (Spaces, Links, Versions,
// Gaps, Models, Upkeep). Requests and answers are plain values with the field
// names that JSON shows; nothing here formats text for people or knows of flags,
// tools or routes.
package app
