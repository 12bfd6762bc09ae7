package api

// Project is the project that a directory belongs to.
type Project struct {
	Slug string `json:"slug"` // in the form that pages use
	Dir  string `json:"dir"`  // directory from which the slug is derived
}
