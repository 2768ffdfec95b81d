/** An export goes through the rows of a person by their ids, an erasure takes them a piece at a time. */
export const indexes = {
  ledger_entries_by_id: 'on ledger_entries (user_id, id)',
  provider_calls_by_id: 'on provider_calls (user_id, id)',
  staff_actions_by_id: 'on staff_actions (user_id, id)',
}
