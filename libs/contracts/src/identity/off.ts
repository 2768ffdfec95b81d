import { z } from 'zod'
import { type Endpoint, endpoint } from '../contract.ts'

const off = (notOffered: string, access: Endpoint['access'], ...routes: string[]): Endpoint[] =>
  routes.map((route) => {
    const [method, path] = route.split(' ') as [Endpoint['method'], string]
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: z.looseObject({}).nullish() }
    return endpoint({ method, path: `/auth/v1${path}`, access, rate: 'auth', notOffered, reply: z.object({}), ...body })
  })

/** Parts of the auth protocol that are not offered: answered as a server of it does with the feature switched off. */
export const notOffered = {
  saml: [
    ...off('sign-in by SAML', 'public', 'POST /sso', 'GET /sso/saml/metadata', 'POST /sso/saml/acs'),
    ...off('sign-in by SAML', 'service', 'POST /admin/sso/providers'),
  ],
  ssoProvider: off(
    'sign-in by SAML',
    'service',
    'GET /admin/sso/providers/*',
    'PUT /admin/sso/providers/*',
    'DELETE /admin/sso/providers/*',
  ),
  oauthServer: [
    ...off('signing in to other sites', 'public', 'GET /oauth/userinfo', 'POST /oauth/userinfo'),
    ...off(
      'managing OAuth apps by a service key',
      'service',
      'GET /admin/oauth/*',
      'POST /admin/oauth/*',
      'PUT /admin/oauth/*',
      'DELETE /admin/oauth/*',
    ),
  ],
  customProviders: [
    ...off(
      'custom sign-in providers',
      'service',
      'GET /admin/custom-providers',
      'POST /admin/custom-providers',
      'GET /admin/custom-providers/*',
    ),
    ...off('custom sign-in providers', 'service', 'PUT /admin/custom-providers/*', 'DELETE /admin/custom-providers/*'),
  ],
  scim: off('SCIM', 'public', 'GET /scim/v2/*'),
}
