import { Plus, X } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { call, useCall } from '../../../api/call.ts'
import { Button, IconButton } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Options, SelectField, TextField } from '../../../ui/Field.tsx'
import { FieldInput } from '../../../ui/OwnField.tsx'
import { typedAs, typedOf, useFields } from '../../../ui/ownFields.ts'
import { Alert } from '../../../ui/Panel.tsx'
import { attempt } from '../../../ui/toast.tsx'
import { newKey, type Segment, type SegmentTree, useCampaigns, useRefresh, useSegmentPreview } from '../queries.ts'
import { count, counted } from '../words.ts'
import {
  type Condition,
  type Field,
  fieldNames,
  type Group,
  isGroup,
  isReady,
  newCondition,
  type Part,
  statuses,
  temperatures,
  verbs,
} from './tree.ts'

const MOST = 20
type Props = {
  /** The saved one that is changed. */
  of: Segment | null
  tree: SegmentTree
  onClose: () => void
  /** Chooses it for a campaign, with or without saving it under a name. */
  onUse?: (tree: SegmentTree, id: string | null) => void
}

/** Conditions, with how many fit and who the first are, counted as one builds. */
export function SegmentDialog({ of, tree: given, onClose, onUse }: Props) {
  const [tree, setTree] = useState<SegmentTree>(given.conditions.length ? given : { match: 'all', conditions: [newCondition('tag')] })
  const [name, setName] = useState(of?.name ?? '')
  const [busy, setBusy] = useState(false)
  const refresh = useRefresh()
  const ready = isReady(tree)
  const asked = useDeferredValue(tree)
  const found = useSegmentPreview(asked, isReady(asked))

  async function save() {
    setBusy(true)
    const done = await attempt('The segment was not saved', async () => {
      const saved = await call('save-segment', { ...(of && { segment_id: of.segment_id }), name: name.trim(), tree }, newKey())
      onUse?.(tree, saved.segment_id)
      await refresh()
    })
    setBusy(false)
    if (done) onClose()
  }
  return (
    <Dialog
      open
      side="right"
      onClose={onClose}
      title={of ? of.name : 'Who gets it'}
      className="w-[min(36rem,100vw)]!"
      footer={
        <>
          {onUse ? (
            <Button
              disabled={!ready}
              onClick={() => {
                onUse(tree, null)
                onClose()
              }}
            >
              Use once
            </Button>
          ) : null}
          <Button variant="primary" disabled={!ready || !name.trim()} busy={busy} onClick={save}>
            Save segment
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        <Conditions of={tree} nested={false} onChange={(next) => setTree(next as SegmentTree)} />
        <section aria-label="Who fits" aria-live="polite" className="rounded-panel bg-raised px-4 py-3 text-13">
          {!ready ? (
            <p className="text-muted">Fill in each condition to see who matches.</p>
          ) : found.isError ? (
            <Alert title="Could not be counted">{found.error.message}</Alert>
          ) : found.data ? (
            <>
              <p className="font-medium">
                {counted(found.data.reachable, 'contact')} can be emailed
                {found.data.contacts > found.data.reachable
                  ? `, of ${count(found.data.contacts)} that match. The others have no address, unsubscribed or bounced.`
                  : '.'}
              </p>
              {found.data.note ? <p className="mt-1 text-warn">{found.data.note}</p> : null}
              <ul className="mt-2 flex flex-col gap-1">
                {found.data.first.map(({ contact_id, name: who, email }) => (
                  <li key={contact_id} className="flex flex-wrap justify-between gap-x-4">
                    <span className="truncate">{who}</span>
                    <span className="truncate text-muted">{email}</span>
                  </li>
                ))}
              </ul>
            </>
          ) : (
            <p className="text-muted">Counting</p>
          )}
        </section>
        <TextField
          label="Name of the segment"
          value={name}
          maxLength={80}
          placeholder="Regulars"
          hint="You can choose a saved segment for any campaign. The list of people is worked out when it is sent."
          onChange={(event) => setName(event.target.value)}
        />
      </div>
    </Dialog>
  )
}

type Level = { match: 'all' | 'any'; conditions: Part[] }
function Conditions({ of, nested, onChange }: { of: Level; nested: boolean; onChange: (next: Level) => void }) {
  const { match, conditions } = of
  const put = (at: number, part: Part | null) =>
    onChange({ match, conditions: part ? conditions.map((each, n) => (n === at ? part : each)) : conditions.filter((_, n) => n !== at) })
  return (
    <div className="flex flex-col gap-2">
      <SelectField
        label={nested ? 'In this group' : 'Include contacts'}
        value={match}
        onChange={(event) => onChange({ match: event.target.value as 'all', conditions })}
      >
        <option value="all">that match all of these</option>
        <option value="any">that match any of these</option>
      </SelectField>
      <ul className="flex flex-col gap-2" aria-label="Conditions">
        {conditions.map((part, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a condition is its place
          <li key={at} className="rounded-control p-2.5 hairline">
            {isGroup(part) ? (
              <div className="flex items-start gap-2">
                <div className="min-w-0 flex-1">
                  <Conditions of={part} nested onChange={(next) => put(at, next.conditions.length ? (next as Group) : null)} />
                </div>
                <IconButton label="Remove this group" onClick={() => put(at, null)}>
                  <X />
                </IconButton>
              </div>
            ) : (
              <One of={part} onChange={(next) => put(at, next)} onRemove={() => put(at, null)} />
            )}
          </li>
        ))}
      </ul>
      {conditions.length < MOST ? (
        <p className="flex flex-wrap gap-2">
          <Button onClick={() => onChange({ match, conditions: [...conditions, newCondition('tag')] })}>
            <Plus />
            Add a condition
          </Button>
          {nested ? null : (
            <Button
              variant="ghost"
              onClick={() =>
                onChange({
                  match,
                  conditions: [...conditions, { match: match === 'all' ? 'any' : 'all', conditions: [newCondition('tag')] }],
                })
              }
            >
              Add a group
            </Button>
          )}
        </p>
      ) : null}
    </div>
  )
}

function One({ of, onChange, onRemove }: { of: Condition; onChange: (next: Condition) => void; onRemove: () => void }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto] items-end gap-2 sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_minmax(0,1.2fr)_auto]">
      <SelectField label="Field" value={of.field} onChange={(event) => onChange(newCondition(event.target.value as Field))}>
        <Options of={Object.entries(fieldNames)} />
      </SelectField>
      <SelectField label="Condition" value={of.is} onChange={(event) => onChange({ ...of, is: event.target.value } as Condition)}>
        <Options of={Object.entries(verbs[of.field])} />
      </SelectField>
      <div className="max-sm:col-span-2 max-sm:row-start-2">
        <Value of={of} onChange={onChange} />
      </div>
      <IconButton label="Remove this condition" onClick={onRemove} className="max-sm:row-start-1 max-sm:col-start-3">
        <X />
      </IconButton>
    </div>
  )
}

