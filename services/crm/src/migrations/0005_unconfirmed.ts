export const indexes = {
  newsletter_subscribers_unconfirmed: "on newsletter_subscribers (confirm_expires_at) where status = 'pending'",
}
