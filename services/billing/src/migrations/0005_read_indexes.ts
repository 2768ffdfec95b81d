export const indexes = {
  trial_cards_user: 'on trial_cards (user_id)',
  // Staff look an account up by id, e-mail or customer, whichever they have.
  accounts_user_text: 'on accounts ((user_id::text))',
}
