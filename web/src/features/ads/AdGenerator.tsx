import type { generateAds } from '@operon/contracts/ai-gateway/tools'
import type { Reply } from '@operon/contracts/contract'
import { texts } from '@operon/contracts/messages'
import { useQueryClient } from '@tanstack/react-query'
import { Copy, Megaphone, Sparkles, X } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { useLocation } from 'react-router-dom'
import { call } from '../../api/call.ts'
import { useSession } from '../../api/session.ts'
import { Problem } from '../../chat/Problem.tsx'
import { PromptButton } from '../../chat/PromptButton.tsx'
import { StopButton } from '../../chat/StopButton.tsx'
import { isLimit } from '../../chat/useConversation.ts'
import { PickPicture, type PublicPicture } from '../../pictures/PicturePicker.tsx'
import { here } from '../../pictures/picture.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { copyText } from '../../ui/copy.ts'
import { TextArea, TextField } from '../../ui/Field.tsx'
import { EmptyState, Panel, Pill, SamplePill, Skeleton } from '../../ui/Panel.tsx'
import { toast } from '../../ui/toast.tsx'
import { CreateAdDialog } from './CreateAdDialog.tsx'

type Ads = Reply<typeof generateAds>
type Variation = Ads['variations'][number]
type Kept = { user: string | undefined; details: string; audience: string; ads: Ads }
const KEPT = 'operon-ads'
const limits = { primary_text: 125, headline: 27, description: 30 } as const

/** `connected`: whether a variation can be created at Meta. */
export function AdGenerator({ connected }: { connected: boolean }) {
  const queries = useQueryClient()
  const { user } = useSession()
  const [kept] = useState(() => last(user?.id))
  const [details, setDetails] = useState(kept?.details ?? '')
  const [audience, setAudience] = useState(kept?.audience ?? '')
  const [missing, setMissing] = useState(false)
  const [busy, setBusy] = useState(false)
  const [ads, setAds] = useState<Ads | null>(kept?.ads ?? null)
  const [problem, setProblem] = useState<Error | null>(null)
  const [stopped, setStopped] = useState(false)
  const asking = useRef<AbortController | null>(null)
  useEffect(() => () => asking.current?.abort(), [])
  const brought = (useLocation().state as { picture?: PublicPicture } | null)?.picture
  const [picture, setPicture] = useState<PublicPicture | null>(brought ?? null)

  async function generate(event?: FormEvent) {
    event?.preventDefault()
    if (!details.trim()) {
      setMissing(true)
      return void toast.error(texts.enterDetails)
    }
    setBusy(true)
    setProblem(null)
    setStopped(false)
    asking.current = new AbortController()
    const { signal } = asking.current
    try {
      const wanted = { details: details.trim(), ...(audience.trim() && { audience: audience.trim() }) }
      const reply = await call('generate-ads', wanted, { signal })
      setAds(reply)
      if (!reply.sample) localStorage.setItem(KEPT, JSON.stringify({ user: user?.id, details, audience, ads: reply } satisfies Kept))
      if (reply.sample) toast.error(texts.adsFailed, 'Built-in sample ads are shown instead.')
      else toast.success(texts.adsGenerated)
    } catch (error) {
      if (signal.aborted) return setStopped(true)
      setProblem(error as Error)
      toast.error(texts.adsFailed)
    } finally {
      setBusy(false)
      void queries.invalidateQueries({ queryKey: ['ai-usage'] })
    }
  }

  return (
    <div className="grid grid-cols-1 items-start gap-6 pt-6 xl:grid-cols-[24rem_minmax(0,1fr)]">
      <Panel title="What to advertise">
        <form onSubmit={generate} className="flex flex-col gap-4" noValidate>
          <TextArea
            label="Product or service details"
            placeholder="What it is, for whom, the offer, the price"
            value={details}
            required
            maxLength={5000}
            error={missing ? texts.enterDetails : undefined}
            onChange={(event) => {
              setDetails(event.target.value)
              setMissing(false)
            }}
          />
          <TextField
            label="Audience"
            aside={<span className="text-12 text-faint">Optional</span>}
            value={audience}
            maxLength={500}
            onChange={(event) => setAudience(event.target.value)}
          />
          <div className="flex items-center gap-2">
            <Button type="submit" variant="primary" busy={busy ? 'Writing three ads' : false} className="flex-1">
              <Sparkles />
              Generate ads
            </Button>
            <PromptButton draft={details} onUse={setDetails} />
            {busy ? <StopButton onStop={() => asking.current?.abort()} /> : null}
          </div>
          {picture ? (
            <div className="flex items-center gap-3 text-13">
              <img src={here(picture.url)} alt={picture.alt} className="size-14 rounded-control bg-raised object-cover" />
              <p className="min-w-0 flex-1 text-muted">Shown in the ads that you create here.</p>
              <IconButton label="Take the picture out" onClick={() => setPicture(null)}>
                <X />
              </IconButton>
            </div>
          ) : (
            <PickPicture onPick={setPicture} />
          )}
          <p className="text-12 text-faint">Primary text up to 125 characters, headline 27, description 30. Longer drafts are shortened.</p>
        </form>
      </Panel>
      <div className="flex min-w-0 flex-col gap-4">
        {stopped ? <p className="text-13 text-muted">You stopped this before the ads were written.</p> : null}
        {problem ? <Problem title={texts.adsFailed} text={problem.message} retry={() => generate()} atLimit={isLimit(problem)} /> : null}
        {ads?.sample && !busy ? (
          <Problem
            title="Sample ads, not written for you"
            text="No model gave usable ads, so the three built-in samples are shown. They cannot be created as ads."
            retry={() => generate()}
          />
        ) : null}
        {busy ? (
          [0, 1, 2].map((row) => <Skeleton key={row} className="h-44" />)
        ) : ads ? (
          ads.variations.map((variation, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: three in a fixed order
            <AdCard key={index} variation={variation} number={index + 1} ads={ads} connected={connected} picture={picture} />
          ))
        ) : problem ? null : (
          <Panel flush>
            <EmptyState title="Three variations are shown here">Describe what you advertise and press Generate ads.</EmptyState>
          </Panel>
        )}
        {ads && !busy && ads.repaired > 0 && !ads.sample ? (
          <p className="text-12 text-faint">{ads.repaired} of 3 were too long at first and were shortened to fit.</p>
        ) : null}
      </div>
    </div>
  )
}

