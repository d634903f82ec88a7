package majiang

// YakuNames is the names of yaku by pattern id. Of a wind it is any.
func YakuNames() map[string]string {
	names := map[string]string{}
	for name, id := range yaku {
		names[id] = name
	}
	return names
}
