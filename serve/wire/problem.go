// This file defines the errors of the API.

package wire

import "encoding/json"

// ProblemType is the media type of a Problem.
const ProblemType = "application/problem+json"

// Problem is the body of an error: problem details of RFC 9457, with a code.
type Problem struct {
	Type   string   `json:"type" example:"about:blank"`
	Title  string   `json:"title" example:"Not Found" doc:"The status in words."`
	Status int      `json:"status" example:"404"`
	Detail string   `json:"detail" doc:"What was wrong, and the next step."`
	Code   string   `json:"code" example:"not-found" doc:"The kind of the error; it does not change between releases."`
	Errors []Detail `json:"errors,omitempty" doc:"What is wrong in a request, place by place."`
	// Program is the error of a program that does not compile.
	Program json.RawMessage `json:"program,omitempty" doc:"The error of a program, with its place in the source."`
}

// Detail is one of several mistakes in a request.
type Detail struct {
	Location string `json:"location,omitempty" example:"body.limits.memory"`
	Message  string `json:"message"`
}
