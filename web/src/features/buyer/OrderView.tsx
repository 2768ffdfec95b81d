import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { useSession } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import { Button, ButtonLink } from '../../ui/Button.tsx'
import { CopyField } from '../../ui/Data.tsx'
import { fetchFile } from '../../ui/download.ts'
import { day, fileSize, moment, money } from '../../ui/format.ts'
import { Alert, Pill } from '../../ui/Panel.tsx'
import { Papers } from '../../ui/Papers.tsx'
import { attempt, toast } from '../../ui/toast.tsx'
import { OrderMessages } from './OrderMessages.tsx'
import { keyOf, type Line, type Order, type OrderRef, useOrderCall } from './queries.ts'
import { RefundBox } from './RefundBox.tsx'
import { ReviewBox } from './ReviewBox.tsx'
import { StatePill } from './StatePill.tsx'

export function OrderView({ order, of: ref }: { order: Order; of: OrderRef }) {
  return (
    <>
      <header className="px-5 pt-10 pb-8 md:px-8">
        <div className="flex flex-wrap items-center gap-3 text-13 text-muted">
          <StatePill state={order.state} />
          <span>{moment(order.at)}</span>
          <span>
            from{' '}
            {order.seller.slug ? (
              <Link to={paths.storefront(order.seller.slug)} className="text-text underline decoration-control underline-offset-2">
                {order.seller.name}
              </Link>
            ) : (
              order.seller.name
            )}
          </span>
        </div>
        <h1 className="mt-4 max-w-[24ch] text-40 font-semibold break-words">{titleOf(order)}</h1>
        <p className="mt-3 max-w-[60ch] text-muted">{saidOf(order)}</p>
      </header>
      {order.state === 'delivered' || order.state === 'refunded' ? (
        <div className="grid flex-1 border-t border-line lg:grid-cols-[1fr_22rem]">
          <div className="min-w-0">
            <ul aria-label="What you bought">
              {order.lines.map((line) => (
                <OrderLine key={line.item_id} line={line} order={order} of={ref} />
              ))}
            </ul>
            <OrderMessages of={ref} seller={order.seller.name} />
          </div>
          <aside aria-label="Receipt" className="border-line max-lg:border-t lg:border-l">
            <Receipt order={order} of={ref} />
            <Claim order={order} />
            <RefundBox order={order} of={ref} />
          </aside>
        </div>
      ) : null}
    </>
  )
}

const titleOf = ({ state, lines, title }: Order) => {
  if (state === 'delivered') return lines.some(({ files }) => files.length) ? 'Your download is ready' : title
  if (state === 'refunded') return title
  if (state === 'failed') return 'The payment did not go through'
  return 'Confirming your payment'
}
const saidOf = ({ state, email, seller, refunded_cents, currency }: Order) => {
  if (state === 'delivered')
    return email ? `We sent the receipt and a link to this page to ${email}.` : 'Keep the address of this page: it opens your order again.'
  if (state === 'refunded')
    return `${money(refunded_cents, currency)} went back to the card that paid. The downloads ended with the refund. Your messages with ${seller.name} are still here.`
  if (state === 'failed') return 'Nothing was charged. Open the product again to start over.'
  return 'This takes a few seconds. The page continues by itself.'
}

