import { call } from '../../api/call.ts'
import { Table } from '../../ui/Data.tsx'
import { day, money } from '../../ui/format.ts'
import { Asked, EmptyState, Panel, Pill, Skeleton } from '../../ui/Panel.tsx'
import { Papers } from '../../ui/Papers.tsx'
import { useInvoices } from './queries.ts'
import { Statement } from './Statement.tsx'

export function Invoices({ userId }: { userId: string | undefined }) {
  const invoices = useInvoices(userId)
  return (
    <Panel title="Invoices" flush className="text-14 lg:col-span-3">
      <Asked query={invoices} failed="Invoices could not be loaded" />
      {userId && invoices.isPending ? <Skeleton className="m-4 h-24" /> : null}
      {!userId || invoices.data?.invoices.length === 0 ? (
        <EmptyState compact title="No invoices yet">
          Your invoices appear here after each payment.
        </EmptyState>
      ) : null}
      {invoices.data?.invoices.length ? (
        <div className="[&_td:first-child]:max-sm:pl-4 [&_td]:max-sm:px-2 [&_th:first-child]:max-sm:pl-4 [&_th]:max-sm:px-2">
          <Table
            label="Invoices"
            head={[
              'Invoice',
              'Amount',
              'Status',
              <span key="x" className="sr-only">
                Open
              </span>,
            ]}
          >
            {invoices.data.invoices.map((invoice) => (
              <tr key={invoice.id}>
                <td className="sm:whitespace-nowrap">
                  {day(invoice.created_at)}
                  <span className="block font-mono text-12 text-faint">{invoice.number ?? invoice.id}</span>
                </td>
                <td className="font-mono text-12 tabular">{money(invoice.amount_cents, invoice.currency)}</td>
                <td>
                  <Pill tone={invoice.status === 'paid' ? 'good' : invoice.status === 'open' ? 'warn' : 'neutral'}>{invoice.status}</Pill>
                </td>
                <td className="text-right">
                  {invoice.hosted_url ? (
                    <a
                      href={invoice.pdf_url ?? invoice.hosted_url}
                      target="_blank"
                      rel="noreferrer"
                      className="underline decoration-control underline-offset-4"
                    >
                      {invoice.pdf_url ? 'PDF' : 'Open'}
                      <span className="sr-only"> of invoice {invoice.number}</span>
                    </a>
                  ) : null}
                </td>
              </tr>
            ))}
          </Table>
          {invoices.data.more ? (
            <p className="px-4 py-3 text-12 text-faint">
              These are your newest {invoices.data.invoices.length} invoices. Older ones are in the billing portal.
            </p>
          ) : null}
        </div>
      ) : null}
      {invoices.data?.credit_notes?.length ? (
        <section className="border-t border-line px-4 py-3">
          <h3 className="text-13 font-semibold">Top-up invoices and credit notes</h3>
          <Papers papers={invoices.data.credit_notes} open={(document_id) => call('open-document', { document_id })} />
        </section>
      ) : null}
      {invoices.data?.invoices.length ? <Statement invoices={invoices.data.invoices} /> : null}
    </Panel>
  )
}
