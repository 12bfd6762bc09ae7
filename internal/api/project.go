package api

// Project is the project that a directory belongs to.
type Project struct {
	Slug string `json:"slug"` // as pages name it
	Dir  string `json:"dir"`  // directory that gave the slug its name
}
