/** An export goes through the rows of a person by their ids, an erasure takes them a piece at a time. */
export const indexes = {
  ai_conversations_by_id: 'on ai_conversations (user_id, id)',
  ai_comparisons_by_id: 'on ai_comparisons (user_id, id)',
  ai_prompts_by_id: 'on ai_prompts (user_id, id)',
  ai_actions_by_id: 'on ai_actions (user_id, id)',
  ai_usage_by_id: 'on ai_usage (user_id, id)',
}
