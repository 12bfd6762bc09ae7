package api

import (
	"time"
)

// VaultFile is the file at a path of a context vault.
type VaultFile struct {
	Space     string    `json:"space"`
	Path      string    `json:"path"`
	Version   int       `json:"version"`
	UpdatedAt time.Time `json:"updated_at"`
	Text      string    `json:"text"`
	// Current reports that the text belongs to the version, and not to a file that
	// is changing.
	Current bool `json:"-"`
}

// VaultEntry is an entry of a directory.
type VaultEntry struct {
	Path      string     `json:"path"` // of a directory with / at its end
	Bytes     int64      `json:"bytes,omitempty"`
	UpdatedAt *time.Time `json:"updated_at,omitempty"`
	Pages     int        `json:"pages,omitempty"` // below a directory
}

// VaultListing is the contents of a directory.
type VaultListing struct {
	Space string       `json:"space"`
	Path  string       `json:"path"`
	Items []VaultEntry `json:"items"`
	Total int          `json:"total"`
	Next  string       `json:"next,omitempty"` // offset of the next part
}
