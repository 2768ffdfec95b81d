/** The list of deleted accounts goes through its pages in this order. */
export const indexes = { erasures_asked: 'on erasures (asked_at, user_id, service)' }
