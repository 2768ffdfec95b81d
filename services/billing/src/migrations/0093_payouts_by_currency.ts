/** The last payout of a seller in one currency, past any number in others. */
export const indexes = {
  payouts_by_currency: 'on payouts (seller_id, currency, friday desc, id desc)',
}
