package api

// AgeingPass says what a pass did.
type AgeingPass struct {
	DryRun bool        `json:"dry_run,omitempty"`
	Spaces []SpacePass `json:"spaces"`
}

// SpacePass says what a pass did in a space, in one write.
type SpacePass struct {
	Space  string      `json:"space"`
	Write  int64       `json:"write,omitempty"`  // 0 when nothing changed
	Active int         `json:"active"`           // pages before it
	Stale  []StalePage `json:"stale"`            // pages that became stale, or have another reason now
	Again  []StalePage `json:"active_again"`     // pages whose reason does not hold any more
	Held   int         `json:"held,omitempty"`   // pages that were not marked because they are too many
	Left   []string    `json:"left,omitempty"`   // paths that could not be changed
	Reason string      `json:"reason,omitempty"` // why pages were held

	Conflicts []PageConflict `json:"conflicts,omitempty"`
	Circles   [][]string     `json:"circles,omitempty"`
}

// StalePage is a page that is stale, was, or will be.
type StalePage struct {
	Page
	StaleSince string `json:"stale_since,omitempty"` // day
	Reason     string `json:"reason,omitempty"`
	Due        string `json:"due,omitempty"` // day on which it becomes stale, if nothing becomes of it

	Row int64 `json:"-"`
}

// PageConflict are two active pages of which one contradicts the other, by their refs.
type PageConflict struct {
	A string `json:"a"`
	B string `json:"b"`
}

// StaleList lists pages, with what keeps others from ageing.
type StaleList struct {
	List[StalePage]
	Conflicts []PageConflict `json:"conflicts,omitempty"`
	Circles   [][]string     `json:"circles,omitempty"` // pages that replace each other, which does nothing
}
