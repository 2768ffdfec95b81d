/** Few endpoints have a secret that is about to end. */
export const indexes = {
  webhook_endpoints_old_secret: 'on webhook_endpoints (old_secret_until) where old_secret_until is not null',
}
