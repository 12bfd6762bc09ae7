package api

// DiffResult is the difference between two versions of a page.
type DiffResult struct {
	Ref  string `json:"ref"`
	From int    `json:"from"`
	To   int    `json:"to"`
	Diff string `json:"diff"`
}

// PruneResult lists the old versions that were pruned, or would be in a dry run.
type PruneResult struct {
	DryRun bool          `json:"dry_run,omitempty"`
	Spaces []PrunedSpace `json:"spaces"`
	Items  []Version     `json:"items"`            // the versions, oldest first
	Freed  int64         `json:"bytes_freed"`      // as they are stored
	Before int64         `json:"database_bytes"`   // before
	After  int64         `json:"bytes_after"`      // 0 in a dry run
	Failed []Skipped     `json:"failed,omitempty"` // spaces with an unreadable policy, of which nothing is pruned
}

// PrunedSpace is a space's part of a prune.
type PrunedSpace struct {
	Space    string `json:"space"`
	Forever  bool   `json:"forever"` // its policy keeps everything
	Versions int    `json:"versions"`
	Pruned   int    `json:"pruned"`
}
