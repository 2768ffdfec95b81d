export const indexes = {
  // Every verifier asks once a minute who added a second factor within the life of a token.
  factors_verified: "on factors (updated_at) where status = 'verified'",
}
