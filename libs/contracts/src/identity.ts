import { z } from 'zod'
import { endpoint, event, fn, id, job, request, table } from './contract.ts'

const person = z.object({
  email: z.string().nullable(),
  name: z.string().nullable(),
  referral_code: z.string().nullable(),
  role: z.enum(['seller', 'buyer']).nullable(),
  version: z.int(),
})

export const userCreated = event('identity.user_created', person)
export const userUpdated = event('identity.user_updated', person)
export const userDeleted = event('identity.user_deleted', z.object({ version: z.int() }))
export const userSignedIn = event('identity.user_signed_in', z.object({ method: z.string(), session_id: z.uuid() }))
export const roleAssigned = event('identity.role_assigned', z.object({ role: z.enum(['seller', 'buyer']) }))
export const signedUp = event(
  'identity.signed_up',
  z.object({
    email: z.string(),
    name: z.string(),
    referral_code: z.string().nullable(),
    signup_date: z.iso.datetime(),
    accept_terms: z.boolean(),
    accept_marketing: z.boolean(),
  }),
)

export const sessionRevoked = event('identity.session_revoked', z.object({ session_id: z.uuid(), user_id: z.uuid() }), 'broadcast')
export const userSuspended = event('identity.user_suspended', z.object({ user_id: z.uuid(), suspended: z.boolean() }), 'broadcast')
export const keysChanged = event('identity.keys_changed', z.object({}), 'broadcast')

/** What a verifier needs: public keys, the issuer, and what was taken back within one token lifetime. */
export const verification = request(
  'identity.verification',
  z.object({}),
  z.object({
    keys: z.array(z.looseObject({ kid: z.string(), alg: z.enum(['ES256', 'RS256']) })),
    issuer: z.string(),
    revoked_sessions: z.array(z.string()),
    suspended_users: z.array(z.string()),
  }),
)
/** The person behind an id, for mail and for staff. */
export const lookUpUser = request(
  'identity.user',
  z.object({ user_id: z.uuid() }),
  z.object({ id: z.uuid(), email: z.string().nullable(), name: z.string().nullable(), created_at: z.string() }).nullable(),
)

// --- The auth protocol: what an unmodified client of it calls under /auth/v1 ---

const json = z.record(z.string(), z.unknown())
const text = z.string().max(2048).nullish()
const redirect = z.object({ redirect_to: text })
const captcha = z.object({ captcha_token: text }).nullish()
const challenge = { code_challenge: text, code_challenge_method: text }
const when = z.string().nullish()

export const identityShape = z.object({
  identity_id: z.uuid(),
  id: z.string(),
  user_id: z.uuid(),
  identity_data: json,
  provider: z.string(),
  last_sign_in_at: when,
  created_at: when,
  updated_at: when,
  email: z.string().nullish(),
})
export const factorShape = z.object({
  id: z.uuid(),
  created_at: z.string(),
  updated_at: z.string(),
  status: z.enum(['verified', 'unverified']),
  friendly_name: z.string().nullish(),
  factor_type: z.string(),
  phone: z.string().nullish(),
  last_challenged_at: when,
})
export const userShape = z.object({
  id: z.uuid(),
  aud: z.string(),
  role: z.string(),
  email: z.string(),
  phone: z.string(),
  email_confirmed_at: when,
  invited_at: when,
  phone_confirmed_at: when,
  confirmation_sent_at: when,
  confirmed_at: when,
  recovery_sent_at: when,
  new_email: z.string().nullish(),
  email_change_sent_at: when,
  new_phone: z.string().nullish(),
  phone_change_sent_at: when,
  reauthentication_sent_at: when,
  last_sign_in_at: when,
  app_metadata: json,
  user_metadata: json,
  factors: z.array(factorShape).optional(),
  identities: z.array(identityShape),
  created_at: z.string(),
  updated_at: z.string(),
  banned_until: when,
  deleted_at: when,
  is_anonymous: z.boolean(),
})
export const sessionShape = z.object({
  access_token: z.string(),
  token_type: z.literal('bearer'),
  expires_in: z.int(),
  expires_at: z.int(),
  refresh_token: z.string(),
  provider_token: z.string().nullish(),
  provider_refresh_token: z.string().nullish(),
  user: userShape,
  weak_password: z.object({ message: z.string(), reasons: z.array(z.string()) }).nullish(),
})
const sent = z.object({ message_id: z.string().optional() })
const phone = z.string().max(20).nullish()
const email = z.string().max(320).nullish()
const password = z.string().max(1024).nullish()
const code = z.string().max(256).nullish()

const open = { access: 'public', rate: 'auth' } as const
const strict = { access: 'public', rate: 'auth-strict' } as const
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
  summary: 'What this server offers to sign in with',
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

