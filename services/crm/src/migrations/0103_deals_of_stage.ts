/** Deals that were won or lost stay in their stage, of which only the open ones had an index. */
export const indexes = { deals_of_stage: 'on deals (user_id, stage_id, id)' }
