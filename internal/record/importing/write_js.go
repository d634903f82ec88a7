package importing

import (
	"context"
	"errors"
)

// Browsers have no datasets: Options.Out is empty there.
type datasetTable struct{}

func (im *importer) checkFolder() error { return errors.ErrUnsupported }

func (im *importer) write(context.Context, *group, string) error { return errors.ErrUnsupported }
