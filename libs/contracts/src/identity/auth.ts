import { z } from 'zod'
import { endpoint, id, oneLine } from '../contract.ts'
import { credentialShape } from './passkeys.ts'
import { captcha, challenge, code, email, json, password, phone, redirect, sessionShape, text, userShape } from './shapes.ts'

// The auth protocol: what an unmodified client of it calls under /auth/v1.

const sent = z.object({ message_id: z.string().optional() })

const open = { access: 'public', rate: 'auth' } as const
const sends = { access: 'public', rate: 'public-send' } as const
const mine = { access: 'user', rate: 'auth' } as const

export const health = endpoint({
  method: 'GET',
  path: '/auth/v1/health',
  access: 'public',
  rate: 'read',
  reply: z.object({ version: z.string(), name: z.string(), description: z.string() }),
})
export const settings = endpoint({
  method: 'GET',
  path: '/auth/v1/settings',
  access: 'public',
  rate: 'read',
  summary: 'The ways to sign in that this server offers',
  reply: z.object({
    external: z.record(z.string(), z.boolean()),
    disable_signup: z.boolean(),
    mailer_autoconfirm: z.boolean(),
    phone_autoconfirm: z.boolean(),
    sms_provider: z.string(),
    saml_enabled: z.boolean(),
    saml_private_key_next_configured: z.boolean(),
    passkeys_enabled: z.boolean(),
  }),
})
export const jwks = endpoint({
  method: 'GET',
  path: '/auth/v1/.well-known/jwks.json',
  access: 'public',
  rate: 'read',
  raw: true,
  reply: z.object({ keys: z.array(json) }),
})

export const openIdConfiguration = endpoint({
  method: 'GET',
  path: '/auth/v1/.well-known/openid-configuration',
  access: 'public',
  rate: 'read',
  raw: true,
  reply: json,
})

export const signUp = endpoint({
  method: 'POST',
  path: '/auth/v1/signup',
  ...open,
  summary: 'A new account, or an anonymous one when neither email nor phone is given',
  query: redirect,
  body: z.object({ email, phone, password, data: json.nullish(), channel: text, ...challenge, gotrue_meta_security: captcha }),
  reply: z.union([sessionShape, userShape]),
})
export const token = endpoint({
  method: 'POST',
  path: '/auth/v1/token',
  ...open,
  summary: 'A session for a password, a refresh token, a PKCE code or the identity token of a provider',
  query: z.object({ grant_type: text, redirect_to: text }),
  body: z.object({
    email,
    phone,
    password,
    refresh_token: z.string().max(512).nullish(),
    auth_code: text,
    code_verifier: text,
    provider: text,
    id_token: z.string().max(16_384).nullish(),
    access_token: z.string().max(16_384).nullish(),
    nonce: text,
    link_identity: z.boolean().nullish(),
    gotrue_meta_security: captcha,
  }),
  reply: sessionShape,
})
const otpBody = z.object({
  email,
  phone,
  create_user: z.boolean().nullish(),
  data: json.nullish(),
  channel: text,
  ...challenge,
  gotrue_meta_security: captcha,
})
export const otp = endpoint({ method: 'POST', path: '/auth/v1/otp', ...sends, query: redirect, body: otpBody, reply: sent })
export const magicLink = endpoint({ method: 'POST', path: '/auth/v1/magiclink', ...sends, query: redirect, body: otpBody, reply: sent })
export const recover = endpoint({
  method: 'POST',
  path: '/auth/v1/recover',
  ...sends,
  query: redirect,
  body: z.object({ email, ...challenge, gotrue_meta_security: captcha }),
  reply: sent,
})
export const resend = endpoint({
  method: 'POST',
  path: '/auth/v1/resend',
  ...sends,
  query: redirect,
  body: z.object({ type: text, email, phone, ...challenge, gotrue_meta_security: captcha }),
  reply: sent,
})
export const verify = endpoint({
  method: 'POST',
  path: '/auth/v1/verify',
  ...open,
  summary: 'A one-time code or link token for a session',
  body: z.object({ type: text, token: code, token_hash: code, email, phone, redirect_to: text, gotrue_meta_security: captcha }),
  reply: z.union([sessionShape, z.object({ msg: z.string(), code: z.string() })]),
})
export const verifyLink = endpoint({
  demo: 'changes',
  method: 'GET',
  path: '/auth/v1/verify',
  ...open,
  raw: true,
  query: z.object({ type: text, token: code, redirect_to: text }),
  reply: z.null(),
})
/** The button of the page that a link of a letter opens. */
export const pressLink = endpoint({
  method: 'POST',
  path: '/auth/v1/verify/link',
  ...open,
  raw: true,
  summary: 'Confirms the request that the link of a letter was sent for, and redirects',
  body: z.object({ type: text, token: code, redirect_to: text, password }),
  reply: z.null(),
})
const stopFactorRecoveryPath = '/auth/v1/factor-recovery/stop'
/** The page and button that each announcement of a factor recovery leads to. */
export const stopFactorRecoveryPage = endpoint({
  method: 'GET',
  path: stopFactorRecoveryPath,
  ...open,
  raw: true,
  query: z.object({ token: code }),
  reply: z.null(),
})
export const stopFactorRecovery = endpoint({
  method: 'POST',
  path: stopFactorRecoveryPath,
  ...open,
  raw: true,
  body: z.object({ token: code }),
  reply: z.null(),
})
export const reauthenticate = endpoint({ method: 'GET', path: '/auth/v1/reauthenticate', ...mine, demo: 'never', reply: sent })
export const logout = endpoint({
  demo: 'reads',
  method: 'POST',
  path: '/auth/v1/logout',
  ...mine,
  halfSignedIn: true,
  raw: true,
  query: z.object({ scope: text }),
  reply: z.null(),
  status: 204,
})
export const getUser = endpoint({ method: 'GET', path: '/auth/v1/user', ...mine, halfSignedIn: true, reply: userShape })
export const updateUser = endpoint({
  demo: 'never',
  method: 'PUT',
  path: '/auth/v1/user',
  ...mine,
  query: redirect,
  body: z.object({
    email,
    phone,
    password,
    current_password: password,
    nonce: text,
    data: json.nullish(),
    app_metadata: json.nullish(),
    channel: text,
    ...challenge,
  }),
  reply: userShape,
})