export const signUp = endpoint({
  method: 'POST',
  path: '/auth/v1/signup',
  ...open,
  summary: 'A new account, or an anonymous one when neither e-mail nor phone is given',
  query: redirect,
  body: z.object({ email, phone, password, data: json.nullish(), channel: text, ...challenge, gotrue_meta_security: captcha }),
  reply: z.union([sessionShape, userShape]),
})
export const token = endpoint({
  method: 'POST',
  path: '/auth/v1/token',
  ...open,
  summary: 'A session for a password, a refresh token or a PKCE code',
  query: z.object({ grant_type: text, redirect_to: text }),
  body: z.object({
    email,
    phone,
    password,
    refresh_token: z.string().max(512).nullish(),
    auth_code: text,
    code_verifier: text,
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
export const otp = endpoint({ method: 'POST', path: '/auth/v1/otp', ...strict, query: redirect, body: otpBody, reply: sent })
export const magicLink = endpoint({ method: 'POST', path: '/auth/v1/magiclink', ...strict, query: redirect, body: otpBody, reply: sent })
export const recover = endpoint({
  method: 'POST',
  path: '/auth/v1/recover',
  ...strict,
  query: redirect,
  body: z.object({ email, ...challenge, gotrue_meta_security: captcha }),
  reply: sent,
})
export const resend = endpoint({
  method: 'POST',
  path: '/auth/v1/resend',
  ...strict,
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
  method: 'GET',
  path: '/auth/v1/verify',
  ...open,
  raw: true,
  query: z.object({ type: text, token: code, redirect_to: text }),
  reply: z.null(),
})
export const reauthenticate = endpoint({ method: 'GET', path: '/auth/v1/reauthenticate', ...mine, reply: sent })
export const logout = endpoint({
  method: 'POST',
  path: '/auth/v1/logout',
  ...mine,
  raw: true,
  query: z.object({ scope: text }),
  reply: z.null(),
  status: 204,
})
export const getUser = endpoint({ method: 'GET', path: '/auth/v1/user', ...mine, reply: userShape })
export const updateUser = endpoint({
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
export const authorize = endpoint({ method: 'GET', path: '/auth/v1/authorize', ...open, raw: true, query: oauthQuery, reply: z.null() })
export const oauthCallback = endpoint({
  method: 'GET',
  path: '/auth/v1/callback',
  ...open,
  raw: true,
  query: z.object({ state: text, code: z.string().max(4096).nullish(), iss: text, error: text, error_description: text }),
  reply: z.null(),
})
export const linkIdentity = endpoint({
  method: 'GET',
  path: '/auth/v1/user/identities/authorize',
  ...mine,
  raw: true,
  query: oauthQuery,
  reply: z.object({ url: z.string() }),
})
export const unlinkIdentity = endpoint({
  method: 'DELETE',
  path: '/auth/v1/user/identities/:identity_id',
  ...mine,
  params: z.object({ identity_id: id('identity') }),
  reply: z.object({}),
})

const factorId = z.object({ factor_id: id('factor') })
export const enrolFactor = endpoint({
  method: 'POST',
  path: '/auth/v1/factors',
  ...mine,
  body: z.object({ friendly_name: z.string().max(120).nullish(), factor_type: text, issuer: z.string().max(120).nullish(), phone }),
  reply: z.object({
    id: z.uuid(),
    type: z.string(),
    friendly_name: z.string(),
    totp: z.object({ qr_code: z.string(), secret: z.string(), uri: z.string() }).optional(),
  }),
})
export const challengeFactor = endpoint({
  method: 'POST',
  path: '/auth/v1/factors/:factor_id/challenge',
  ...mine,
  params: factorId,
  body: z.object({ channel: text }).nullish(),
  reply: z.object({ id: z.uuid(), type: z.string(), expires_at: z.int() }),
})
export const verifyFactor = endpoint({
  method: 'POST',
  path: '/auth/v1/factors/:factor_id/verify',
  ...mine,
  params: factorId,
  body: z.object({ challenge_id: text, code }),
  reply: sessionShape,
})
export const removeFactor = endpoint({
  method: 'DELETE',
  path: '/auth/v1/factors/:factor_id',
  ...mine,
  params: factorId,
  reply: z.object({ id: z.uuid() }),
})

const disabled = z.object({})
export const sso = endpoint({
  method: 'POST',
  path: '/auth/v1/sso',
  ...open,
  summary: 'Not offered',
  body: z.looseObject({}).nullish(),
  reply: disabled,
})
export const passkeys = endpoint({
  method: 'POST',
  path: '/auth/v1/passkeys/authentication/options',
  ...open,
  summary: 'Not offered',
  body: z.looseObject({}).nullish(),
  reply: disabled,
})

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
  query: z.object({ page: text, per_page: text, filter: text }),
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
  params: userId.extend(factorId.shape),
  reply: z.object({ id: z.uuid() }),
})

// --- The data API ---

export const profiles = table('profiles', {
  columns: z.object({ email: z.string() }),
  access: 'public',
  rate: 'auth-strict',
  summary: 'Whether one exact e-mail address is registered',
})
const homeRole = z.enum(['seller', 'buyer'])
export const userRoles = table('user_roles', {
  columns: z.object({ user_id: id('user'), role: homeRole, created_at: z.iso.datetime({ offset: true }) }),
  access: 'user',
  summary: 'The home role, set once',
  insert: z.object({ user_id: id('user').optional(), role: homeRole }),
})

// --- Named functions ---

export const tableSync = fn('table-sync', {
  access: 'user',
  summary: 'Stores the sign-up record and passes it on',
  body: z.object({
    tableName: z.literal('sign up'),
    data: z.object({
      email: z.string().max(320).nullish(),
      name: z.string().max(200).nullish(),
      user_id: z.string().nullish(),
      referral_code: z.string().max(64).nullish(),
      signup_date: z.string().max(40).nullish(),
      accept_terms: z.boolean().nullish(),
      accept_marketing: z.boolean().nullish(),
    }),
  }),
  reply: z.object({ success: z.boolean() }),
})
export const accountSessions = fn('account-sessions', {
  access: 'user',
  rate: 'read',
  body: z.object({}).nullish(),
  reply: z.object({
    sessions: z.array(
      z.object({
        id: z.uuid(),
        current: z.boolean(),
        user_agent: z.string(),
        ip: z.string(),
        created_at: z.string(),
        last_used_at: z.string(),
        aal: z.string(),
      }),
    ),
  }),
})
export const accountSessionRevoke = fn('account-session-revoke', {
  access: 'user',
  body: z.object({ session_id: id('session') }),
  reply: z.object({ revoked: z.boolean() }),
})
export const accountAudit = fn('account-audit', {
  access: 'user',
  rate: 'read',
  body: z.object({ limit: z.int().min(1).max(200).default(50), before: z.uuid().nullish() }).prefault({}),
  reply: z.object({
    entries: z.array(z.object({ id: z.uuid(), at: z.string(), action: z.string(), ip: z.string(), user_agent: z.string(), detail: json })),
  }),
})
export const accountExport = fn('account-export', { access: 'aal2', body: z.object({}).nullish(), reply: json })
export const accountDelete = fn('account-delete', {
  access: 'aal2',
  body: z.object({}).nullish(),
  reply: z.object({ deleted: z.boolean() }),
})
export const accountRecoveryCodes = fn('account-recovery-codes', {
  access: 'aal2',
  body: z.object({}).nullish(),
  summary: 'New recovery codes, shown once; the old ones end',
  reply: z.object({ codes: z.array(z.string()) }),
})
export const accountRecoveryUse = fn('account-recovery-use', {
  access: 'user',
  rate: 'auth-strict',
  body: z.object({ code: z.string().max(64) }),
  summary: 'A recovery code in place of the second factor',
  reply: sessionShape,
})
export const demoSignIn = fn('demo-sign-in', {
  access: 'public',
  rate: 'auth-strict',
  body: z.object({ portal: z.enum(['seller', 'buyer']) }),
  reply: sessionShape,
})

// --- Work inside identity ---

/** Carries no secret: link tokens and codes are derived from the job's id, so a retry sends the same mail under the same Message-ID. */
export const sendMail = job(
  'identity.send_mail',
  z.object({
    template: z.enum([
      'confirm',
      'magic_link',
      'recovery',
      'invite',
      'email_change_current',
      'email_change_new',
      'reauthentication',
      'account_exists',
      'new_sign_in',
      'password_changed',
    ]),
    to: z.string(),
    redirect_to: z.string().nullish(),
    verify_type: z.string().nullish(),
    pkce: z.boolean().nullish(),
    detail: z.record(z.string(), z.string()).nullish(),
  }),
  { attempts: 12 },
)
export const sendSms = job('identity.send_sms', z.object({ to: z.string() }), { attempts: 6 })
/** A mail that a stranger asked for. Whether the address has an account is looked at here, where nobody can time it. */
export const requestMail = job(
  'identity.request_mail',
  z.object({
    kind: z.enum(['magic_link', 'recovery', 'signup', 'email_change', 'sms', 'phone_change', 'account_exists']),
    email: z.string().nullish(),
    phone: z.string().nullish(),
    create_user: z.boolean(),
    data: json,
    redirect_to: z.string().nullish(),
    code_challenge: z.string().nullish(),
    code_challenge_method: z.string().nullish(),
    ip: z.string(),
    user_agent: z.string(),
  }),
  { attempts: 12 },
)
export const sweep = job('identity.sweep', z.object({}))
