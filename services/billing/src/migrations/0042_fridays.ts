/** Between two Fridays nobody is left to decide about, which the sweep finds without reading every seller. */
export const indexes = {
  seller_balances_by_friday: 'on seller_balances (friday, seller_id)',
}
