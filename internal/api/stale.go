package api

// AgeingPass is the result of a pass.
type AgeingPass struct {
	DryRun bool        `json:"dry_run,omitempty"`
	Spaces []SpacePass `json:"spaces"`
}

// SpacePass is the result of a pass over one space, in one write.
type SpacePass struct {
	Space  string      `json:"space"`
	Write  int64       `json:"write,omitempty"`  // 0 when nothing changed
	Active int         `json:"active"`           // pages before it
	Stale  []StalePage `json:"stale"`            // pages that became stale, or got another reason
	Again  []StalePage `json:"active_again"`     // pages that became active, since their reason no longer holds
	Held   int         `json:"held,omitempty"`   // pages not marked because of the limit
	Left   []string    `json:"left,omitempty"`   // paths that could not be changed
	Reason string      `json:"reason,omitempty"` // why pages were held

	Conflicts []PageConflict `json:"conflicts,omitempty"`
	Circles   [][]string     `json:"circles,omitempty"`
}

// StalePage is a page that is stale, was stale, or will be.
type StalePage struct {
	Page
	StaleSince string `json:"stale_since,omitempty"` // day
	Reason     string `json:"reason,omitempty"`
	Due        string `json:"due,omitempty"` // day on which it becomes stale, unless it is used

	Row int64 `json:"-"`
}

// PageConflict is a pair of active pages that contradict each other, by ref.
type PageConflict struct {
	A string `json:"a"`
	B string `json:"b"`
}

// StaleList lists pages, and findings that prevent others from ageing.
type StaleList struct {
	List[StalePage]
	Conflicts []PageConflict `json:"conflicts,omitempty"`
	Circles   [][]string     `json:"circles,omitempty"` // pages that replace each other in a circle, which has no effect
}
