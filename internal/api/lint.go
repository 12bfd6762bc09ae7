package api

// Fault is something wrong with a document.
type Fault struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"` // fatal or warning
	Space    string `json:"space"`
	Path     string `json:"path"`
	Line     int    `json:"line,omitempty"` // from 1
	Message  string `json:"message"`
}

// Faults are the lint faults found, sorted by space, path and line.
type Faults struct {
	List[Fault]
	Files    int `json:"files"` // that were looked at
	Fatal    int `json:"fatal"`
	Warnings int `json:"warnings"`
}
