export const indexes = {
  ledger_entries_of_sale: 'on ledger_entries (sale_id, id) where sale_id is not null',
}
