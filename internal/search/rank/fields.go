package rank

// The fields of a page by which ByFields scores, in order.
const (
	FieldTitle   = "title"
	FieldTag     = "tag"
	FieldProject = "project"
	FieldStatus  = "status"
	FieldSummary = "summary"
	FieldBody    = "body"
)

// fieldWeights are the weights of fields that contain a word of the query,
// regardless of how many words and how often.
var fieldWeights = []struct {
	field  string
	weight int
}{{FieldTitle, 100}, {FieldTag, 50}, {FieldProject, 50}, {FieldStatus, 50}, {FieldSummary, 20}, {FieldBody, 5}}

// ByFields is the score of a page by the fields that match, and these in their order.
func ByFields(matched map[string]bool) (score int, fields []string) {
	for _, f := range fieldWeights {
		if matched[f.field] {
			score, fields = score+f.weight, append(fields, f.field)
		}
	}
	return score, fields
}
