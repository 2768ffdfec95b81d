import { z } from 'zod'
import { event, fn, id, job, request, table, time } from './contract.ts'
import { json, sessionShape } from './identity-shapes.ts'

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
    /** Which terms, and when: null where they were not accepted, or no version was named. */
    terms_version: z.string().nullish(),
    terms_accepted_at: z.iso.datetime().nullish(),
    accept_marketing: z.boolean(),
  }),
)

export const sessionRevoked = event('identity.session_revoked', z.object({ session_id: z.uuid(), user_id: z.uuid() }), 'broadcast')
export const userSuspended = event('identity.user_suspended', z.object({ user_id: z.uuid(), suspended: z.boolean() }), 'broadcast')
export const keysChanged = event('identity.keys_changed', z.object({}), 'broadcast')

/** What a verifier needs: public keys, the issuer, how long a token lives, what was taken back within that time, and what time it is. */
export const verification = request(
  'identity.verification',
  z.object({}),
  z.object({
    keys: z.array(z.looseObject({ kid: z.string(), alg: z.enum(['ES256', 'RS256']) })),
    issuer: z.string(),
    revoked_sessions: z.array(z.string()),
    suspended_users: z.array(z.string()),
    // Absent from the version before.
    token_seconds: z.number().optional(),
    at: z.number().optional(),
  }),
)
/** The person behind an id, for mail and for staff. */
export const lookUpUser = request(
  'identity.user',
  z.object({ user_id: z.uuid() }),
  z.object({ id: z.uuid(), email: z.string().nullable(), name: z.string().nullable(), created_at: z.string() }).nullable(),
)

/** How many people have an account. */
export const countPeople = request('identity.people_count', z.object({}), z.object({ people: z.int() }))

// --- The data API ---

export const profiles = table('profiles', {
  columns: z.object({ email: z.string() }),
  access: 'public',
  summary: 'Whether one exact e-mail address is registered; asked seldom enough that nobody harvests addresses with it',
})
const homeRole = z.enum(['seller', 'buyer'])
export const userRoles = table('user_roles', {
  columns: z.object({ user_id: id('user'), role: homeRole, created_at: time }),
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
      terms_version: z.string().max(40).nullish(),
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
export const accountExport = fn('account-export', {
  access: 'aal2',
  summary: 'Everything that the platform holds about the caller, as one document; refused while a part of it does not answer',
  raw: true,
  body: z.object({}).nullish(),
  reply: json,
})
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

const letter = z.enum([
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
  'email_changed',
  'phone_changed',
  'identity_linked',
  'identity_unlinked',
  'factor_added',
  'factor_removed',
  'recovery_codes_created',
  'recovery_code_used',
])
/** Carries no secret: link tokens and codes are derived from the job's id, so a retry sends the same mail under the same Message-ID. */
export const sendMail = job(
  'identity.send_mail',
  z.object({
    template: letter,
    to: z.string(),
    redirect_to: z.string().nullish(),
    verify_type: z.string().nullish(),
    pkce: z.boolean().nullish(),
    detail: z.record(z.string(), z.string()).nullish(),
  }),
  { attempts: 12 },
)
/** A code, or word of what became of an account that has no address to write to. */
export const sendSms = job('identity.send_sms', z.object({ to: z.string(), notice: letter.nullish() }), { attempts: 6 })
/** A mail that a stranger asked for. Whether the address has an account is looked at here, where nobody can time it. */
export const requestMail = job(
  'identity.request_mail',
  z.object({
    kind: z.enum(['magic_link', 'recovery', 'signup', 'email_change', 'sms', 'phone_change']),
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
