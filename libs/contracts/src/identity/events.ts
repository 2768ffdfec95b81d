import { z } from 'zod'
import { event, job, personal, plain, request } from '../contract.ts'
import { TRIAL_DAYS } from '../plans.ts'
import { day } from '../words.ts'
import { json } from './shapes.ts'

const person = z.object({
  email: personal(z.string()).nullable(),
  /** Its owner has opened a link or entered a code that was sent there. */
  email_verified: z.boolean().optional(),
  name: personal(z.string()).nullable(),
  referral_code: personal(z.string()).nullable(),
  role: z.enum(['seller', 'buyer']).nullable(),
  /** Until when an operator keeps the account out; null where nobody does. Absent from the version before. */
  banned_until: z.iso.datetime().nullish(),
  version: z.int(),
})

export const userCreated = event('identity.user_created', person, {
  // The newest stands on top of the inbox, so the first thing to read comes last.
  notice: (_person, product) => [
    {
      kind: 'welcome',
      about: 'welcome-lab',
      title: 'Ask four models at once',
      body: 'Compare their answers side by side in the Lab, with the time and cost of each, and continue with the best one.',
      link: '/dashboard/ai-lab',
    },
    {
      kind: 'welcome',
      about: 'welcome-trial',
      title: `Try everything free for ${TRIAL_DAYS} days`,
      body: 'Pick a plan to unlock every tool. You are charged only if you stay.',
      link: '/pricing',
    },
    {
      kind: 'welcome',
      about: 'welcome',
      title: `Welcome to ${product}`,
      body: 'Your workspace is ready. Take two minutes to see how everything fits together.',
      link: '/dashboard/how-it-works',
    },
  ],
})
export const userUpdated = event('identity.user_updated', person)
export const userDeleted = event('identity.user_deleted', z.object({ version: z.int() }))
export const userSignedIn = event('identity.user_signed_in', z.object({ method: plain(z.string()), session_id: personal(z.uuid()) }))
export const roleAssigned = event('identity.role_assigned', z.object({ role: z.enum(['seller', 'buyer']) }), {
  activity: ({ role }) => `Joined as a ${role}`,
})
/** Somebody opened a demo of their own. Each service fills in what it shows of it; the account ends by itself, as any other that is deleted. */
export const demoCreated = event(
  'identity.demo_created',
  z.object({ portal: z.enum(['seller', 'buyer']), name: personal(z.string()), ends_at: z.iso.datetime() }),
)
export const signedUp = event(
  'identity.signed_up',
  z.object({
    email: personal(z.string()),
    name: personal(z.string()),
    referral_code: personal(z.string()).nullable(),
    signup_date: z.iso.datetime(),
    accept_terms: z.boolean(),
    /** The accepted terms and when: null where they were not accepted, or no version was named. */
    terms_version: plain(z.string()).nullish(),
    terms_accepted_at: z.iso.datetime().nullish(),
    accept_marketing: z.boolean(),
  }),
  { activity: () => 'Created the account', link: () => '/dashboard/settings' },
)

export const sessionRevoked = event('identity.session_revoked', z.object({ session_id: z.uuid(), user_id: z.uuid() }), {
  delivery: 'broadcast',
})
/** Many sessions of one account ended together: all up to this id, but for the one that is kept. */
export const sessionsEnded = event('identity.sessions_ended', z.object({ user_id: z.uuid(), up_to: z.uuid(), kept: z.uuid().nullable() }), {
  delivery: 'broadcast',
})
/** Somebody took the account back: what was handed out to sign in or call with before this ends everywhere. */
export const accessReset = event(
  'identity.access_reset',
  z.object({ reason: z.enum(['first_proof', 'password_reset', 'factor_recovery']) }),
)
/** A second factor will be removed then, unless somebody stops it. */
export const factorRecoveryBegun = event('identity.factor_recovery_begun', z.object({ due_at: z.iso.datetime() }), {
  notice: ({ due_at }) => [
    {
      kind: 'security',
      title: 'Your second factor is about to be removed',
      body: `Someone who can read your email asked for this. It happens on ${day(due_at)} unless you stop it.`,
      link: '/dashboard/settings?section=security',
    },
  ],
})
const DATA = '/dashboard/settings?section=data'
/** A file of everything that is held about the person can be fetched, for so long. */
export const exportReady = event('identity.export_ready', z.object({ export_id: z.uuid(), kept_until: z.iso.datetime() }), {
  notice: ({ kept_until }) => [
    { kind: 'security', title: 'Your data is ready to download', body: `The file is kept until ${day(kept_until)}.`, link: DATA },
  ],
  email: ({ kept_until }, product) => ({
    subject: `Your ${product} data is ready to download`,
    title: 'Your data is ready to download',
    text: `The file you asked for holds everything we keep about you. You can download it in Settings until ${day(kept_until)}; after that it is deleted.`,
    label: 'Open Settings',
    path: DATA,
    after: 'If you did not ask for this, change your password and sign out the devices you do not know.',
    until: kept_until,
  }),
})
export const exportFailed = event('identity.export_failed', z.object({ export_id: z.uuid(), hours: z.int() }), {
  notice: ({ hours }) => [
    {
      kind: 'security',
      title: 'Your data export was not finished',
      body: `A part of the platform did not answer for ${hours} hours. Start a new export in Settings.`,
      link: DATA,
    },
  ],
  email: ({ hours }, product) => ({
    subject: `Your ${product} data export was not finished`,
    title: 'Your data export was not finished',
    text: `A part of the platform did not answer for ${hours} hours, so there is no file. Start a new export in Settings.`,
    label: 'Open Settings',
    path: DATA,
    after: 'Your data is unchanged, and nothing was sent anywhere.',
  }),
})
export const userSuspended = event('identity.user_suspended', z.object({ user_id: z.uuid(), suspended: z.boolean() }), {
  delivery: 'broadcast',
})
/** A user has a second factor for the first time; `since` in seconds. Tokens from before are good no longer. */
export const secondFactorAdded = event('identity.second_factor_added', z.object({ user_id: z.uuid(), since: z.int() }), {
  delivery: 'broadcast',
})
/** An API key ended; whoever remembers it forgets it. */
export const keyRevoked = event('identity.key_revoked', z.object({ key_id: z.uuid() }), { delivery: 'broadcast' })
export const keysChanged = event('identity.keys_changed', z.object({}), { delivery: 'broadcast' })

