// Package peer is how the nodes of a cluster talk to each other: named requests with one answer, and streams.
//
//   - Network: sends requests to other nodes, and answers theirs. Handler, Streamer: answer a request.
//   - Node: a node on a network of TCP, with HTTP/2 and certificates on both sides. Listen makes one from a Config.
//   - Memory: a network within a process, with delays, losses and cut links, for tests. Its nodes are MemoryNodes.
//   - Error: a refusal of the other node, with a code.
//
// Package cluster/peer/peertest tests an implementation.
package peer

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// Network reaches the nodes of a cluster, including this one, by their names. It is safe for concurrent use.
type Network interface {
	// Call sends a request to a node and returns its answer. An *Error comes from the other node: its handler refused the
	// request, or the network did so without handling it. With any other error the request may have been handled or not:
	// the error of the context if that has ended, else ErrUnreachable. A call without a deadline ends when the link is
	// found broken, within seconds. The end of the context ends the context of the handler too.
	Call(ctx context.Context, node, method string, request []byte) ([]byte, error)
	// Open sends a request to a node and returns the stream of its answer, which the caller closes. Closing it, or the
	// end of the context, ends the context of the node's streamer. It returns when the node has accepted the request. An
	// error of the streamer comes from Read, after the bytes that it has written: io.EOF if it returned nil, an *Error,
	// or ErrUnreachable if the stream was cut.
	Open(ctx context.Context, node, method string, request []byte) (io.ReadCloser, error)
	// Handle makes this node answer a method with h. It replaces the handler that the method had. Methods that begin with
	// SameRelease are refused to nodes of another release.
	Handle(method string, h Handler)
	// Stream makes this node answer a method with a stream, as Handle.
	Stream(method string, s Streamer)
	// Node returns the name of this node.
	Node() string
}

// Handler answers a request of a node. from is the name in the certificate of the caller, or the name of this node. An
// error that is no *Error reaches the caller as one with CodeInternal.
type Handler func(ctx context.Context, from string, request []byte) ([]byte, error)

// Streamer answers a request with bytes that it writes to w; each write is sent immediately. Writing fails
// when the caller has closed the stream or can't be reached.
type Streamer func(ctx context.Context, from string, request []byte, w io.Writer) error

// Protocol is the version of the messages between nodes. A node refuses requests of another version with CodeVersion.
const Protocol = 1

// SameRelease begins the names of methods for replicated work, such as "same/units". Nodes answer them only to nodes of
// their own release, since the same program may run differently in another one.
const SameRelease = "same/"

// Bounds that every implementation enforces.
const (
	// MaxMessage is the most bytes of a request and of an answer. A stream has no bound.
	MaxMessage = 4 << 20
	// MaxCalls is the number of requests of one node that another node handles concurrently, streams included.
	// It suffices for an operation of some thousand elements that all wait for a guard of the cluster.
	MaxCalls = 4096
)

// ErrRefused is the reason of an ErrUnreachable if no process listens at the address of the node.
var ErrRefused = errors.New("peer: connections to it are refused")

// ErrUnreachable: the node can't be reached, or has not answered.
var ErrUnreachable = errors.New("peer: the node can't be reached")

// Error is a refusal by the handler of a node, or by its side of the network.
type Error struct {
	Code    string // such as "not-leader"; API between nodes of one version
	Message string
}

// Error returns the message with the code.
func (e *Error) Error() string { return fmt.Sprintf("%s (%s)", e.Message, e.Code) }

// The codes of the network itself. Except with CodeInternal and CodeAnswer, no handler has seen the request.
const (
	CodeTooLarge = "too-large"        // the request has more than MaxMessage bytes
	CodeAnswer   = "answer-too-large" // the answer has more; the request was handled
	CodeMethod   = "no-method"        // the node does not answer the method
	CodeBusy     = "busy"             // the node handles MaxCalls requests of the caller already
	CodeVersion  = "version"          // the nodes have other versions of the messages, or other releases
	CodeIdentity = "identity"         // the certificate is no longer accepted
	CodeInternal = "internal"         // the handler failed with an error that is no *Error
)

// unreachable returns an ErrUnreachable for a node, with a cause that may be nil.
func unreachable(node string, cause error) error {
	switch {
	case cause == nil:
		return fmt.Errorf("%w: %s", ErrUnreachable, node)
	case errors.Is(cause, ErrUnreachable):
		return cause
	}
	return fmt.Errorf("%w: %s: %w", ErrUnreachable, node, cause)
}