function OrderLine({ line, order, of: ref }: { line: Line; order: Order; of: OrderRef }) {
  return (
    <li className="border-b border-line px-5 py-7 md:px-8">
      <div className="flex flex-wrap items-start justify-between gap-4">
        <div className="min-w-0">
          <h2 className="text-20 font-semibold break-words">
            {line.path ? (
              <Link to={line.path} className="hover:underline">
                {line.title}
              </Link>
            ) : (
              line.title
            )}
          </h2>
          <p className="mt-0.5 text-13 text-muted">
            {line.version ? `Version ${line.version} · ` : ''}
            {money(line.amount_cents, order.currency)}
          </p>
        </div>
        {line.path ? null : <Pill>No longer for sale</Pill>}
      </div>
      {line.update ? <Update line={line} of={ref} /> : null}
      {line.files.length ? (
        <ul aria-label={`Files of ${line.title}`} className="mt-5 divide-y divide-line border-y border-line">
          {line.files.map((file) => (
            <li key={file.file_id} className="flex items-center justify-between gap-4 py-2.5">
              <span className="min-w-0">
                <span className="block text-14 break-words">{file.name}</span>
                <span className="text-12 text-faint">{fileSize(file.bytes)}</span>
              </span>
              <DownloadButton file={file} of={ref} />
            </li>
          ))}
        </ul>
      ) : order.state === 'delivered' ? (
        <p className="mt-4 max-w-[60ch] text-14 text-muted">
          This product has no files. {order.seller.name} delivers it in person: write a message below if you have not heard from them.
        </p>
      ) : null}
      {line.key ? (
        <div className="mt-5 max-w-md">
          <p aria-hidden="true" className="mb-1.5 text-13 font-medium">
            License key
          </p>
          <CopyField label="License key" value={line.key.key} />
          <p className="mt-1 text-12 text-faint">
            Used on {line.key.activations} of {line.key.activation_limit} {line.key.activation_limit === 1 ? 'machine' : 'machines'}.
          </p>
        </div>
      ) : null}
      {line.licence_terms ? (
        <details className="mt-4 text-13">
          <summary className="cursor-pointer text-muted">License terms you bought it under</summary>
          <p className="mt-2 max-w-[68ch] whitespace-pre-line text-muted">{line.licence_terms}</p>
        </details>
      ) : null}
      <ReviewBox line={line} order={order} of={ref} />
    </li>
  )
}

function DownloadButton({ file, of: ref }: { file: Line['files'][number]; of: OrderRef }) {
  const ask = useOrderCall()
  const [busy, setBusy] = useState(false)
  async function open() {
    setBusy(true)
    await attempt('The download did not start', async () => fetchFile((await ask('order-download', { ...ref, file_id: file.file_id })).url))
    setBusy(false)
  }
  return (
    <Button size="public" busy={busy} onClick={open} aria-label={`Download ${file.name}`}>
      <Download />
      Download
    </Button>
  )
}

function Update({ line, of: ref }: { line: Line; of: OrderRef }) {
  const ask = useOrderCall()
  const queries = useQueryClient()
  const [busy, setBusy] = useState(false)
  const { version, notes, at, added, changed, removed, other_terms } = line.update!
  async function take() {
    setBusy(true)
    await attempt('The new version was not taken', async () => {
      await ask('take-update', { ...ref, item_id: line.item_id })
      await queries.invalidateQueries({ queryKey: ['show-order', keyOf(ref)] })
      toast.success(`You have version ${version} now`)
    })
    setBusy(false)
  }
  return (
    <section aria-label={`Version ${version} of ${line.title}`} className="mt-5 rounded-panel bg-panel p-4 hairline">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div>
          <h3 className="text-14 font-semibold">Version {version} is out</h3>
          <p className="text-13 text-muted">{day(at)}. The update is free.</p>
        </div>
        <Button variant="primary" busy={busy} onClick={take}>
          Get version {version}
        </Button>
      </div>
      {notes ? <p className="mt-3 max-w-[68ch] text-13 whitespace-pre-line">{notes}</p> : null}
      <ul className="mt-3 flex flex-col gap-0.5 text-13">
        <Diff mark="+" name="Added" files={added} className="text-good" />
        <Diff mark="~" name="Changed" files={changed} className="text-warn" />
        <Diff mark="−" name="Removed" files={removed} className="text-bad" />
      </ul>
      <p className="mt-3 text-12 text-faint">
        {other_terms ? 'The new version is sold under other terms; the terms of your purchase stay as they were. ' : ''}
        Nothing changes until you get it.
      </p>
    </section>
  )
}

