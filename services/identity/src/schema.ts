import type { Erased, Erasing } from '@operon/contracts/erasure'
import type { PaceDb } from '@operon/kit/mail/paces'
import type { Place } from '@operon/kit/personal-data'
import type { ColumnType, Generated } from 'kysely'

/** The last place is where all is written: `part` is null. */
export type ExportPart = Erasing | 'identity'
export type ExportPlace = { part: ExportPart | null; from: Place | null; list: string | null; filled: boolean; begun: boolean }

type Json = ColumnType<Record<string, any>, string, string>
type At = Date | null

export type OneTimeType =
  | 'confirmation'
  /** Of a letter that is not sent yet: it counts once it goes out. */
  | 'confirmation_waiting'
  | 'recovery'
  | 'email_change_current'
  | 'email_change_new'
  | 'sms'
  | 'phone_change'
  | 'reauthentication'

/** The data of a sign-up, kept with the letter or message that confirms it. It takes effect only when that one is opened. */
export type Claim = {
  password_hash?: string
  data?: Record<string, unknown>
  identity_id?: string
  /** Another password was set before for the same unproven address: whose this one is cannot be told, so it is not kept. */
  rival?: true
}

export type IdentityDb = PaceDb & {
  users: {
    id: string
    email: string | null
    phone: string | null
    password_hash: string | null
    email_confirmed_at: At
    /** Somebody opened a mail sent to it, or a provider vouched: autoconfirm alone is no proof. */
    email_proven: Generated<boolean>
    phone_confirmed_at: At
    invited_at: At
    confirmation_sent_at: At
    recovery_sent_at: At
    email_change: string | null
    email_change_sent_at: At
    /** The addresses that have agreed to the change: 1 the current one, 2 the new one. */
    email_change_confirmed: Generated<number>
    phone_change: string | null
    phone_change_sent_at: At
    reauthentication_sent_at: At
    last_sign_in_at: At
    app_metadata: Json
    user_metadata: Json
    is_anonymous: Generated<boolean>
    /** The terms that the person accepted, and when the server learned of it. */
    terms_version: string | null
    terms_accepted_at: At
    banned_until: At
    /** When a visitor's demo ends; null for everybody's own account. */
    demo_ends_at: At
    deleted_at: At
    version: Generated<number>
    created_at: Generated<Date>
    updated_at: Generated<Date>
  }
  identities: {
    id: string
    user_id: string
    provider: string
    provider_id: string
    identity_data: Json
    last_sign_in_at: At
    created_at: Generated<Date>
    updated_at: Generated<Date>
  }
  sessions: {
    id: string
    user_id: string
    /** The newest refresh token's number. Its parent may be tried again; anything older is a theft. */
    counter: Generated<number>
    aal: Generated<'aal1' | 'aal2'>
    amr: ColumnType<{ method: string; timestamp: number }[], string, string>
    factor_id: string | null
    user_agent: string
    ip: string
    /** How much a second party shows: in this generation of the token, and in those right before it. */
    echo: Generated<number>
    echoes: Generated<number>
    created_at: Generated<Date>
    refreshed_at: Generated<Date>
    revoked_at: At
  }
  /** Accounts of which many sessions ended together: those up to an id, but for the one that was kept. */
  ended_sessions: { user_id: string; up_to: string; kept: string | null; at: Date }
  factors: {
    id: string
    user_id: string
    friendly_name: string
    factor_type: string
    status: Generated<'verified' | 'unverified'>
    /** Of an app that makes codes; a device's key is in `credential`, and is no secret. */
    sealed_secret: string | null
    credential: ColumnType<
      { credential_id: string; public_key: string; counter: number; transports: string[] } | null,
      string | null | undefined,
      string
    >
    /** The newest time step whose code was used: a code works once. */
    last_step: Generated<number>
    last_challenged_at: At
    created_at: Generated<Date>
    updated_at: Generated<Date>
  }
  factor_challenges: {
    id: string
    factor_id: string
    ip: string
    expires_at: Date
    used_at: At
    attempts: Generated<number>
    challenge?: string | null
  }
  passkeys: {
    id: string
    user_id: string
    credential_id: string
    public_key: Buffer
    counter: number
    transports: string[]
    friendly_name: string
    /** How far the session was signed in that added it. */
    aal: 'aal1' | 'aal2'
    created_at: Generated<Date>
    last_used_at: At
  }
  passkey_challenges: { id: string; user_id: string | null; challenge: string; expires_at: Date }
  /** A second factor that mail is about to remove: after a delay, unless somebody stops it. */
  factor_recoveries: {
    id: string
    user_id: string
    session_id: string
    stop_hash: string
    due_at: Date
    closed_at: At
    outcome: 'removed' | 'stopped' | null
    ip: string
    user_agent: string
    created_at: Generated<Date>
  }
  recovery_codes: { user_id: string; code_hash: string; used_at: At; created_at: Generated<Date> }
  one_time_tokens: {
    id: string
    user_id: string
    type: OneTimeType
    /** The address that the code was sent to. */
    relates_to: string
    token_hash: string
    code_hash: string
    attempts: Generated<number>
    /** Sign-ins that end in a code for a PKCE client. */
    flow_id: string | null
    claim: ColumnType<Claim | null, string | null | undefined, string | null>
    expires_at: Date
    created_at: Generated<Date>
  }
  flows: {
    id: string
    kind: 'mail' | 'oauth'
    method: string
    provider: string | null
    user_id: string | null
    /** Linking: the account that a further identity is added to. */
    link_user_id: string | null
    redirect_to: string
    code_challenge: string | null
    code_challenge_method: string | null
    code_hash: string | null
    sealed_verifier: string | null
    browser_hash: string | null
    sealed_provider_tokens: string | null
    expires_at: Date
    used_at: At
    created_at: Generated<Date>
  }
  /** API keys of people's own; of each only the hash. */
  ai_keys: {
    id: string
    user_id: string
    name: string
    prefix: string
    hash: string
    scopes: string[]
    monthly_prompts: number | null
    created_at: Generated<Date>
    last_used_at: At
    expires_at: At
    revoked_at: At
  }
  /** Apps that registered themselves to act for people at /mcp. */
  oauth_clients: { id: string; name: string; uri: Generated<string>; redirect_uris: string[]; created_at: Generated<Date>; used_at: At }
  /** An app's request to a person, then the code it led to. */
  oauth_requests: {
    id: string
    client_id: string
    user_id: string | null
    redirect_uri: string
    scopes: string[]
    state: string | null
    resource: string
    code_challenge: string
    code_hash: string | null
    decided_at: At
    used_at: At
    grant_id: string | null
    expires_at: Date
  }
  /** A person's permission for an app, with the hashes of its newest refresh token and the one before. */
  oauth_grants: {
    id: string
    user_id: string
    client_id: string
    scopes: string[]
    resource: string
    refresh_hash: string
    previous_hash: string | null
    created_at: Generated<Date>
    refreshed_at: Generated<Date>
    revoked_at: At
  }
  signing_keys: { kid: string; alg: string; public_jwk: Json; sealed_private: string; created_at: Generated<Date> }
  /** One row, once service_role tokens were taken back: those from before are good no longer. */
  service_tokens: { one: Generated<boolean>; good_since: Date }
  user_roles: { user_id: string; role: 'seller' | 'buyer'; created_at: Generated<Date> }
  sign_up_records: { user_id: string; record: Json; created_at: Generated<Date> }
  /** Work that other services still owe for a deleted account. */
  erasures: {
    user_id: string
    service: Erasing
    asked_at: Generated<Date>
    last_asked_at: Generated<Date>
    due_at: Date
    erased_at: At
    report: ColumnType<Erased | null, string | undefined, string>
  }
  /** Files of everything that is held about a person. */
  exports: {
    id: string
    user_id: string
    state: Generated<'working' | 'ready' | 'failed' | 'dropped'>
    /** Where to read on. */
    place: ColumnType<ExportPlace, string, string>
    /** The run that writes it: one that finds another here stops. */
    run: string | null
    /** The finished parts, each as a file of its own. */
    files: Generated<string[]>
    rows: Generated<number>
    bytes: Generated<number>
    waiting_for: ExportPart | null
    waiting_since: At
    created_at: Generated<Date>
    finished_at: At
    kept_until: At
  }
  audit_log: {
    id: string
    user_id: string | null
    action: string
    actor: string
    ip: string
    user_agent: string
    detail: Json
    at: Generated<Date>
  }
}
