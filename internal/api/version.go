package api

// JSONVersion is the version of the JSON that all surfaces print. Within a version fields are
// added and never renamed, removed or given another type; a change that breaks this has the
// next number. See docs/compatibility.md.
const JSONVersion = 1
