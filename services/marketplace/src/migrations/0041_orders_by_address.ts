/** A search for an address goes by its beginning, since parts of addresses stand in every other order. */
export const indexes = {
  orders_of_seller_by_address: 'on orders (seller_id, lower(email) text_pattern_ops, id desc) where email is not null',
}
