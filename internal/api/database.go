package api

// BackupResult is the result of a backup.
type BackupResult struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Bytes int64  `json:"bytes"` // of the memory, before

	Encrypted bool `json:"encrypted,omitempty"`
}

// CopyResult is the receipt of copying a memory. Both memories were read after the
// copy.
type CopyResult struct {
	From    string `json:"from"`
	To      string `json:"to"`
	Spaces  int    `json:"spaces"`
	Pages   int    `json:"pages"`
	Rows    int    `json:"rows"`
	Resumed int    `json:"resumed,omitempty"` // texts left by an interrupted copy
	Dump    string `json:"dump_sha256"`
	History string `json:"history_sha256"`
	Queries int    `json:"queries"`        // keyword searches run in both memories
	Found   string `json:"queries_sha256"` // of their hits with scores
}

// CompactResult is the result of compacting a database.
type CompactResult struct {
	Path   string `json:"path"`
	Before int64  `json:"bytes_before"`
	After  int64  `json:"bytes_after"`
	// Left is the size of the log next to the file, which other readers keep.
	Left int64 `json:"bytes_in_log,omitempty"`
}

// RestoreResult is the result of restoring a backup.
type RestoreResult struct {
	From     string `json:"from"`
	Database string `json:"database"`
	Bytes    int64  `json:"bytes"`          // of the restored memory
	Kept     string `json:"kept,omitempty"` // the previous memory, if any
	DryRun   bool   `json:"dry_run,omitempty"`
}

// IndexFiles lists the index files of a space that were out of date.
type IndexFiles struct {
	Space string   `json:"space"`
	Stale []string `json:"stale"` // paths of files that were missing, outdated, edited or superfluous
	Made  bool     `json:"made"`  // they are up to date now
}
