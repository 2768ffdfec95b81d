/** Accesses that are still to be revoked, the oldest first. */
export const indexes = { revocations_left: 'on revocations (created_at)' }
