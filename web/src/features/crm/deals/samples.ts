import type { Stage } from './queries.ts'

const deal = (id: string, title: string, contact_name: string, amount: number) => ({
  ...{ id, title, contact_name, amount_cents: amount * 100, currency: 'usd', pipeline_id: 's', stage_id: 's', contact_id: null },
  ...{ expected_close: null, owner: null, state: 'open' as const, lost_reason: null, version: 1 },
  ...{ stage_since: new Date(0).toISOString(), created_at: new Date(0).toISOString() },
})
const stage = (id: string, name: string, deals: ReturnType<typeof deal>[]): Stage => ({
  ...{ id, name, deals, count: deals.length },
  totals: deals.length ? [{ currency: 'usd', amount_cents: deals.reduce((sum, { amount_cents }) => sum + amount_cents, 0) }] : [],
})

/** Deals that the board shows before the first one. Nobody here exists. */
export const sampleStages = [
  stage('s1', 'New', [
    deal('d1', 'Rossi Interiors, spring photos', 'Emily Rossi', 900),
    deal('d2', 'Okafor Logistics, van wraps', 'David Okafor', 2_150),
  ]),
  stage('s2', 'Qualified', [deal('d3', 'Harbor Labs, brand refresh', 'Michael Chen', 4_800)]),
  stage('s3', 'Proposal sent', [deal('d4', 'Northwind Studio, website', 'Sarah Lindqvist', 6_400)]),
  stage('s4', 'Negotiation', []),
]
