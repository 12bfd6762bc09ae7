package api

// Project is what a directory belongs to.
type Project struct {
	Slug string `json:"slug"` // as pages name it
	Dir  string `json:"dir"`  // whose name the slug is of
}
