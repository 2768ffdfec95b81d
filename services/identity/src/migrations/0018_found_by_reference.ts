/** Indexes for rows that are deleted with a flow, a factor or a person: a sweep read these tables once for every row it removed. */
export const indexes = {
  factor_challenges_factor: 'on factor_challenges (factor_id)',
  flows_user: 'on flows (user_id) where user_id is not null',
  flows_link_user: 'on flows (link_user_id) where link_user_id is not null',
  one_time_tokens_flow: 'on one_time_tokens (flow_id) where flow_id is not null',
}
