/** A referrer's sums come from the index alone, and the newest credits in its order. */
export const indexes = {
  referrals_of_referrer: 'on referrals (referrer_user_id, created_at desc) include (state, credit_cents, paid_at)',
}

export const dropped = ['referrals_referrer']
