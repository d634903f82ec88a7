package builtin

var corrected []Entry
