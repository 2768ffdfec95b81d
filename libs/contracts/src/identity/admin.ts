import { z } from 'zod'
import { endpoint, id, oneLine } from '../contract.ts'
import { email, factorShape, json, password, phone, redirect, text, userShape } from './shapes.ts'

// The service key's side of the auth protocol.

const admin = { access: 'service', rate: 'auth' } as const
const userId = z.object({ user_id: id('user') })
const adminBody = z.object({
  id: text,
  email,
  phone,
  password,
  password_hash: text,
  email_confirm: z.boolean().nullish(),
  phone_confirm: z.boolean().nullish(),
  user_metadata: json.nullish(),
  app_metadata: json.nullish(),
  ban_duration: text,
  role: text,
  aud: text,
})
export const adminListUsers = endpoint({
  method: 'GET',
  path: '/auth/v1/admin/users',
  ...admin,
  raw: true,
  query: z.object({ page: text, per_page: text, filter: text, sort: text }),
  reply: z.object({ users: z.array(userShape), aud: z.string() }),
})
export const adminCreateUser = endpoint({ method: 'POST', path: '/auth/v1/admin/users', ...admin, body: adminBody, reply: userShape })
export const adminGetUser = endpoint({ method: 'GET', path: '/auth/v1/admin/users/:user_id', ...admin, params: userId, reply: userShape })
export const adminUpdateUser = endpoint({
  method: 'PUT',
  path: '/auth/v1/admin/users/:user_id',
  ...admin,
  params: userId,
  body: adminBody,
  reply: userShape,
})
export const adminDeleteUser = endpoint({
  method: 'DELETE',
  path: '/auth/v1/admin/users/:user_id',
  ...admin,
  params: userId,
  body: z.object({ should_soft_delete: z.boolean().nullish() }).nullish(),
  reply: z.object({}),
})
export const adminInvite = endpoint({
  method: 'POST',
  path: '/auth/v1/invite',
  ...admin,
  query: redirect,
  body: z.object({ email, data: json.nullish() }),
  reply: userShape,
})
export const adminGenerateLink = endpoint({
  method: 'POST',
  path: '/auth/v1/admin/generate_link',
  ...admin,
  query: redirect,
  body: z.object({ type: text, email, new_email: email, password, data: json.nullish(), redirect_to: text }),
  reply: userShape.extend({
    action_link: z.string(),
    email_otp: z.string(),
    hashed_token: z.string(),
    verification_type: z.string(),
    redirect_to: z.string(),
  }),
})
export const adminListFactors = endpoint({
  method: 'GET',
  path: '/auth/v1/admin/users/:user_id/factors',
  ...admin,
  params: userId,
  reply: z.array(factorShape),
})
export const adminDeleteFactor = endpoint({
  method: 'DELETE',
  path: '/auth/v1/admin/users/:user_id/factors/:factor_id',
  ...admin,
  params: userId.extend({ factor_id: id('factor') }),
  reply: factorShape,
})
export const adminUpdateFactor = endpoint({
  method: 'PUT',
  path: '/auth/v1/admin/users/:user_id/factors/:factor_id',
  ...admin,
  params: userId.extend({ factor_id: id('factor') }),
  body: z.object({ friendly_name: oneLine(120).nullish() }),
  reply: factorShape,
})
export const adminListAudit = endpoint({
  method: 'GET',
  path: '/auth/v1/admin/audit',
  ...admin,
  raw: true,
  summary: 'The audit log of all accounts, newest first; `query` is author:, action: or type: and a part of it',
  query: z.object({ page: text, per_page: text, query: text }),
  reply: z.array(z.object({ id: z.uuid(), payload: json, created_at: z.string(), ip_address: z.string() })),
})
export const adminListPasskeys = endpoint({
  method: 'GET',
  path: '/auth/v1/admin/users/:user_id/passkeys',
  ...admin,
  params: userId,
  reply: z.array(json),
})
export const adminDeletePasskey = endpoint({
  method: 'DELETE',
  path: '/auth/v1/admin/users/:user_id/passkeys/:passkey_id',
  ...admin,
  params: userId.extend({ passkey_id: id('passkey') }),
  reply: json,
})
export const adminListSsoProviders = endpoint({
  method: 'GET',
  path: '/auth/v1/admin/sso/providers',
  ...admin,
  reply: z.object({ items: z.array(json) }),
})
