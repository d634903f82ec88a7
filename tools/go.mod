module github.com/sparrowhall/sparrowhall/tools

go 1.26.0

require (
	github.com/sparrowhall/sparrowhall v0.0.0
	golang.org/x/sync v0.24.0
)

require (
	github.com/agnivade/levenshtein v1.2.2 // indirect
	github.com/kballard/go-shellquote v0.0.0-20180428030007-95032a82bc51 // indirect
	github.com/pelletier/go-toml/v2 v2.4.3 // indirect
	golang.org/x/net v0.61.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260817212433-ac3dfec99bb1 // indirect
	google.golang.org/grpc v1.85.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)

replace github.com/sparrowhall/sparrowhall => ../