/** All that a verifier needs: public keys, the issuer, how long a token lives, recent revocations, and the current time. */
export const verification = request(
  'identity.verification',
  z.object({}),
  z.object({
    keys: z.array(z.looseObject({ kid: z.string(), alg: z.enum(['ES256', 'RS256']) })),
    issuer: z.string(),
    revoked_sessions: z.array(z.string()),
    suspended_users: z.array(z.string()),
    // Absent from the version before.
    ended_sessions: z.array(z.object({ user_id: z.string(), up_to: z.string(), kept: z.string().nullable() })).optional(),
    renew_before: z.int().optional(),
    protected_users: z.array(z.object({ id: z.string(), since: z.int() })).optional(),
    token_seconds: z.number().optional(),
    service_tokens_since: z.int().optional(),
    at: z.number().optional(),
  }),
)
/** The person behind an id, for mail and for staff. */
export const lookUpUser = request(
  'identity.user',
  z.object({ user_id: z.uuid() }),
  z.object({ id: z.uuid(), email: z.string().nullable(), name: z.string().nullable(), created_at: z.string() }).nullable(),
)

/** The accounts that carry the staff claim, for what only staff can settle. */
export const staffPeople = request('identity.staff', z.object({}), z.object({ ids: z.array(z.uuid()) }))

/** The accounts that an operator keeps out now, by id, for services that began to ask after some of these bans. */
export const keptOut = request(
  'identity.kept_out',
  z.object({ after: z.uuid().nullable() }),
  z.object({ accounts: z.array(z.object({ user_id: z.uuid(), banned_until: z.iso.datetime(), version: z.int() })), more: z.boolean() }),
)

/** How many people have an account. */
export const countPeople = request('identity.people_count', z.object({}), z.object({ people: z.int() }))

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
    /** The letter before it counts until this one goes out. */
    waits: z.boolean().nullish(),
  }),
  { attempts: 12 },
)
/** A code, or word of what became of an account that has no address to write to. */
export const sendSms = job('identity.send_sms', z.object({ to: z.string(), notice: letter.nullish() }), { attempts: 6 })
/** Word to an owner that came after the first release, in a job of its own: an older instance takes only the templates it knows. */
export const sendNotice = job(
  'identity.send_notice',
  z.object({
    template: z.enum([
      'passkey_added',
      'passkey_removed',
      'password_dropped',
      'session_copied',
      'factor_recovery_begun',
      'factor_recovery_stopped',
      'factor_recovery_done',
    ]),
    via: z.enum(['email', 'sms']),
    to: z.string(),
    /** Its link is derived from here, so that no queue holds it. */
    recovery_id: z.uuid().nullish(),
    detail: z.record(z.string(), z.string()),
  }),
  { attempts: 12 },
)
/** A mail that a stranger asked for. Whether the address has an account is looked at here, where nobody can time it. */
export const requestMail = job(
  'identity.request_mail',
  z.object({
    kind: z.enum(['magic_link', 'recovery', 'signup', 'email_change', 'sms', 'phone_change']),
    email: z.string().nullish(),
    phone: z.string().nullish(),
    create_user: z.boolean(),
    /** Sends what was sent before once more. */
    repeats: z.boolean().optional(),
    data: json,
    redirect_to: z.string().nullish(),
    code_challenge: z.string().nullish(),
    code_challenge_method: z.string().nullish(),
    ip: z.string(),
    user_agent: z.string(),
  }),
  { attempts: 12 },
)
export const finishFactorRecovery = job('identity.finish_factor_recovery', z.object({ recovery_id: z.uuid() }), { attempts: 12 })
export const makeExport = job('identity.make_export', z.object({ export_id: z.uuid() }), { attempts: 20 })
/** Goes on with what the deletion of an account with very many sign-ins left. */
export const forgetTraces = job('identity.forget_traces', z.object({ user_id: z.uuid() }), { attempts: 20 })
export const sweep = job('identity.sweep', z.object({}))
/** Takes what is older than each person's plan keeps. */
export const forgetHistory = job('identity.forget_history', z.object({}))
export const sweepDemos = job('identity.sweep_demos', z.object({}))
