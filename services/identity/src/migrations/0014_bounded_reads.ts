/** The devices of an account in their order, and what the sweep looks for. Long logs are swept by their ids, which rise with time. */
export const indexes = {
  sessions_open: 'on sessions (user_id, id desc) where revoked_at is null',
  one_time_tokens_expired: 'on one_time_tokens (expires_at)',
  flows_expired: 'on flows (expires_at)',
  factor_challenges_expired: 'on factor_challenges (expires_at)',
  factors_unverified: "on factors (created_at) where status = 'unverified'",
  factor_recoveries_closed: 'on factor_recoveries (closed_at) where closed_at is not null',
  erasures_done: 'on erasures (erased_at) where erased_at is not null',
  ai_keys_revoked: 'on ai_keys (revoked_at) where revoked_at is not null',
}
