// Package rulecache shares what is computed from a ruleset among all that use it at the
// same time. It keeps neither alive: once nothing else refers to the value or to the
// ruleset, both can be collected, and a later caller computes the value again.
//
//	var books rulecache.Cache[aim.Book]
//	book, err := books.Get(rules, func() (*aim.Book, error) { return aim.NewBook(rules), nil })
package rulecache

import (
	"runtime"
	"sync"
	"weak"

	"github.com/sparrowhall/sparrowhall/ruleset"
)

// Cache holds at most one value for each ruleset. The zero value is empty, and ready
// for any number of goroutines.
type Cache[T any] struct {
	mu     sync.Mutex
	values map[weak.Pointer[ruleset.Rules]]weak.Pointer[T]
}

// Get returns the value for a ruleset. If no goroutine has it any more, Get calls
// compute, one call at a time, and returns its error. The value may refer to the rules.
func (c *Cache[T]) Get(r *ruleset.Rules, compute func() (*T, error)) (*T, error) {
	key := weak.Make(r)
	c.mu.Lock()
	defer c.mu.Unlock()
	if v := c.values[key].Value(); v != nil {
		return v, nil
	}
	v, err := compute()
	if err != nil {
		return nil, err
	}
	if c.values == nil {
		c.values = map[weak.Pointer[ruleset.Rules]]weak.Pointer[T]{}
	}
	c.values[key] = weak.Make(v)
	runtime.AddCleanup(v, c.remove, key)
	return v, nil
}

// remove deletes the entry of a ruleset unless its value is in use.
func (c *Cache[T]) remove(key weak.Pointer[ruleset.Rules]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.values[key].Value() == nil {
		delete(c.values, key)
	}
}