/** The last ads, which a reload must not lose: they have cost a prompt. */
function last(user: string | undefined): Kept | null {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? 'null') as Kept | null
    return kept?.user === user ? kept : null
  } catch {
    return null
  }
}

type CardProps = { variation: Variation; number: number; ads: Ads; connected: boolean; picture: PublicPicture | null }
function AdCard({ variation, number, ads, connected, picture }: CardProps) {
  const [creating, setCreating] = useState(false)
  const [made, setMade] = useState(false)
  const { primary_text, headline, description, targeting, format, tone } = variation
  return (
    <Panel
      title={`Variation ${number}`}
      badge={ads.sample ? <SamplePill /> : ads.sandbox ? <Pill>Sandbox answer</Pill> : null}
      actions={
        <span className="flex gap-2">
          <Button onClick={() => copyText([primary_text, headline, description].join('\n'), texts.adCopied)}>
            <Copy />
            <span className="max-sm:sr-only">Copy ad</span>
          </Button>
          {connected && !ads.sample ? (
            <Button onClick={() => setCreating(true)} aria-label={`Create variation ${number} as an ad`}>
              <Megaphone />
              {made ? 'Create again' : 'Create ad'}
            </Button>
          ) : null}
        </span>
      }
    >
      <dl className="flex flex-col gap-3">
        <Part label="Primary text" text={primary_text} limit={limits.primary_text} />
        <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
          <Part label="Headline" text={headline} limit={limits.headline} strong />
          <Part label="Description" text={description} limit={limits.description} />
        </div>
        <div className="grid grid-cols-1 gap-3 border-t border-line pt-3 text-12 sm:grid-cols-3">
          <Note label="Targeting" text={targeting} />
          <Note label="Format" text={format} />
          <Note label="Tone" text={tone} />
        </div>
      </dl>
      {creating ? (
        <CreateAdDialog
          ad={variation}
          picture={picture}
          onClose={() => setCreating(false)}
          onMade={() => {
            setCreating(false)
            setMade(true)
          }}
        />
      ) : null}
    </Panel>
  )
}

function Part({ label, text, limit, strong }: { label: string; text: string; limit: number; strong?: boolean }) {
  return (
    <div>
      <dt className="flex items-baseline justify-between text-12 text-faint">
        {label}
        <span className="font-mono tabular">
          {text.length} / {limit}
        </span>
      </dt>
      <dd className={strong ? 'text-14 font-semibold' : 'text-14'}>{text}</dd>
    </div>
  )
}

function Note({ label, text }: { label: string; text: string }) {
  return (
    <div>
      <dt className="text-faint">{label}</dt>
      <dd className="text-muted">{text || '–'}</dd>
    </div>
  )
}
