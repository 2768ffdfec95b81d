export const indexes = {
  // Every verifier asks once a minute who is gone: few among many.
  users_deleted: 'on users (deleted_at) where deleted_at is not null',
  erasures_newest: 'on erasures (asked_at desc, service)',
}
