package api

// ClusterDone says what became of a cluster.
type ClusterDone struct {
	Number  int          `json:"cluster"`
	Space   string       `json:"space"`
	State   ClusterState `json:"state"`
	Reason  string       `json:"reason,omitempty"` // why it was not compacted
	Write   int64        `json:"write,omitempty"`
	Summary string       `json:"summary,omitempty"` // ref of the page
	Title   string       `json:"title,omitempty"`
	Text    string       `json:"text,omitempty"` // of the summary, in a dry run
	Members []string     `json:"members"`
	Linking []string     `json:"linking,omitempty"` // refs of the pages whose links lead to the summary now
	Left    []string     `json:"left,omitempty"`    // and of those whose links cannot be changed
}

// ClusterState is what became of a cluster.
type ClusterState string

// The states.
const (
	ClusterCompacted ClusterState = "compacted" // or would be, in a dry run
	ClusterWaiting   ClusterState = "waiting"   // a page changed meanwhile
	ClusterLeft      ClusterState = "left"      // nobody summed it up
)
