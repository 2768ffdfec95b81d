export const indexes = {
  // How fast a seller answers comes from the index alone.
  threads_response: 'on threads (seller_id, answered_at desc) include (created_at) where answered_at is not null',
  // Rows to forget are found by their age.
  item_views_by_day: 'on item_views (day)',
  reports_closed: 'on reports (closed_at) where closed_at is not null',
}

export const dropped = ['threads_answered']
