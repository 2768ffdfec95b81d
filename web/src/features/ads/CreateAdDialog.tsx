import { texts } from '@operon/contracts/messages'
import { useState } from 'react'
import { call, useCall } from '../../api/call.ts'
import type { PublicPicture } from '../../pictures/PicturePicker.tsx'
import { here } from '../../pictures/picture.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Field.tsx'
import { money } from '../../ui/format.ts'
import { Alert, Skeleton } from '../../ui/Panel.tsx'
import { toast } from '../../ui/toast.tsx'
import { useAdsRefresh } from './queries.ts'

type Ad = { primary_text: string; headline: string; description: string; targeting?: string; format?: string; tone?: string }

type Props = { ad: Ad; picture: PublicPicture | null; onClose: () => void; onMade: () => void }

/** Shows what the ad would spend, then creates it paused. */
export function CreateAdDialog({ ad, picture, onClose, onMade }: Props) {
  const refresh = useAdsRefresh()
  const [budget, setBudget] = useState('10')
  const [link, setLink] = useState('')
  const [country, setCountry] = useState('US')
  const [key, setKey] = useState(() => crypto.randomUUID())
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const cents = Math.round(Number(budget) * 100)
  const wrong = {
    budget: Number.isFinite(cents) && cents >= 100 ? undefined : 'At least 1.00',
    link: !link || /^https:\/\/\S+\.\S+/.test(link) ? undefined : 'Begins with https://',
    country: /^[A-Z]{2}$/.test(country) ? undefined : 'Two letters, as US',
  }
  const fits = !wrong.budget && !wrong.link && !wrong.country
  const adData = {
    primary_text: ad.primary_text,
    headline: ad.headline,
    description: ad.description,
    ...(picture && { picture: picture.url }),
    ...(ad.targeting && { targeting: ad.targeting.slice(0, 500) }),
    ...(ad.format && { format: ad.format.slice(0, 100) }),
    ...(ad.tone && { tone: ad.tone.slice(0, 100) }),
  }
  const body = { adData, daily_budget_cents: cents, country, ...(link && { link }) }
  const asked = useCall('preview-ad', body, { enabled: fits, retry: false, placeholderData: (before) => before })
  const change = (set: (value: string) => void) => (event: { target: { value: string } }) => {
    set(event.target.value)
    setProblem(null)
    setKey(crypto.randomUUID())
  }

  async function create() {
    setBusy(true)
    setProblem(null)
    try {
      await call('meta-ads-create', body, { idempotencyKey: key })
      toast.success(texts.adCreated, 'It is paused. Resume its campaign, ad set and ad when it should run.')
      await refresh()
      onMade()
    } catch (error) {
      toast.error(texts.adCreateFailed)
      setProblem((error as Error).message)
      setBusy(false)
    }
  }

  return (
    <Dialog
      open
      onClose={onClose}
      title="Create this ad on Meta"
      description={ad.headline}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" busy={busy ? 'Creating' : false} disabled={!fits || !asked.data} onClick={create}>
            Create it paused
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4 text-13">
        {problem ? <Alert title={texts.adCreateFailed}>{problem}</Alert> : null}
        {picture ? <img src={here(picture.url)} alt={picture.alt} className="max-h-40 self-start rounded-control object-contain" /> : null}
        <TextField
          label={`Daily budget${asked.data ? ` in ${asked.data.currency}` : ''}`}
          inputMode="decimal"
          value={budget}
          error={wrong.budget}
          onChange={change(setBudget)}
        />
        <TextField
          label="Where a click leads"
          aside={<span className="text-12 text-faint">Your Facebook page if empty</span>}
          placeholder="https://"
          value={link}
          error={wrong.link}
          onChange={change(setLink)}
        />
        <TextField
          label="Country it is shown in"
          value={country}
          maxLength={2}
          error={wrong.country}
          onChange={change((value) => setCountry(value.toUpperCase()))}
        />
        {asked.isPending && fits ? <Skeleton className="h-16" /> : null}
        {asked.isError ? <Alert title="Meta was not asked">{asked.error.message}</Alert> : null}
        {asked.data && fits ? (
          <Alert
            tone="info"
            title={`Spends nothing now. Up to ${money(asked.data.daily_cents, asked.data.currency)} a day once you resume it`}
          >
            That is {money(asked.data.monthly_cents, asked.data.currency)} in 30 days, from {asked.data.account}, under the page{' '}
            {asked.data.page}.
          </Alert>
        ) : null}
      </div>
    </Dialog>
  )
}
