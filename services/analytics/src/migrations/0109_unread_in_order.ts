/** The unread ones in the order of their pages: among all, one goes past everything that was read. */
export const indexes = { notifications_unread_newest: 'on notifications (user_id, created_at desc, id desc) where read_at is null' }
export const dropped = ['notifications_unread']
