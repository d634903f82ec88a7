package record

import (
	"encoding/json"
	"errors"
	"fmt"
)

// DescribeJSONError returns an error of encoding/json without the names of Go types,
// which mean nothing to the reader of a record.
func DescribeJSONError(err error) error {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case !ok:
		return err
	case wrong.Field == "":
		return fmt.Errorf("it has a value of the wrong kind: %s", wrong.Value)
	}
	return fmt.Errorf("member %s has a value of the wrong kind: %s", wrong.Field, wrong.Value)
}