function Value({ of, onChange }: { of: Condition; onChange: (next: Condition) => void }) {
  const set = (value: unknown) => onChange({ ...of, value } as Condition)
  switch (of.field) {
    case 'tag':
      return <TagValue value={of.value} onChange={set} />
    case 'temperature':
    case 'status':
      return (
        <SelectField label="Value" value={of.value} onChange={(event) => set(event.target.value)}>
          <Options of={Object.entries(of.field === 'status' ? statuses : temperatures)} />
        </SelectField>
      )
    case 'source':
      return <TextField label="Value" value={of.value} maxLength={40} placeholder="import" onChange={(event) => set(event.target.value)} />
    case 'own':
      return <OwnValue of={of} onChange={onChange} />
    case 'campaign':
      return <CampaignValue value={of.value} onChange={set} />
    default:
      return (
        <TextField
          label="Days"
          type="number"
          min={1}
          max={3650}
          value={of.value}
          onChange={(event) => set(Math.min(3650, Math.max(1, Math.round(Number(event.target.value)) || 1)))}
        />
      )
  }
}

function TagValue({ value, onChange }: { value: string; onChange: (tag: string) => void }) {
  const tags = useCall('list-tags', {}, { key: ['crm', 'tags'] }).data?.tags.map(({ tag }) => tag) ?? []
  return (
    <SelectField
      label="Value"
      value={value}
      onChange={(event) => onChange(event.target.value)}
      hint={tags.length ? undefined : 'Your contacts have no tags yet.'}
    >
      <option value="">Choose a tag</option>
      {[...new Set([...(value ? [value] : []), ...tags])].map((tag) => (
        <option key={tag}>{tag}</option>
      ))}
    </SelectField>
  )
}

function OwnValue({ of, onChange }: { of: Extract<Condition, { field: 'own' }>; onChange: (next: Condition) => void }) {
  const fields = useFields()
  const chosen = fields.find(({ id }) => id === of.id)
  return (
    <div className="flex flex-col gap-2">
      <SelectField
        label="Which one"
        value={of.id}
        onChange={(event) => onChange({ ...of, id: event.target.value, value: '' })}
        hint={fields.length ? undefined : 'Your contacts have no fields of your own yet.'}
      >
        <option value="">Choose a field</option>
        {of.id && fields.length && !chosen ? <option value={of.id}>A deleted field</option> : null}
        <Options of={fields.map(({ id, name }) => [id, name])} />
      </SelectField>
      {chosen ? (
        <FieldInput
          field={chosen}
          label="Value"
          value={typedOf(of.value)}
          onChange={(typed) => onChange({ ...of, value: typedAs(chosen, typed) ?? '' })}
        />
      ) : null}
    </div>
  )
}

function CampaignValue({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const sent =
    useCampaigns({ query: '', status: undefined })
      .data?.pages.flatMap(({ campaigns }) => campaigns)
      .filter(({ sent_count }) => sent_count > 0) ?? []
  return (
    <SelectField
      label="Campaign"
      value={value}
      onChange={(event) => onChange(event.target.value)}
      hint={sent.length ? undefined : 'You have not sent one yet.'}
    >
      <option value="">Choose a campaign</option>
      <Options of={sent.map(({ campaign_id, name }) => [campaign_id, name])} />
    </SelectField>
  )
}
