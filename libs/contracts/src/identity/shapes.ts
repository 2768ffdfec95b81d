import { z } from 'zod'

// The parts of the auth protocol's requests and answers.

export const json = z.record(z.string(), z.unknown())
export const text = z.string().max(2048).nullish()
export const redirect = z.object({ redirect_to: text })
export const captcha = z.object({ captcha_token: text }).nullish()
export const challenge = { code_challenge: text, code_challenge_method: text }
export const when = z.string().nullish()

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

export const phone = z.string().max(20).nullish()
export const email = z.string().max(320).nullish()
export const password = z.string().max(1024).nullish()
export const code = z.string().max(256).nullish()