function Diff({ mark, name, files, className }: { mark: string; name: string; files: string[]; className: string }) {
  return files.map((file) => (
    <li key={file} className="flex gap-2">
      <span aria-hidden="true" className={`font-mono ${className}`}>
        {mark}
      </span>
      <span className="sr-only">{name}</span>
      <span className="min-w-0 break-words">{file}</span>
    </li>
  ))
}

function Receipt({ order, of: ref }: { order: Order; of: OrderRef }) {
  const { amount_cents, tax_cents, discount_cents, refunded_cents, currency } = order
  return (
    <section className="px-5 py-7 md:px-8 lg:px-6">
      <h2 className="text-16 font-semibold">Receipt</h2>
      <dl className="mt-3 grid grid-cols-[1fr_auto] gap-x-4 gap-y-1.5 text-14 tabular">
        {order.lines.map((line) => (
          <Sum key={line.item_id} name={line.title} cents={line.amount_cents} currency={currency} />
        ))}
        {discount_cents ? <Sum name="Discount, already taken off" cents={-discount_cents} currency={currency} /> : null}
        {tax_cents ? <Sum name="Tax" cents={tax_cents} currency={currency} /> : null}
        <dt className="border-t border-line pt-1.5 font-semibold">Paid</dt>
        <dd className="border-t border-line pt-1.5 text-right font-semibold">{money(amount_cents, currency)}</dd>
        {refunded_cents ? <Sum name="Refunded" cents={-refunded_cents} currency={currency} /> : null}
      </dl>
      <p className="mt-3 font-mono text-12 break-all text-faint">Order {order.id}</p>
      <OrderPapers order={order} of={ref} />
    </section>
  )
}
/** Written by the billing service, so the order is shown whether or not they can be. */
function OrderPapers({ order, of: ref }: { order: Order; of: OrderRef }) {
  const ask = useOrderCall()
  const papers = useQuery({
    queryKey: ['order-documents', keyOf(ref), order.refunded_cents],
    queryFn: () => ask('order-documents', ref),
  })
  if (papers.isError)
    return (
      <p className="mt-3 text-12 text-muted">
        The invoice could not be loaded.{' '}
        <button type="button" className="underline underline-offset-4" onClick={() => papers.refetch()}>
          Try again
        </button>
      </p>
    )
  if (!papers.data?.documents.length) return null
  return (
    <div className="mt-3 border-t border-line pt-1">
      <Papers papers={papers.data.documents} open={(document_id) => ask('order-document', { ...ref, document_id })} />
    </div>
  )
}
function Sum({ name, cents, currency }: { name: string; cents: number; currency: string }) {
  return (
    <>
      <dt className="min-w-0 break-words text-muted">{name}</dt>
      <dd className="text-right">{money(cents, currency)}</dd>
    </>
  )
}

/** A guest can have the order in an account: by the address it was bought under, once that is confirmed. */
function Claim({ order }: { order: Order }) {
  const { user } = useSession()
  if (order.mine) return null
  if (order.claimed)
    return (
      <p className="border-t border-line px-5 py-5 text-13 text-muted md:px-8 lg:px-6">
        This order belongs to an account. This link shows it to anyone who has it.
      </p>
    )
  return (
    <section className="border-t border-line px-5 py-7 md:px-8 lg:px-6">
      <h2 className="text-16 font-semibold">Keep it in an account</h2>
      <p className="mt-1 mb-3 text-13 text-muted">
        {order.email
          ? `Create an account with ${order.email} and confirm the address: this order and all others bought with it are there by themselves.`
          : 'Orders bought with your address are added to your account automatically.'}
      </p>
      {user ? (
        <Alert tone="info">You are signed in with another address.</Alert>
      ) : (
        <ButtonLink to={paths.buyerPortal} size="public">
          Create a buyer account
        </ButtonLink>
      )}
    </section>
  )
}
