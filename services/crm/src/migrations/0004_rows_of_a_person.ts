/** An export goes through the rows of a person by their ids, an erasure takes them a piece at a time. */
export const indexes = {
  leads_by_id: 'on leads (user_id, id)',
  appointments_by_id: 'on appointments (user_id, id)',
  email_campaigns_by_id: 'on email_campaigns (user_id, id)',
}