const oauthQuery = z.object({
  provider: text,
  scopes: text,
  redirect_to: text,
  skip_http_redirect: text,
  prompt: text,
  access_type: text,
  login_hint: text,
  ...challenge,
})
export const authorize = endpoint({
  method: 'GET',
  path: '/auth/v1/authorize',
  ...open,
  demo: 'changes',
  raw: true,
  query: oauthQuery,
  reply: z.null(),
})
export const oauthCallback = endpoint({
  demo: 'changes',
  method: 'GET',
  path: '/auth/v1/callback',
  ...open,
  raw: true,
  query: z.object({ state: text, code: z.string().max(4096).nullish(), iss: text, error: text, error_description: text }),
  reply: z.null(),
})
export const linkIdentity = endpoint({
  demo: 'never',
  method: 'GET',
  path: '/auth/v1/user/identities/authorize',
  ...mine,
  raw: true,
  query: oauthQuery,
  reply: z.object({ url: z.string() }),
})
/** Where an app on another site sends the browser that `linkIdentity` began in: its fetch could leave no mark there. */
export const continueLinking = endpoint({
  method: 'GET',
  path: '/auth/v1/user/identities/continue',
  ...open,
  raw: true,
  query: z.object({ flow: text, key: text, scopes: text, prompt: text, access_type: text, login_hint: text }),
  reply: z.null(),
})
export const unlinkIdentity = endpoint({
  demo: 'never',
  method: 'DELETE',
  path: '/auth/v1/user/identities/:identity_id',
  ...mine,
  params: z.object({ identity_id: id('identity') }),
  reply: z.object({}),
})

const factorId = z.object({ factor_id: id('factor') })
export const enrolFactor = endpoint({
  demo: 'never',
  method: 'POST',
  path: '/auth/v1/factors',
  ...mine,
  body: z.object({ friendly_name: oneLine(120).nullish(), factor_type: text, issuer: z.string().max(120).nullish(), phone }),
  reply: z.object({
    id: z.uuid(),
    type: z.string(),
    friendly_name: z.string(),
    totp: z.object({ qr_code: z.string(), secret: z.string(), uri: z.string() }).optional(),
  }),
})
const ceremony = z.enum(['create', 'request'])
export const challengeFactor = endpoint({
  demo: 'never',
  method: 'POST',
  path: '/auth/v1/factors/:factor_id/challenge',
  ...mine,
  halfSignedIn: true,
  params: factorId,
  body: z.object({ channel: text, webauthn: json.nullish() }).nullish(),
  reply: z.object({
    id: z.uuid(),
    type: z.string(),
    expires_at: z.int(),
    webauthn: z.object({ type: ceremony, credential_options: z.object({ publicKey: json }) }).optional(),
  }),
})
export const verifyFactor = endpoint({
  demo: 'never',
  method: 'POST',
  path: '/auth/v1/factors/:factor_id/verify',
  ...mine,
  halfSignedIn: true,
  params: factorId,
  body: z.object({
    challenge_id: text,
    code,
    webauthn: z.looseObject({ type: ceremony, credential_response: credentialShape }).nullish(),
  }),
  reply: sessionShape,
})
export const removeFactor = endpoint({
  demo: 'never',
  method: 'DELETE',
  path: '/auth/v1/factors/:factor_id',
  ...mine,
  params: factorId,
  reply: z.object({ id: z.uuid() }),
})
