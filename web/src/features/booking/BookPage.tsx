import type { CallReply } from '@operon/contracts/calls'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Clock, CreditCard, Link2, MapPin, Phone } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Link, useNavigate, useParams } from 'react-router-dom'
import { callPublic } from '../../api/call.ts'
import { ApiError } from '../../api/http.ts'
import { product } from '../../content/product.ts'
import { paths } from '../../paths.ts'
import { PublicLayout } from '../../shell/PublicLayout.tsx'
import { PublicMessage } from '../../shell/PublicMessage.tsx'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { money } from '../../ui/format.ts'
import { EmptyRow } from '../../ui/Mark.tsx'
import { Asked } from '../../ui/Panel.tsx'
import { browserZone, clockIn, dateIn, zoneName } from '../../ui/zones.ts'
import { GuestForm } from './GuestForm.tsx'
import { SlotPicker } from './SlotPicker.tsx'

export type Bookable = CallReply<'show-booking-page'>['event_types'][number]

const isGone = (error: unknown) => error instanceof ApiError && error.status === 404
const places = { phone: [Phone, 'Phone call'], link: [Link2, 'Online, the link comes by email'], address: [MapPin, 'In person'] } as const

/** The meetings that can be booked with somebody, and one of them. */
export function BookPage() {
  const { profile = '', type } = useParams()
  const page = useQuery({
    queryKey: ['booking-page', profile],
    queryFn: ({ signal }) => callPublic('show-booking-page', { profile }, { signal }),
    retry: (count, error) => !isGone(error) && count < 2,
  })
  const chosen = page.data?.event_types.find(({ slug }) => slug === type)
  useEffect(() => {
    if (page.data) document.title = `${chosen ? `${chosen.title} · ` : ''}${page.data.name}`
  }, [page.data, chosen])
  if (isGone(page.error) || (page.data && type && !chosen))
    return (
      <PublicMessage
        art={<EmptyRow />}
        title="Nothing can be booked here"
        actions={
          page.data ? (
            <ButtonLink to={paths.bookWith(profile)} size="public">
              See all of {page.data.name}
            </ButtonLink>
          ) : (
            <ButtonLink to={paths.home} size="public">
              Go to {product.name}
            </ButtonLink>
          )
        }
      >
        <p>The page may be switched off, or the address may be mistyped. Ask the person who gave it to you.</p>
      </PublicMessage>
    )
  return (
    <PublicLayout footer={false}>
      <div className="rail flex w-full flex-1 flex-col gap-8 px-5 py-8 md:px-8 md:py-12">
        <Asked query={page} skeleton="h-96" failed="This page could not be loaded" />
        {page.data && !type ? <List profile={profile} name={page.data.name} types={page.data.event_types} /> : null}
        {page.data && chosen ? <One key={chosen.slug} profile={profile} name={page.data.name} type={chosen} /> : null}
      </div>
    </PublicLayout>
  )
}

function List({ profile, name, types }: { profile: string; name: string; types: Bookable[] }) {
  return (
    <>
      <h1 className="text-28 font-semibold">Book a time with {name}</h1>
      <ul className="flex max-w-3xl flex-col divide-y divide-line border-y border-line">
        {types.map((type) => (
          <li key={type.slug}>
            <Link to={paths.book(profile, type.slug)} className="flex flex-col gap-1 py-4 hover:bg-raised md:px-3">
              <span className="text-16 font-semibold">{type.title}</span>
              <Facts type={type} />
              {type.description ? <span className="text-14 text-muted">{type.description}</span> : null}
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}

function Facts({ type }: { type: Bookable }) {
  const [Icon, text] = places[type.place_kind]
  return (
    <span className="flex flex-wrap gap-x-4 gap-y-1 text-14 text-muted">
      <span className="flex items-center gap-1.5">
        <Clock aria-hidden="true" className="size-4 text-faint" />
        {type.minutes} minutes
      </span>
      <span className="flex items-center gap-1.5">
        <Icon aria-hidden="true" className="size-4 text-faint" />
        {type.place ?? text}
      </span>
      {type.price_cents ? (
        <span className="flex items-center gap-1.5">
          <CreditCard aria-hidden="true" className="size-4 text-faint" />
          {money(type.price_cents)}
        </span>
      ) : null}
    </span>
  )
}

function One({ profile, name, type }: { profile: string; name: string; type: Bookable }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [zone, setZone] = useState(browserZone)
  const [start, setStart] = useState<string | null>(null)
  return (
    <>
      <header className="flex max-w-3xl flex-col gap-2">
        <p className="text-14 text-muted">{name}</p>
        <h1 className="text-28 font-semibold">{type.title}</h1>
        <Facts type={type} />
        {type.description ? <p className="text-14 whitespace-pre-line text-muted">{type.description}</p> : null}
      </header>
      {start ? (
        <section className="flex max-w-xl flex-col gap-5">
          <div className="flex flex-wrap items-center justify-between gap-3 border-y border-line py-3">
            <p className="text-14">
              <span className="font-semibold">
                {dateIn(start, zone)}, {clockIn(start, zone)}
              </span>
              <span className="text-muted"> {zoneName(zone)}</span>
            </p>
            <Button onClick={() => setStart(null)}>Change</Button>
          </div>
          <GuestForm
            profile={profile}
            type={type}
            start={start}
            zone={zone}
            onBooked={(token) => navigate(`${paths.booking(token)}?new=1`)}
            onTaken={() => {
              setStart(null)
              void queries.invalidateQueries({ queryKey: ['slots', profile, type.slug] })
            }}
          />
        </section>
      ) : (
        <SlotPicker profile={profile} type={type.slug} daysAhead={type.days_ahead} zone={zone} onZone={setZone} onPick={setStart} />
      )}
    </>
  )
}
