/** A wish that was done is found by its key as well. */
export const indexes = { ai_approvals_wishes: 'on ai_approvals (user_id, asked_key, id desc) where asked_key is not null' }
