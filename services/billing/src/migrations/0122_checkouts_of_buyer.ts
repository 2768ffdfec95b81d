/** Those who leave are taken out of their checkouts. */
export const indexes = { sale_checkouts_of_buyer: 'on sale_checkouts (buyer_id) where buyer_id is not null' }
