package telemetry

import "net/http"

// PushThrough is PushFromEnvironment with another transport.
func PushThrough(o PushOptions, t http.RoundTripper) (*Push, error) {
	p, every, err := newPush(o)
	if err != nil {
		return nil, err
	}
	p.to.HTTP.Transport = t
	go p.run(every)
	return p, nil
}
