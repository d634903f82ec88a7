package record

import (
	"encoding/json"
	"errors"
	"fmt"
)

// ExplainJSON returns what is wrong with a JSON text without the names of Go's
// types, which tell the reader of a record nothing.
func ExplainJSON(err error) error {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case !ok:
		return err
	case wrong.Field == "":
		return fmt.Errorf("it has a value of the wrong kind: %s", wrong.Value)
	}
	return fmt.Errorf("member %s has a value of the wrong kind: %s", wrong.Field, wrong.Value)
}
