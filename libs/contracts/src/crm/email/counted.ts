/** Counts of people in sequences end here, so that a list costs the same for an account of any size. No zod here: the web app shows it. */
export const COUNTED_PEOPLE = 10_000
