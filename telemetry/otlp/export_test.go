package otlp

import "net/http"

// Through has requests made by another transport.
func (e *Exporter) Through(t http.RoundTripper) { e.client.HTTP.Transport = t }
