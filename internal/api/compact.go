package api

// ClusterDone is the outcome for a cluster.
type ClusterDone struct {
	Number  int          `json:"cluster"`
	Space   string       `json:"space"`
	State   ClusterState `json:"state"`
	Reason  string       `json:"reason,omitempty"` // reason why it was not compacted
	Write   int64        `json:"write,omitempty"`
	Summary string       `json:"summary,omitempty"` // ref of the page
	Title   string       `json:"title,omitempty"`
	Text    string       `json:"text,omitempty"` // of the summary, in a dry run
	Members []string     `json:"members"`
	Linking []string     `json:"linking,omitempty"` // refs of the pages with links that were repointed to the summary
	Left    []string     `json:"left,omitempty"`    // refs of the pages with links that cannot be changed
}

// ClusterState is the state of a cluster after a compaction.
type ClusterState string

// States.
const (
	ClusterCompacted ClusterState = "compacted" // or would be, in a dry run
	ClusterWaiting   ClusterState = "waiting"   // a page changed in the meantime
	ClusterLeft      ClusterState = "left"      // there was no summary
)
