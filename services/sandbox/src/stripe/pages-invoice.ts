import { day, html, money, page } from '../core/page.ts'
import { type Route, redirect, route, type WireReply, type WireRequest } from '../core/wire.ts'
import type { Bank, Obj } from './bank.ts'
import { gone } from './pages-checkout.ts'
import { pill } from './pages-portal.ts'
import { settleInvoice } from './renewals.ts'
import type { LineTax } from './tax/lines.ts'

const strip = 'Standing in for Stripe. No money moves.'

/** Invoices and credit notes as people see them, on a page and as PDF. */
export function invoicePages(bank: Bank): Route[] {
  const withInvoice = (run: (invoice: Obj, request: WireRequest) => WireReply) => (request: WireRequest) => {
    const invoice = bank.t.invoices.get(request.params.id!)
    return invoice ? run(invoice, request) : gone('There is no such invoice.')
  }

  function payHosted(invoice: Obj): WireReply {
    if (invoice.status !== 'open') return redirect(`/sandbox/stripe/invoice/${invoice.id}`)
    const after = bank.state.together(() => settleInvoice(bank, invoice.id, { offSession: false, authenticated: true }))
    return after.status === 'paid'
      ? redirect(`/sandbox/stripe/invoice/${invoice.id}`)
      : invoicePage(after, 'The payment did not go through. Change the card in the portal and try again.')
  }

  const file = (name: string, lines: string[]): WireReply => ({
    headers: { 'content-type': 'application/pdf', 'content-disposition': `inline; filename="${name}.pdf"` },
    body: pdf(lines),
  })

  return [
    route(
      'GET',
      '/sandbox/stripe/invoice/:id',
      withInvoice((invoice) => invoicePage(invoice)),
    ),
    route('POST', '/sandbox/stripe/invoice/:id', withInvoice(payHosted)),
    route(
      'GET',
      '/sandbox/stripe/invoice/:id/pdf',
      withInvoice((invoice) => file(invoice.number, invoiceLines(invoice))),
    ),
    route('GET', '/sandbox/stripe/credit_note/:id/pdf', ({ params }) => {
      const note = bank.t.credit_notes.get(params.id!)
      return note ? file(note.number, noteLines(bank, note)) : gone('There is no such credit note.')
    }),
  ]
}

const taxLabel = ({ taxability_reason: reason, tax_behavior }: LineTax) =>
  reason === 'reverse_charge' ? 'Tax (reverse charge)' : tax_behavior === 'inclusive' ? 'Tax included' : 'Tax'

/** Legal notes beside the sums. */
const notes = (invoice: Obj): string[] => [
  ...invoice.customer_tax_ids.map((each: { value: string }) => `VAT number ${each.value}`),
  ...(invoice.total_taxes.some((each: LineTax) => each.taxability_reason === 'reverse_charge')
    ? ['Tax to be paid on reverse charge basis']
    : []),
]

const taxLines = ({ total_taxes: taxes, currency }: Obj) =>
  taxes.map((each: LineTax) => `${taxLabel(each)} ${money(each.amount, currency)}`)

const invoiceLines = (invoice: Obj): string[] => [
  `Invoice ${invoice.number} (sandbox)`,
  `${invoice.customer_email ?? ''}  ${day(invoice.created)}  ${invoice.status}`,
  ...notes(invoice),
  '',
  ...invoice.lines.data.map((line: Obj) => `${line.description}   ${money(line.amount, line.currency)}`),
  '',
  ...taxLines(invoice),
  `Amount due ${money(invoice.amount_due, invoice.currency)}`,
  `Amount paid ${money(invoice.amount_paid, invoice.currency)}`,
]

const noteLines = (bank: Bank, note: Obj): string[] => [
  `Credit note ${note.number} (sandbox)`,
  `For invoice ${bank.find('invoices', note.invoice).number}  ${day(note.created)}  ${note.status}`,
  '',
  ...note.lines.data.map((line: Obj) => `${line.description}   ${money(line.amount, note.currency)}`),
  '',
  ...taxLines(note),
  `Credited ${money(note.total, note.currency)}`,
]

function invoicePage(invoice: Obj, problem?: string): WireReply {
  const rows = invoice.lines.data.map(
    (line: Obj) =>
      html`<tr><td>${line.description}<div class="faint">${day(line.period.start)} to ${day(line.period.end)}</div></td><td class="num">${money(line.amount, line.currency)}</td></tr>`,
  )
  const extra = (label: string, amount: number) =>
    amount === 0 ? '' : html`<tr><td class="muted">${label}</td><td class="num">${money(amount, invoice.currency)}</td></tr>`
  const off = invoice.total_discount_amounts.reduce((sum: number, each: { amount: number }) => sum + each.amount, 0)
  return page({
    title: `Invoice ${invoice.number ?? ''}`,
    strip,
    status: problem ? 402 : 200,
    body: html`<div class="head"><div><h1>Invoice ${invoice.number} ${pill(invoice.status)}</h1><p class="muted">${invoice.customer_name || invoice.customer_email}, ${day(invoice.created)}</p>${notes(invoice).map((note) => html`<p class="faint">${note}</p>`)}</div><a class="button" href="/sandbox/stripe/invoice/${invoice.id}/pdf">PDF</a></div>
${problem ? html`<div class="alert" role="alert">${problem}</div>` : ''}
<div class="panel"><table><tbody>${rows}${extra('Discount', -off)}${invoice.total_taxes.map((tax: LineTax) => extra(taxLabel(tax), tax.amount))}${extra('Credit applied', invoice.amount_due - invoice.total + invoice.pre_payment_credit_notes_amount)}${extra('Credit notes', -invoice.pre_payment_credit_notes_amount)}<tr><td><strong>${invoice.status === 'paid' ? 'Paid' : 'Amount due'}</strong></td><td class="num"><strong>${money(invoice.amount_due, invoice.currency)}</strong></td></tr></tbody></table></div>
${invoice.status === 'open' ? html`<form method="post"><button class="main">Pay ${money(invoice.amount_due, invoice.currency)}</button></form>` : ''}`,
  })
}

/** A plain one-page PDF, written by hand: text lines in Helvetica. */
function pdf(lines: string[]): Buffer {
  const plain = (text: string) =>
    text
      .replaceAll('×', 'x')
      .replace(/[^\x20-\x7e]/g, '')
      .replace(/([\\()])/g, '\\$1')
  const content = `BT /F1 11 Tf 56 780 Td 18 TL ${lines.map((line) => `(${plain(line)}) Tj T*`).join(' ')} ET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  let body = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const at = body.length
    body += `${index + 1} 0 obj\n${object}\nendobj\n`
    return at
  })
  const table = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
  return Buffer.from(
    `${body}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer << /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF`,
    'latin1',
  )
}
