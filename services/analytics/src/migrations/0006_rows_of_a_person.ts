/** An export goes through the rows of a person by their ids, an erasure takes them a piece at a time. */
export const indexes = {
  facts_by_id: 'on facts (user_id, event_id)',
  activity_logs_by_id: 'on activity_logs (user_id, id)',
  notifications_by_id: 'on notifications (user_id, id)',
}
