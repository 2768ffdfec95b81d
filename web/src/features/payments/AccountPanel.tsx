import { day } from '@operon/contracts/words'
import { type ReactNode, useEffect, useState } from 'react'
import { call } from '../../api/call.ts'
import { confirmed } from '../../shell/ConfirmItsYou.tsx'
import { Button } from '../../ui/Button.tsx'
import { Options, SelectField } from '../../ui/Field.tsx'
import { Alert, Panel, Pill } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import type { Address } from './address.ts'
import { countries } from './countries.ts'
import type { Account } from './queries.ts'

type Props = { account: Account; address: Address; refresh: () => Promise<unknown> }

/** Getting paid begins here, and what the payment provider still asks for is said in plain words. */
export function AccountPanel({ account, address, refresh }: Props) {
  const [country, setCountry] = useState('US')
  const [busy, setBusy] = useState(false)
  useReturn(address, refresh)
  useChecking(account.state, refresh)

  async function open() {
    setBusy(true)
    await attempt('The payment provider’s page did not open', async () => {
      const { url } = await confirmed(() => call('start-payouts', { country }, { idempotencyKey: crypto.randomUUID() }))
      location.assign(url)
    })
    setBusy(false)
  }
  const button = (words: string, variant?: 'primary') => (
    <Button variant={variant} busy={busy ? 'Opening' : false} onClick={open}>
      {words}
    </Button>
  )

  if (account.state === 'ready')
    return (
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-13 text-muted">
        <Pill tone="good">Payouts are set up</Pill>
        {account.bank_last4 ? <span>Paid on Fridays to the bank account ending in {account.bank_last4}.</span> : null}
        <Button variant="ghost" className="max-md:-ml-4" busy={busy ? 'Opening' : false} onClick={open}>
          Change bank details
        </Button>
      </p>
    )
  if (account.state === 'none')
    return (
      <Panel title="Get paid">
        <div className="flex flex-wrap items-end justify-between gap-4">
          <p className="max-w-[60ch] flex-1 basis-72 text-13 text-muted">
            Set up payouts once, in about five minutes, with your ID and bank details. They go to our payment provider and never to us. Then
            your products can be bought, you keep 80% of each sale, and what is due is paid every Friday from $50.
          </p>
          <div className="flex flex-wrap items-end gap-3">
            <SelectField label="Country" fieldClassName="w-52" value={country} onChange={(event) => setCountry(event.target.value)}>
              <Options of={countries} />
            </SelectField>
            <div className="[&>button]:md:h-9">{button('Set up payouts', 'primary')}</div>
          </div>
        </div>
      </Panel>
    )
  if (account.state === 'started')
    return (
      <Notice tone="warn" title="Your payout account is not complete" action={button('Continue setup', 'primary')}>
        Your products cannot be bought until it is.
        <Requirements account={account} />
      </Notice>
    )
  if (account.state === 'checking')
    return (
      <Notice tone="info" title="Your details are being checked">
        This usually takes a few minutes. You can leave this page; we will tell you when payouts are set up.
      </Notice>
    )
  if (account.state === 'needs_details')
    return (
      <Notice tone="warn" title="The payment provider needs more from you" action={button('Add details', 'primary')}>
        {account.deadline
          ? `Add it by ${day(account.deadline)}, or payouts stop. Until then you are paid as usual.`
          : 'You are paid as usual for now.'}
        <Requirements account={account} />
      </Notice>
    )
  return (
    <Notice tone="bad" title="Your payouts have stopped" action={account.requirements.length ? button('Add details', 'primary') : null}>
      {account.stopped_because} Your money is kept until payouts run again.
      <Requirements account={account} />
    </Notice>
  )
}

function Notice({
  tone,
  title,
  action,
  children,
}: {
  tone: 'info' | 'warn' | 'bad'
  title: string
  action?: ReactNode
  children: ReactNode
}) {
  return (
    <Alert tone={tone} className="px-4 py-3">
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="flex-1 basis-72">
          <p className="font-semibold">{title}</p>
          <div className="mt-0.5 max-w-[68ch]">{children}</div>
        </div>
        {action}
      </div>
    </Alert>
  )
}

/** Several codes may ask for the same thing: it is said once. */
function Requirements({ account }: { account: Account }) {
  const texts = [...new Set(account.requirements.map(({ text }) => text))]
  if (!texts.length) return null
  return (
    <ul className="mt-2 list-disc pl-4">
      {texts.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  )
}

/** Back from the payment provider: it is asked at once how the account stands. */
function useReturn({ back, change }: Address, refresh: () => Promise<unknown>) {
  useEffect(() => {
    if (!back) return
    change({ payouts: undefined }, true)
    if (back === 'again') toast.info('That link has expired', 'It opens once and for five minutes. Open it again from here.')
    void attempt('Your payout account could not be checked', async () => {
      await call('payout-account', { refresh: true })
      await refresh()
    })
  }, [back, change, refresh])
}

const LOOKS_EVERY_MS = 15_000
/** The provider's word may be late: while it checks, the open page asks. */
function useChecking(state: Account['state'], refresh: () => Promise<unknown>) {
  useEffect(() => {
    if (state !== 'checking') return
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') call('payout-account', { refresh: true }).then(refresh, () => {})
    }, LOOKS_EVERY_MS)
    return () => clearInterval(timer)
  }, [state, refresh])
}
