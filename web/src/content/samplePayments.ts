// Shown on the payments page while an account has sold nothing, always with the badge; never sent, counted or exported.
// The figures agree: a seller keeps 80 percent, and each share is in exactly one part of the balance or in a payout.

type SampleTransaction = {
  id: string
  customer: string
  amount_cents: number
  status: 'completed' | 'pending' | 'failed'
  method: string
  date: string
  description: string
}
type SamplePayout = { id: string; amount_cents: number; status: 'paid' | 'scheduled' | 'pending'; date: string }

export const sampleTransactions: SampleTransaction[] = [
  {
    ...{ id: 'TXN-1006', customer: 'Priya Nair', amount_cents: 4900, status: 'completed', method: 'card •••• 4242' },
    ...{ date: '2026-11-18', description: 'Lead qualification' },
  },
  {
    ...{ id: 'TXN-1005', customer: 'Sam Ortega', amount_cents: 9900, status: 'pending', method: 'bank transfer' },
    ...{ date: '2026-11-17', description: 'Email course in five lessons' },
  },
  {
    ...{ id: 'TXN-1004', customer: 'Lena Fischer', amount_cents: 1900, status: 'failed', method: 'card •••• 0341' },
    ...{ date: '2026-11-16', description: 'Invoice reminders that stay polite' },
  },
  {
    ...{ id: 'TXN-1003', customer: 'Tom Becker', amount_cents: 7900, status: 'completed', method: 'card •••• 1881' },
    ...{ date: '2026-11-14', description: 'Client onboarding checklist' },
  },
  {
    ...{ id: 'TXN-1002', customer: 'Grace Kim', amount_cents: 12900, status: 'completed', method: 'card •••• 5556' },
    ...{ date: '2026-11-10', description: 'Booking assistant' },
  },
  {
    ...{ id: 'TXN-1001', customer: 'Omar Haddad', amount_cents: 14900, status: 'completed', method: 'card •••• 4242' },
    ...{ date: '2026-10-24', description: 'Store launch kit' },
  },
]
export const samplePayouts: SamplePayout[] = [
  { id: 'PO-203', amount_cents: 6320, status: 'scheduled', date: '2026-11-27' },
  { id: 'PO-202', amount_cents: 10320, status: 'pending', date: '2026-11-20' },
  { id: 'PO-201', amount_cents: 11920, status: 'paid', date: '2026-11-06' },
]
export const sampleBalance = { held_cents: 3920, due_cents: 6320, on_its_way_cents: 10320, owed_cents: 0, reserved_cents: 0 }
export const sampleNext = {
  date: '2026-11-27',
  amount_cents: 6320,
  why: ['$63.20 is paid out on November 27, 2026.', '$39.20 is held for seven days after delivery.', '$103.20 is on its way to your bank.'],
}
