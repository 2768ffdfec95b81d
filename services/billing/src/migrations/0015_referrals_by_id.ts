/** An export reads a referrer's people by their ids. */
export const indexes = { referrals_by_id: 'on referrals (referrer_user_id, referred_user_id)' }
