import { z } from 'zod'
import { fn, id, reading } from '../contract.ts'
import { json, sessionShape } from './shapes.ts'

export const tableSync = fn('table-sync', {
  demo: 'never',
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
export const accountSessions = reading('account-sessions', {
  body: z.object({ cursor: z.string().max(100).nullish() }).nullish(),
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
    /** Where the next page begins; null on the last one. */
    cursor: z.string().nullish(),
  }),
})
export const accountSessionRevoke = fn('account-session-revoke', {
  access: 'user',
  body: z.object({ session_id: id('session') }),
  reply: z.object({ revoked: z.boolean() }),
})
export const accountAudit = reading('account-audit', {
  body: z.object({ limit: z.int().min(1).max(200).default(50), before: z.uuid().nullish() }).prefault({}),
  reply: z.object({
    entries: z.array(z.object({ id: z.uuid(), at: z.string(), action: z.string(), ip: z.string(), user_agent: z.string(), detail: json })),
  }),
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
  demo: 'never',
  access: 'user',
  halfSignedIn: true,
  rate: 'auth-strict',
  body: z.object({ code: z.string().max(64) }),
  summary: 'A recovery code in place of the second factor',
  reply: sessionShape,
})
export const accountFactorRecovery = reading('account-factor-recovery', {
  halfSignedIn: true,
  summary: 'Whether the second factor is about to be removed, and whether this session may ask for it',
  body: z.object({}).nullish(),
  reply: z.object({
    open: z
      .object({ requested_at: z.string(), due_at: z.string(), ip: z.string(), user_agent: z.string(), may_stop: z.boolean() })
      .nullable(),
    may_begin: z.boolean(),
    /** A new password is chosen with it, since somebody else may know the one of now. */
    asks_password: z.boolean(),
    hours: z.int(),
  }),
})
export const accountFactorRecoveryBegin = fn('account-factor-recovery-begin', {
  demo: 'never',
  access: 'user',
  halfSignedIn: true,
  rate: 'auth-strict',
  summary:
    'Requests removal of a second factor that is lost or not the owner’s, after a delay that is announced on every channel of the account',
  body: z.object({ password: z.string().max(1024).nullish() }),
  reply: z.object({ due_at: z.string() }),
})
export const accountFactorRecoveryStop = fn('account-factor-recovery-stop', {
  demo: 'never',
  access: 'user',
  halfSignedIn: true,
  rate: 'auth-strict',
  body: z.object({}).nullish(),
  reply: z.object({ stopped: z.boolean() }),
})
export const demoSignIn = fn('demo-sign-in', {
  access: 'public',
  rate: 'auth-strict',
  body: z.object({ portal: z.enum(['seller', 'buyer']) }),
  reply: sessionShape,
})

export const messageLimits = fn('message-limits', {
  access: 'staff',
  rate: 'read',
  summary: 'How close email and text messages are to the hourly limit of the platform, and how many wait for their turn',
  body: z.object({}).nullish(),
  reply: z.object({
    channels: z.array(
      z.object({
        channel: z.enum(['email', 'sms']),
        state: z.enum(['ok', 'near', 'full']),
        per_hour: z.int(),
        waiting: z.int(),
        longest_wait_s: z.int(),
      }),
    ),
  }),
})
