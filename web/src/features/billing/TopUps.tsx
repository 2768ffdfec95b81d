import type { listTopUps } from '@operon/contracts/billing/top-ups'
import type { Reply } from '@operon/contracts/contract'
import type { TopUpUnit } from '@operon/contracts/plans'
import { topUpName, topUpTitle } from '@operon/contracts/words'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { openInNewTab } from '../../api/billing.ts'
import { call } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { Confirm } from '../../ui/Dialog.tsx'
import { day, money } from '../../ui/format.ts'
import { Asked, Panel, Pill } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import { topUpsKey, useTopUps } from './queries.ts'

type TopUp = Reply<typeof listTopUps>['top_ups'][number]

/** More of a unit, bought once: what can be bought, and what is left of what was. */
export function TopUps({ userId }: { userId: string }) {
  const queries = useQueryClient()
  const list = useTopUps(userId)
  const [busy, setBusy] = useState<TopUpUnit>()
  const [returning, setReturning] = useState<TopUp>()

  async function buy(unit: TopUpUnit) {
    setBusy(unit)
    const failed = await openInNewTab(async () => (await call('buy-top-up', { unit })).url)
    setBusy(undefined)
    if (failed) return toast.error('The checkout was not opened', failed.message)
    toast.info('The checkout has opened in a new tab', 'This page updates when you come back to it.')
  }
  async function giveBack({ id }: TopUp) {
    await attempt('The top-up was not refunded', async () => {
      const { amount_cents, currency } = await call('refund-top-up', { top_up_id: id })
      toast.success(`${money(amount_cents, currency)} is on its way back`, 'Banks take a few days to show it.')
    })
    await queries.invalidateQueries({ queryKey: topUpsKey(userId) })
    await queries.invalidateQueries({ queryKey: ['invoices', userId] })
  }

  return (
    <div className="px-5 pb-8 md:px-8 md:pb-10">
      <Panel title="Top-ups" flush className="text-14">
        <p className="px-4 py-3 text-13 text-muted">
          Buy more once, without a larger plan. The allowance of the month is used first, and a top-up does not expire. Each unit comes with
          its share of model cost: a very long answer or a large picture can use more than one.
        </p>
        <Asked query={list} skeleton="m-4 h-24" failed="Top-ups could not be loaded" />
        <ul className="divide-y divide-line border-t border-line">
          {list.data?.offers.map((offer) => (
            <li key={offer.unit} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-3">
              <span className="font-medium first-letter:uppercase">{topUpTitle(offer)}</span>
              <span className="flex items-center gap-4">
                <span className="font-mono text-12 tabular">{money(offer.amount_cents, offer.currency)}</span>
                <Button busy={busy === offer.unit} onClick={() => buy(offer.unit)}>
                  Buy <span className="sr-only">{topUpTitle(offer)}</span>
                </Button>
              </span>
            </li>
          ))}
        </ul>
        {list.data?.top_ups.length ? (
          <section className="border-t border-line px-4 py-3">
            <h3 className="text-13 font-semibold">Bought</h3>
            <ul className="divide-y divide-line text-13">
              {list.data.top_ups.map((each) => (
                <li key={each.id} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 py-2">
                  <span className="min-w-0">
                    {each.left.toLocaleString('en-US')} of {each.units.toLocaleString('en-US')} {topUpName[each.unit]} left
                    <span className="block text-12 text-faint">
                      {day(each.bought_at)}, {money(each.amount_cents, each.currency)}
                      {each.refunded_cents > 0 ? `, ${money(each.refunded_cents, each.currency)} refunded` : ''}
                      {each.refund_cents ? `. Refundable until ${day(each.refundable_until)}` : ''}
                    </span>
                  </span>
                  {each.state === 'held' ? <Pill tone="warn">Disputed</Pill> : null}
                  {each.state === 'refunding' ? <Pill tone="warn">Refund on its way</Pill> : null}
                  {each.state === 'closed' ? <Pill tone="neutral">Ended</Pill> : null}
                  {each.refund_cents ? (
                    <Button variant="ghost" onClick={() => setReturning(each)}>
                      Refund {money(each.refund_cents, each.currency)}
                    </Button>
                  ) : null}
                </li>
              ))}
            </ul>
            {list.data.more ? <p className="py-2 text-12 text-faint">These are your newest {list.data.top_ups.length} top-ups.</p> : null}
          </section>
        ) : null}
      </Panel>
      {returning ? (
        <Confirm
          open
          onClose={() => setReturning(undefined)}
          title="Refund what is left?"
          action="Refund"
          keep="Keep it"
          danger
          onConfirm={() => giveBack(returning)}
        >
          About {money(returning.refund_cents ?? 0, returning.currency)} goes back to the card that paid, for the{' '}
          {topUpName[returning.unit]} you have not used. They are gone at once, and this cannot be undone.
        </Confirm>
      ) : null}
    </div>
  )
}
