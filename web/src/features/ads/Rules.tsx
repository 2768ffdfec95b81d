import { type FormEvent, useState } from 'react'
import { call } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { Options, SelectField, TextField } from '../../ui/Field.tsx'
import { ago, money } from '../../ui/format.ts'
import { Asked, Panel, Pill } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import { type AdRow, useAdRules, useAdsRefresh } from './queries.ts'

/** "Pause it when a result costs more than this." */
export function Rules({ campaigns, currency }: { campaigns: AdRow[]; currency: string }) {
  const asked = useAdRules()
  const refresh = useAdsRefresh()
  const [campaign, setCampaign] = useState(campaigns[0]?.id ?? '')
  const [most, setMost] = useState('')
  const [busy, setBusy] = useState(false)
  const cents = Math.round(Number(most) * 100)

  async function add(event: FormEvent) {
    event.preventDefault()
    setBusy(true)
    await attempt('The rule was not added', async () => {
      await call('create-ad-rule', { campaign_id: campaign, most_cents: cents }, { idempotencyKey: crypto.randomUUID() })
      setMost('')
      toast.success('The rule is watching')
      await refresh()
    })
    setBusy(false)
  }
  const remove = (rule_id: string) =>
    attempt('The rule was not deleted', async () => {
      await call('delete-ad-rule', { rule_id }, { idempotencyKey: crypto.randomUUID() })
      await refresh()
    })

  return (
    <Panel title="Automatic pause" flush>
      <Asked query={asked} skeleton="m-4 h-12" failed="Your rules could not be loaded" />
      <ul className="divide-y divide-line">
        {asked.data?.rules.map((rule) => (
          <li key={rule.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 text-13">
            <span className="min-w-0 flex-1">
              Pause <span className="font-medium">{rule.campaign}</span> when a result costs more than{' '}
              {money(rule.most_cents, rule.currency)}
              <span className="block text-12 text-faint">
                {rule.checked_at
                  ? `Checked ${ago(rule.checked_at) === 'now' ? 'just now' : `${ago(rule.checked_at)} ago`}: ${rule.last_cents === null ? 'nothing spent in 7 days' : `${money(Math.round(rule.last_cents), rule.currency)} in 7 days`}`
                  : 'Not checked yet'}
              </span>
            </span>
            <Pill tone={rule.state === 'applied' ? 'warn' : 'neutral'}>{rule.state === 'applied' ? 'Paused it' : 'Watching'}</Pill>
            <Button variant="ghost" aria-label={`Delete the rule of ${rule.campaign}`} onClick={() => remove(rule.id)}>
              Delete
            </Button>
          </li>
        ))}
      </ul>
      {campaigns.length ? (
        <form onSubmit={add} noValidate className="flex flex-wrap items-end gap-3 border-t border-line p-4">
          <SelectField label="Campaign" value={campaign} onChange={(event) => setCampaign(event.target.value)}>
            <Options of={campaigns.map(({ id, name }) => [id, name])} />
          </SelectField>
          <TextField
            label={`Most for a result, in ${currency}`}
            inputMode="decimal"
            value={most}
            onChange={(event) => setMost(event.target.value)}
          />
          <Button type="submit" busy={busy} disabled={!campaign || !(cents >= 1)}>
            Add rule
          </Button>
          <p className="basis-full text-12 text-faint">
            Checked every ten minutes over the last 7 days, once the campaign has spent at least this much. You are notified when it is
            paused.
          </p>
        </form>
      ) : null}
    </Panel>
  )
}
