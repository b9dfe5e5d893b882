// Package access decides who may use a service, and how much of it. It knows HTTP and files, but no
// engine and no store.
//
//   - Tokens: the tokens of a directory, in DIR/tokens.json. The file has their hashes, so a copy of
//     it lets nobody in. It is read again when it has changed.
//   - Identities: map client certificates to a name, a tenant and a role.
//   - Gate: a handler in front of the service. It checks the host and the origin of a request,
//     authenticates it, compares the role with the rule of the endpoint, and writes the audit log.
//   - Sessions: the sign-in of a browser.
//   - Shares: bound the resources that a tenant and a token may use at a time.
//   - Transport: certificates that are read again when they have changed.
//
// # Roles
//
// A viewer reads. A submitter also submits runs, and cancels and answers the runs of its tenant. It has its
// own schedules and sessions. An operator may do everything, for all tenants. An endpoint without a rule is
// for operators only.
//
// # Tokens
//
// A token has 256 random bits. The file keeps its SHA-256. A slow hash, such as bcrypt, protects
// passwords because people choose few of them: an attacker with the file can try them all. Nobody can try
// 2^256 tokens, however little one trial costs. A slow hash would only make each request slow, and let
// anybody use up the processors of the service with wrong tokens.
package access
