/** Finds ended periods for the hourly job. */
export const indexes = {
  subscriptions_running: "on subscriptions (period_end) where status in ('trialing', 'active', 'past_due')",
}
