module kumiko.invalid/tests/cel/conformance

go 1.26.0

require (
	cel.dev/expr v0.26.0
	google.golang.org/protobuf v1.36.10
)
