module github.com/ptc-lang/ptc

go 1.26

require github.com/alecthomas/participle/v2 v2.1.4

require go.uber.org/goleak v1.3.0

require golang.org/x/time v0.15.0

require github.com/goccy/go-yaml v1.19.2

require (
	github.com/google/jsonschema-go v0.4.3
	go.etcd.io/bbolt v1.5.0
)

require golang.org/x/sys v0.45.0 // indirect

require (
	github.com/stretchr/testify v1.12.1
	go.yaml.in/yaml/v3 v3.0.5 // indirect
)
