package mahjongsoul

// Yaku returns the pattern ids by the numbers of the site.
func Yaku() []string { return yaku[:] }
