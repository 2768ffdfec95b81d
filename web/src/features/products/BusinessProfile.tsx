import type { CallReply } from '@operon/contracts/calls'
import { texts } from '@operon/contracts/messages'
import { type UseQueryResult, useQueryClient } from '@tanstack/react-query'
import { ImageUp } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { call } from '../../api/call.ts'
import { startUpload, useUploads } from '../../api/uploads.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { CopyField } from '../../ui/Data.tsx'
import { TextArea, TextField } from '../../ui/Field.tsx'
import { ErrorState, Panel, Skeleton } from '../../ui/Panel.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import { newKey, usePicture } from './queries.ts'

type Profile = CallReply<'business-profile'>

export function BusinessProfile({ userId, profile }: { userId: string; profile: UseQueryResult<Profile> }) {
  if (profile.isError)
    return (
      <Panel flush className="mt-5">
        <ErrorState title="Your profile could not be loaded" error={profile.error} retry={() => profile.refetch()} />
      </Panel>
    )
  return (
    <div className="pt-5">
      {profile.data ? <Form key={profile.dataUpdatedAt} userId={userId} of={profile.data} /> : <Skeleton className="h-96" />}
    </div>
  )
}

const accents = ['lime', 'blue', 'violet', 'amber', 'coral', 'teal'] as const
const fields = ['business_name', 'contact_email', 'phone', 'website', 'location', 'business_category', 'business_description'] as const

/** The seller's public profile. Empty fields are not shown. */
function Form({ userId, of }: { userId: string; of: Profile }) {
  const queries = useQueryClient()
  const [accent, setAccent] = useState(of.accent)
  const [pictureId, setPictureId] = useState(of.picture_id)
  const [slug, setSlug] = useState(of.slug ?? '')
  const [busy, setBusy] = useState(false)
  const address = `${location.origin}${paths.storefront(slug || 'your-name')}`

  async function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    const said = Object.fromEntries(fields.map((name) => [name, String(data.get(name) ?? '').trim()]))
    setBusy(true)
    await attempt('Your profile was not saved', async () => {
      const values = { ...said, accent, picture_id: pictureId, ...(slug && slug !== of.slug && { slug }) }
      const saved = await call('save-business-profile', values, { idempotencyKey: newKey() })
      queries.setQueryData(['business-profile', userId], saved)
      void queries.invalidateQueries({ queryKey: ['profile', userId] })
      toast.success('Profile saved')
    })
    setBusy(false)
  }
  return (
    <form onSubmit={save} className="grid items-start gap-6 lg:grid-cols-3">
      <Panel title="Business Profile" className="lg:col-span-2">
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Business Name"
            name="business_name"
            defaultValue={of.business_name}
            maxLength={120}
            placeholder={of.display_name ?? ''}
            autoComplete="organization"
          />
          <TextField
            label="Business Category"
            name="business_category"
            defaultValue={of.business_category}
            maxLength={60}
            placeholder="Automation"
          />
          <TextField
            label="Contact Email"
            name="contact_email"
            type="email"
            defaultValue={of.contact_email}
            maxLength={320}
            autoComplete="email"
          />
          <TextField label="Phone Number" name="phone" type="tel" defaultValue={of.phone} maxLength={40} autoComplete="tel" />
          <TextField label="Website URL" name="website" type="url" defaultValue={of.website} maxLength={200} placeholder="https://" />
          <TextField label="Location" name="location" defaultValue={of.location} maxLength={120} placeholder="Lisbon, Portugal" />
          <TextArea
            label="Business Description"
            name="business_description"
            defaultValue={of.business_description}
            maxLength={2000}
            fieldClassName="sm:col-span-2"
          />
        </div>
        <p className="mt-3 text-12 text-faint">Everything here is public on your storefront. Empty fields are not shown.</p>
      </Panel>
      <div className="flex flex-col gap-6">
        <Panel title="Storefront">
          <div className="flex flex-col gap-4">
            <TextField
              label="Address"
              value={slug}
              onChange={(event) => setSlug(event.target.value.toLowerCase())}
              pattern="[a-z0-9][a-z0-9\-]{1,62}"
              title="2 to 63 small letters, digits and hyphens"
              maxLength={63}
              required={Boolean(of.slug)}
              placeholder="your-name"
              autoCapitalize="none"
              hint={of.slug && slug !== of.slug ? 'The old address will lead to the new one.' : address}
            />
            {of.slug ? (
              <CopyField label="Marketplace link" value={`${location.origin}${paths.storefront(of.slug)}`} open said={texts.linkCopied} />
            ) : null}
            <fieldset className="min-w-0">
              <legend className="mb-1.5 text-13 font-medium">Accent</legend>
              <div className="flex flex-wrap gap-2">
                {accents.map((name) => (
                  <label key={name} className="relative grid size-8 place-items-center max-md:size-11">
                    <input
                      type="radio"
                      name="accent"
                      value={name}
                      checked={accent === name}
                      onChange={() => setAccent(name)}
                      className="peer sr-only"
                    />
                    <span
                      data-accent={name}
                      className={cx(
                        'size-6 rounded-full bg-accent outline-offset-2 peer-focus-visible:outline-2 peer-focus-visible:outline-signal-text',
                        accent === name && 'ring-2 ring-text ring-offset-2 ring-offset-panel',
                      )}
                    />
                    <span className="sr-only">{name}</span>
                  </label>
                ))}
              </div>
            </fieldset>
            <Picture of={userId} fileId={pictureId} onChange={setPictureId} />
          </div>
        </Panel>
        <Button type="submit" variant="primary" busy={busy} className="self-start">
          Save profile
        </Button>
      </div>
    </form>
  )
}

function Picture({ of, fileId, onChange }: { of: string; fileId: string | null; onChange: (id: string | null) => void }) {
  const src = usePicture(fileId)
  const [upload] = useUploads(`profile:${of}`)
  return (
    <div>
      <p className="mb-1.5 text-13 font-medium">Picture</p>
      {src ? <img src={src} alt="" className="mb-2 aspect-[4/1] w-full rounded-control bg-raised object-cover" /> : null}
      {upload?.state === 'failed' ? <p className="mb-2 text-12 text-bad">{upload.problem}</p> : null}
      <div className="flex gap-2">
        <label className="inline-flex h-8 cursor-pointer items-center gap-2 rounded-control bg-panel px-3 text-13 font-medium hairline focus-within:outline-2 focus-within:outline-signal-text hover:bg-raised max-md:h-11 [&_.lucide]:size-4">
          <ImageUp />
          {upload?.state === 'sending'
            ? `${Math.round((upload.sent / Math.max(1, upload.bytes)) * 100)}%`
            : fileId
              ? 'Replace'
              : 'Choose a picture'}
          <input
            type="file"
            accept="image/png,image/jpeg,image/webp,image/gif,image/avif"
            className="sr-only"
            onChange={(event) => {
              const file = event.target.files?.[0]
              if (file) void startUpload(`profile:${of}`, 'marketplace', file, async (id) => onChange(id))
              event.target.value = ''
            }}
          />
        </label>
        {fileId ? (
          <Button variant="ghost" onClick={() => onChange(null)}>
            Remove
          </Button>
        ) : null}
      </div>
      <p className="mt-1.5 text-12 text-faint">Four times as wide as high, up to 10 MB. Save the profile to show it.</p>
    </div>
  )
}
