/** What the hourly look for ended periods asks for. */
export const indexes = {
  subscriptions_running: "on subscriptions (period_end) where status in ('trialing', 'active', 'past_due')",
}
