package modeldir

import (
	"io/fs"
	"path"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/embed/model"
)

// readModules reads the steps of a sentence encoder: the encoder, pooling, matrices. Vectors
// are always normalised at the end, whether that is listed or not.
func (c *config) readModules(dir fs.FS) error {
	var list []struct {
		Type string `json:"type"`
		Path string `json:"path"`
	}
	if _, err := readJSON(dir, modulesFile, &list); err != nil {
		return err
	}
	c.pooling = poolingFile
	before := ""
	for _, m := range list {
		if m.Path != "" && (m.Path != path.Base(m.Path) || !fs.ValidPath(m.Path)) {
			return kb.Errorf(kb.Damaged, "%s names a folder %.60q that is not in the same directory", modulesFile, m.Path)
		}
		this := step(m.Type)
		switch {
		case this == "Transformer" && before == "":
		case this == "Pooling" && before == "Transformer":
			if m.Path != "" {
				c.pooling = path.Join(m.Path, configFile)
			}
		case this == "Dense" && (before == "Pooling" || before == "Dense"):
			if err := c.readDense(dir, m.Path); err != nil {
				return err
			}
		case this == "Normalize" && before != "" && before != "Transformer":
		default:
			return unsupported("it has a step %.60q, after the step %q", m.Type, before)
		}
		before = this
	}
	return nil
}

// step returns the name of a module's class. Sentence Transformers moved its classes between
// versions, but kept their names.
func step(class string) string {
	if !strings.HasPrefix(class, "sentence_transformers.") {
		return ""
	}
	return class[strings.LastIndexByte(class, '.')+1:]
}

// readPooling uses the mean if the directory has no setting, like Sentence Transformers.
func (c *config) readPooling(dir fs.FS) error {
	flags := map[string]any{}
	found, err := readJSON(dir, c.pooling, &flags)
	if err != nil {
		return err
	}
	c.info.Pooling = model.Mean
	if !found {
		return nil
	}
	// Older files have a flag for each mode, newer ones the mode's name, or
	// several.
	chosen := ""
	for name, value := range flags {
		mode, isFlag := strings.CutPrefix(name, "pooling_mode_")
		switch {
		case name == "pooling_mode":
			if mode, isFlag = value.(string); !isFlag {
				return unsupported("it pools in several ways at once")
			}
		case !isFlag || value != true:
			continue
		}
		if chosen != "" {
			return unsupported("it pools in two ways at once")
		}
		chosen = mode
	}
	if flags["include_prompt"] == false {
		return unsupported("it leaves the prefix out of the mean")
	}
	switch chosen {
	case "cls_token", "cls":
		c.info.Pooling = model.CLS
	case "mean_tokens", "mean":
	default:
		return unsupported("it pools neither by the first token nor by the mean")
	}
	return nil
}
