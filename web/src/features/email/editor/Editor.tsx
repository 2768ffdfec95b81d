import { findingsOf } from '@operon/contracts/crm/email/findings'
import { Redo2, Undo2 } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useDeferredValue, useMemo, useState } from 'react'
import { call } from '../../../api/call.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { Alert, Panel } from '../../../ui/Panel.tsx'
import { Tabs } from '../../../ui/Tabs.tsx'
import { attempt, toast } from '../../../ui/toast.tsx'
import { useSearch } from '../../../ui/useSearch.ts'
import { SegmentDialog } from '../audience/SegmentDialog.tsx'
import { Back } from '../Back.tsx'
import { CampaignMenu } from '../CampaignMenu.tsx'
import { type Campaign, useEmailStatus, useRefresh } from '../queries.ts'
import { BlockList } from './BlockList.tsx'
import { blockKinds, MOST_BLOCKS } from './blocks.ts'
import { Preview } from './Preview.tsx'
import { Review } from './Review.tsx'
import { Settings } from './Settings.tsx'
import { Theme } from './Theme.tsx'
import { type Saving, useDraft } from './useDraft.ts'
import { useWide } from './useWide.ts'

/** An email of a sequence: its place there, and the way back. */
type OfSequence = { title: string; back: ReactNode; onSaved: () => void }
/** A draft: its words beside what a reader will see, saved while one types. */
export function Editor({ campaign, sequence }: { campaign: Campaign; sequence?: OfSequence }) {
  const { change: go } = useSearch()
  const refresh = useRefresh()
  const own = useDraft(campaign, () => void refresh(), sequence?.onSaved)
  const { draft, change } = own
  const status = useEmailStatus().data
  const [reviewing, setReviewing] = useState(false)
  const [choosing, setChoosing] = useState(false)
  const [testing, setTesting] = useState(false)
  const [shown, setShown] = useState<string | null>(null)
  const [view, setView] = useState<'write' | 'preview'>('write')
  const isWide = useWide()
  const seen = useDeferredValue(draft)
  const warned = useMemo(
    () => new Map(findingsOf(seen.subject, seen.document).flatMap(({ block_id, text }) => (block_id ? [[block_id, text] as const] : []))),
    [seen.subject, seen.document],
  )
  const sender =
    status?.senders.find(({ sender_id }) => sender_id === draft.sender_id) ?? status?.senders.find(({ is_default }) => is_default)

  async function test() {
    setTesting(true)
    await attempt('The test email was not sent', async () => {
      if (!(await own.save())) throw new Error('The draft could not be saved first.')
      const { to } = await call('send-test-campaign', { campaign_id: campaign.campaign_id })
      toast.success('Test email sent', `It is on its way to ${to}.`)
    })
    setTesting(false)
  }
  async function review() {
    if (await own.save()) setReviewing(true)
  }
  function onKeyDown(event: KeyboardEvent) {
    if (!(event.metaKey || event.ctrlKey) || event.altKey || event.defaultPrevented) return
    const key = event.key.toLowerCase()
    if (key === 'z' && event.shiftKey) own.redo()
    else if (key === 'z') own.undo()
    else if (key === 'y') own.redo()
    else if (key === 's') void own.save()
    else return
    event.preventDefault()
  }

  const writing = (
    <div className="flex min-w-0 flex-col gap-4">
      <Settings own={own} status={status} onChoose={() => setChoosing(true)} emailOnly={Boolean(sequence)} />
      <Panel title="Content">
        <BlockList
          blocks={draft.document.blocks}
          kinds={blockKinds}
          most={MOST_BLOCKS}
          label="Blocks of the email"
          warned={warned}
          shown={shown}
          onChange={(blocks, field) => change({ document: { ...draft.document, blocks } }, field)}
        />
      </Panel>
      <Theme document={draft.document} onChange={(theme) => change({ document: { ...draft.document, theme } }, 'theme')} />
    </div>
  )
  const preview = <Preview document={seen.document} subject={seen.subject} sender={sender && `${sender.name} <${sender.email}>`} />
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Ctrl Z and Ctrl S are the editor's, wherever the focus is in it
    <div onKeyDown={onKeyDown}>
      {sequence?.back ?? <Back />}
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 pb-4">
        <div className="min-w-0 flex-1 basis-64">
          {sequence ? (
            <h1 className="text-28 font-semibold">{sequence.title}</h1>
          ) : (
            <>
              <h1 className="sr-only">{draft.name}</h1>
              <input
                aria-label="Name of the campaign"
                value={draft.name}
                maxLength={120}
                onChange={(event) => change({ name: event.target.value }, 'name')}
                className="-mx-2 w-full rounded-control border border-transparent bg-transparent px-2 text-28 font-semibold hover:border-control focus:border-signal-text focus:outline-none"
              />
            </>
          )}
          <SaveLine saving={own.saving} empty={!draft.name.trim()} onRetry={own.save} />
        </div>
        <div className="flex flex-wrap items-center gap-2">
          <IconButton label="Undo" hint="Ctrl Z" disabled={!own.canUndo} onClick={own.undo}>
            <Undo2 />
          </IconButton>
          <IconButton label="Redo" hint="Ctrl Shift Z" disabled={!own.canRedo} onClick={own.redo}>
            <Redo2 />
          </IconButton>
          {sequence ? null : (
            <CampaignMenu
              of={{ ...campaign, name: draft.name }}
              onCopied={(id) => go({ campaign: id })}
              onGone={() => go({ campaign: undefined }, true)}
            />
          )}
          <span className="flex gap-2 max-sm:w-full">
            <Button className="max-sm:flex-1" busy={testing ? 'Sending' : false} onClick={test}>
              Send a test
            </Button>
            {sequence ? null : (
              <Button variant="primary" className="max-sm:flex-1" onClick={review}>
                Review and send
              </Button>
            )}
          </span>
        </div>
      </div>
      {own.saving.state === 'conflict' ? (
        <Alert tone="warn" title="This draft was changed in another window" className="mb-4">
          <p>Choose which of the two stays.</p>
          <p className="mt-2 flex flex-wrap gap-2">
            <Button onClick={() => attempt('The other version could not be loaded', own.takeTheirs)}>Load the other version</Button>
            <Button onClick={() => attempt('The draft was not saved', own.keepMine)}>Keep this version</Button>
          </p>
        </Alert>
      ) : null}
      {isWide ? (
        <div className="grid grid-cols-[minmax(20rem,26rem)_minmax(0,1fr)] items-start gap-6">
          {writing}
          <div className="sticky top-20">{preview}</div>
        </div>
      ) : (
        <Tabs
          label="Campaign"
          value={view}
          onChange={setView}
          tabs={[
            { id: 'write', label: 'Write', panel: <div className="pt-4">{writing}</div> },
            { id: 'preview', label: 'Preview', panel: <div className="pt-4">{preview}</div> },
          ]}
        />
      )}
      {choosing ? (
        <SegmentDialog
          of={null}
          tree={draft.segment}
          onClose={() => setChoosing(false)}
          onUse={(segment, segment_id) => change({ segment, segment_id }, 'segment')}
        />
      ) : null}
      {reviewing ? (
        <Review
          campaign={{ ...campaign, name: draft.name, reader_hour: draft.reader_hour }}
          onClose={() => setReviewing(false)}
          onFix={(block) => {
            setReviewing(false)
            setView('write')
            setShown(null)
            requestAnimationFrame(() => setShown(block))
          }}
        />
      ) : null}
    </div>
  )
}

const savingWords = { saved: 'Saved', waiting: 'Saving', saving: 'Saving', conflict: 'Not saved' } as const
function SaveLine({ saving, empty, onRetry }: { saving: Saving; empty: boolean; onRetry: () => void }) {
  if (empty) return <p className="text-12 text-bad">A campaign needs a name.</p>
  if (saving.state !== 'failed')
    return (
      <p role="status" className="text-12 text-faint">
        {savingWords[saving.state]}
      </p>
    )
  return (
    <p role="alert" className="flex flex-wrap items-center gap-2 text-12 text-bad">
      Not saved: {saving.message}
      <button type="button" className="underline underline-offset-4" onClick={onRetry}>
        Try again
      </button>
    </p>
  )
}
