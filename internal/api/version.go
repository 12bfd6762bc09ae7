package api

// JSONVersion is the version of the JSON format shared by all surfaces. Within a
// version fields are added and never renamed, removed or given another type; a
// breaking change increments the version. See docs/compatibility.md.
const JSONVersion = 1
