// An authorization server, which is oidc-provider with its pages for developers. It prints its address, and checks
// opaque tokens at /check.
import { createServer } from 'node:http'
import Provider from 'oidc-provider'

const server = createServer()
await new Promise((done) => server.listen(0, '127.0.0.1', done))
const issuer = `http://127.0.0.1:${server.address().port}`
const provider = new Provider(issuer, {
  clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
  pkce: { required: () => true },
  scopes: ['openid', 'offline_access', 'tools'],
  rotateRefreshToken: true,
  ttl: { AccessToken: () => Number(process.env.LIFETIME ?? 3600) },
  features: {
    devInteractions: { enabled: true },
    registration: { enabled: true },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => true,
      getResourceServerInfo: (_, resource) => ({ scope: 'tools', audience: resource, accessTokenFormat: 'opaque' }),
    },
  },
})
const handle = provider.callback()
server.on('request', async (req, res) => {
  const at = new URL(req.url, issuer)
  if (at.pathname !== '/check') return handle(req, res)
  const token = await provider.AccessToken.find(at.searchParams.get('token'))
  res.end(JSON.stringify({ valid: !!token?.isValid, audience: token?.aud ?? '' }))
})
console.log(issuer)
