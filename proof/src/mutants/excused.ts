/** Guards that no test can see go, each with the reason why the product behaves the same without it. */
export const excused: { file: string; text: string; why: string }[] = [
  {
    file: 'services/analytics/src/notifications/raise.ts',
    text: ".where('user_id', '=', sql<string>`any(",
    why: 'the counts come by person and each is looked up by its person: without it the answer is the same and slower',
  },
  {
    file: 'services/billing/src/referrals/referrals.ts',
    text: ".where('state', '=', 'revoked')",
    why: 'a revoked credit has one way out, to `void`, and this job alone takes it: whoever comes second writes the same',
  },
  {
    file: 'services/crm/src/calendar/appointments.ts',
    text: "interval '32 days'",
    why: 'no appointment lasts longer, so the end of each is asked for as well: without it the answer is the same and slower',
  },
  {
    file: 'services/crm/src/forms/submit.ts',
    text: ".where('user_id', '=', form.user_id)",
    why: 'the form was read by its id a moment before and never changes hands: the same row is counted without it',
  },
  {
    file: 'services/identity/src/oauth/providers.ts',
    text: 'if (!response.ok) throw',
    why: 'the body of an error has neither a token nor a person, and the next lines refuse that alike: the status is for the log',
  },
]
