package rank

// Fields is a set of fields of a page, for ByFields.
type Fields uint8

// The fields, in order.
const (
	FieldTitle Fields = 1 << iota
	FieldTag
	FieldProject
	FieldStatus
	FieldSummary
	FieldBody
)

// fieldWeights are the weights of fields that contain a word of the query, regardless of the
// number of words and occurrences.
var fieldWeights = []struct {
	field  Fields
	name   string
	weight int
}{
	{FieldTitle, "title", 100}, {FieldTag, "tag", 50}, {FieldProject, "project", 50},
	{FieldStatus, "status", 50}, {FieldSummary, "summary", 20}, {FieldBody, "body", 5},
}

// ByFields returns the score of a page with these matching fields.
func ByFields(matched Fields) (score int) {
	for _, f := range fieldWeights {
		if matched&f.field != 0 {
			score += f.weight
		}
	}
	return score
}

// Names are the names of the fields, in order.
func (f Fields) Names() (names []string) {
	for _, one := range fieldWeights {
		if f&one.field != 0 {
			names = append(names, one.name)
		}
	}
	return names
}
