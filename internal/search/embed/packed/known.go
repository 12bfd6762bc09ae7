package packed

// Known is a packed model that cairn knows by the checksum of its file.
type Known struct {
	Name   string // as in the file
	Short  string // alternative name for users
	SHA256 string // of the file that make release builds
}

// Multilingual finds text in some hundred languages, and across languages. It is the output
// of tools/pack-model over multilingual-e5-small.json.
var Multilingual = Known{
	Name: "multilingual-e5-small", Short: "multilingual",
	SHA256: "10de03fdde5cc0f9e409d0700a4908301ad918eede9025e8add4df39da4eb022",
}
