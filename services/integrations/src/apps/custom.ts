import type { AppId } from '@operon/contracts/integrations/apps'
import type { AppDefinition, AppRequest, Held } from './app.ts'
import { basic } from './vendors.ts'

/** In the place of an app's id: an API of the person's own. It is none of the catalogue and in none of its lists. */
export const CUSTOM = 'custom' as AppId

/** The parts of the seal that say where it is and how the key travels. */
type CustomFields = {
  auth: string
  auth_name?: string
  client_id?: string
  client_secret?: string
  token_url?: string
  authorize_url?: string
  scope?: string
}

/** The questions to the token endpoint of an API, by the client that a person registered there. */
export function tokenCall({ client_id = '', client_secret, token_url = '' }: Partial<CustomFields>, form: Record<string, string>) {
  return client_secret
    ? { url: token_url, headers: basic({ id: client_id, secret: client_secret }), form }
    : { url: token_url, headers: {}, form: { ...form, client_id } }
}

function signed({ access, fields = {} }: Held, request: AppRequest): AppRequest {
  const { auth, auth_name: name = '' } = fields
  const with_ = (header: string, value: string) => ({ ...request, headers: { ...request.headers, [header]: value } })
  if (auth === 'bearer' || auth === 'oauth' || auth === 'signin') return with_('authorization', `Bearer ${access}`)
  if (auth === 'basic') return with_('authorization', `Basic ${Buffer.from(access).toString('base64')}`)
  if (auth === 'header') return with_(name.toLowerCase(), access)
  if (auth === 'query') return { ...request, query: { ...request.query, [name]: access } }
  return request
}

export const custom: AppDefinition = {
  id: CUSTOM,
  api: ({ base }) => base ?? '',
  sign: signed,
  who: { path: '', read: ({ id, name }) => ({ id, name }) },
  perMinute: 60,
  // A token is bought where the person said so, with the client's id and secret.
  mint: ({ refresh, fields = {} }) =>
    !refresh
      ? null
      : fields.auth === 'oauth'
        ? tokenCall({ ...fields, client_secret: refresh }, { grant_type: 'client_credentials' })
        : fields.auth === 'signin'
          ? tokenCall(fields, { grant_type: 'refresh_token', refresh_token: refresh })
          : null,
  actions: {},
}
