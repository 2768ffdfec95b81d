import { z } from 'zod'
import { type Endpoint, endpoint } from '../contract.ts'

const off = (access: Endpoint['access'], ...routes: string[]): Endpoint[] =>
  routes.map((route) => {
    const [method, path] = route.split(' ') as [Endpoint['method'], string]
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: z.looseObject({}).nullish() }
    return endpoint({ method, path: `/auth/v1${path}`, access, rate: 'auth', summary: 'Not offered', reply: z.object({}), ...body })
  })

/** What the auth protocol has and is not offered: answered as a server of it does that has the feature switched off. */
export const notOffered = {
  saml: [...off('public', 'POST /sso', 'GET /sso/saml/metadata', 'POST /sso/saml/acs'), ...off('service', 'POST /admin/sso/providers')],
  ssoProvider: off('service', 'GET /admin/sso/providers/*', 'PUT /admin/sso/providers/*', 'DELETE /admin/sso/providers/*'),
  passkeys: off('public', 'GET /passkeys', 'POST /passkeys/*', 'PATCH /passkeys/*', 'DELETE /passkeys/*'),
  oauthServer: [
    ...off('public', 'GET /oauth/*', 'POST /oauth/*', 'GET /.well-known/oauth-authorization-server'),
    ...off('user', 'GET /user/oauth/grants', 'DELETE /user/oauth/grants'),
    ...off('service', 'GET /admin/oauth/*', 'POST /admin/oauth/*', 'PUT /admin/oauth/*', 'DELETE /admin/oauth/*'),
  ],
  customProviders: [
    ...off('service', 'GET /admin/custom-providers', 'POST /admin/custom-providers', 'GET /admin/custom-providers/*'),
    ...off('service', 'PUT /admin/custom-providers/*', 'DELETE /admin/custom-providers/*'),
  ],
  scim: off('public', 'GET /scim/v2/*'),
}
