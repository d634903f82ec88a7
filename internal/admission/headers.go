package admission

import "net/http"

// Policies of content for [SetHeaders]. Names and texts of other people stand in pages, so a page
// loads nothing from elsewhere, no form of it leads away, and no other site frames it.
const (
	// InlinePolicy is for pages of one file, whose script and style stand in them.
	InlinePolicy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	// InlineFetchPolicy is for such pages that fetch newer data from their own server.
	InlineFetchPolicy = InlinePolicy + "; connect-src 'self'"
	// FilesPolicy is for pages whose script, style and data are files of their own server.
	FilesPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

// nothingPolicy is for what is no page: errors, figures, redirections.
const nothingPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// SetHeaders sets the headers that protect readers of a page: the policy of its content, and that
// browsers do not guess the kind of a file. Requests to other sites do not have its address, which
// may hold a key.
func SetHeaders(h http.Header, policy string) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
}
