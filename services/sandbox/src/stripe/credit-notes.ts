import { type Bank, list, type Obj } from './bank.ts'
import { moveBalance } from './customers.ts'
import { required, wrong } from './errors.ts'
import { int, mergeMetadata, type Params, text } from './form.ts'
import { markPaid } from './invoices.ts'
import { createRefund } from './refunds.ts'
import { type LineTax, onTop, taxFact, totalTaxes } from './tax/lines.ts'

type Row = { amount: number; description: string | null; quantity: number | null; unit: number | null; line: Obj | null; taxes: LineTax[] }

/** A credit note takes back part of an invoice, before or after it is paid, with the tax on that part. */
export function createCreditNote(bank: Bank, params: Params): Obj {
  const draft = draftCreditNote(bank, params, bank.id('credit_notes'))
  const invoice = bank.find('invoices', draft.invoice)
  const note = bank.t.credit_notes.put({ ...draft, ...settle(bank, invoice, draft, params) })
  const { amount, currency } = note
  const changed =
    note.type === 'pre_payment'
      ? {
          amount_due: invoice.amount_due - amount,
          amount_remaining: invoice.amount_remaining - amount,
          pre_payment_credit_notes_amount: invoice.pre_payment_credit_notes_amount + amount,
        }
      : { post_payment_credit_notes_amount: invoice.post_payment_credit_notes_amount + amount }
  const after = bank.t.invoices.put({ ...bank.find('invoices', invoice.id), ...changed })
  bank.fact('credit_note', {
    credit_note: note.id,
    invoice: invoice.id,
    customer: note.customer,
    amount,
    currency,
    refunded: note.refunds.reduce((sum: number, each: Params) => sum + each.amount_refunded, 0),
    credited: int(params.credit_amount),
    out_of_band: note.out_of_band_amount ?? 0,
    tax: note.total_taxes.reduce((sum: number, each: LineTax) => sum + each.amount, 0),
  })
  if (invoice._place)
    taxFact(
      bank,
      { credit_note: note.id, invoice: invoice.id, customer: note.customer },
      invoice._place,
      currency,
      negative(note.total_taxes),
    )
  bank.emit('credit_note.created', note)
  bank.emit('invoice.updated', after)
  if (after.status === 'open' && after.amount_remaining === 0) markPaid(bank, after)
  return note
}

/** The same sums with nothing written. */
export function draftCreditNote(bank: Bank, params: Params, id: string): Obj {
  const invoice = bank.find('invoices', params.invoice, 'invoice')
  if (!['open', 'paid'].includes(invoice.status))
    throw wrong(
      `You can only create credit notes for open and paid invoices. This invoice is ${invoice.status}.`,
      'invoice',
      'invoice_not_open',
    )
  const rows = rowsOf(invoice, params)
  const taxes = totalTaxes(rows.flatMap((row) => row.taxes))
  const subtotal = rows.reduce((sum, row) => sum + row.amount, 0)
  const total = subtotal + onTop(taxes)
  const left =
    invoice.status === 'open'
      ? invoice.amount_remaining
      : invoice.total - invoice.pre_payment_credit_notes_amount - invoice.post_payment_credit_notes_amount
  if (total < 1) throw wrong('A credit note must be for a positive amount.', 'amount', 'parameter_invalid_integer')
  if (total > left) throw wrong(`The credit note amount (${total}) is greater than what is left of the invoice (${left}).`, 'amount')
  const isPaid = invoice.status === 'paid'
  if (isPaid) demandSettled(params, total)
  const excluding = total - taxes.reduce((sum, each) => sum + each.amount, 0)
  const sequence = bank.t.credit_notes.all().filter((each) => each.invoice === invoice.id).length + 1
  const created = bank.now(invoice._clock)
  return {
    id,
    object: 'credit_note',
    amount: total,
    amount_shipping: 0,
    created,
    currency: invoice.currency,
    customer: invoice.customer,
    customer_account: null,
    customer_balance_transaction: null,
    discount_amount: 0,
    discount_amounts: [],
    effective_at: int(params.effective_at, created),
    invoice: invoice.id,
    lines: list(
      `/v1/credit_notes/${id}/lines`,
      rows.map((row, index) => lineOf(id, row, index)),
    ),
    livemode: false,
    memo: text(params.memo),
    metadata: mergeMetadata({}, params.metadata),
    number: `${invoice.number}-CN-${String(sequence).padStart(2, '0')}`,
    out_of_band_amount: params.out_of_band_amount ? int(params.out_of_band_amount) : null,
    pdf: `${bank.publicUrl}/sandbox/stripe/credit_note/${id}/pdf`,
    post_payment_amount: isPaid ? total : 0,
    pre_payment_amount: isPaid ? 0 : total,
    pretax_credit_amounts: [],
    reason: text(params.reason),
    refunds: [],
    shipping_cost: null,
    status: 'issued',
    subtotal,
    subtotal_excluding_tax: excluding,
    total,
    total_excluding_tax: excluding,
    total_taxes: taxes,
    type: isPaid ? 'post_payment' : 'pre_payment',
    voided_at: null,
    _clock: invoice._clock,
  }
}

/** A paid one gives the money back in some way, and all of it. */
function demandSettled(params: Params, total: number) {
  const linked = ((params.refunds ?? []) as Params[]).reduce((sum, each) => sum + int(each.amount_refunded), 0)
  const given = int(params.refund_amount) + int(params.credit_amount) + int(params.out_of_band_amount) + linked
  if (given !== total)
    throw wrong(
      `The sum of credit amount, refund amount and out of band amount (${given}) must equal the credit note amount (${total}).`,
      'amount',
    )
}

function settle(bank: Bank, invoice: Obj, note: Obj, params: Params): Params {
  if (invoice.status === 'open') {
    for (const name of ['refund_amount', 'credit_amount', 'out_of_band_amount'])
      if (int(params[name]) > 0) throw wrong(`${name} cannot be given for an invoice that is not paid.`, name)
    return {}
  }
  const refunds = ((params.refunds ?? []) as Params[]).map((each) => linkedRefund(bank, each))
  const amount = int(params.refund_amount)
  if (amount > 0) {
    const intent = bank.t.payment_intents.get(bank.t.invoice_payments.get(invoice._payment)?.payment.payment_intent)
    if (!intent) throw wrong('This invoice was not paid by a charge that can be refunded.', 'refund_amount')
    const refund = createRefund(bank, { charge: intent.latest_charge, amount: String(amount), metadata: { credit_note: note.id } })
    refunds.push({ amount_refunded: amount, payment_record_refund: null, refund: refund.id, type: 'refund' })
  }
  const credit = int(params.credit_amount)
  if (credit === 0) return { refunds }
  const customer = bank.find('customers', invoice.customer)
  const moved = moveBalance(bank, customer, {
    amount: -credit,
    currency: note.currency,
    type: 'credit_note',
    invoice: invoice.id,
    creditNote: note.id,
  })
  return { refunds, customer_balance_transaction: moved.id }
}

function linkedRefund(bank: Bank, { refund: id, amount_refunded }: Params) {
  const refund = bank.find('refunds', id, 'refunds[0][refund]')
  const amount = int(amount_refunded, refund.amount)
  if (amount > refund.amount) throw wrong('The refund is smaller than that.', 'refunds[0][amount_refunded]')
  return { amount_refunded: amount, payment_record_refund: null, refund: refund.id, type: 'refund' }
}

/** Lines of the invoice or of one's own, or else a part of the whole. */
function rowsOf(invoice: Obj, params: Params): Row[] {
  const lines = params.lines as Params[] | undefined
  if (!lines?.length) {
    if (params.amount === undefined) throw required('amount')
    const amount = int(params.amount)
    const taxes = partOf(invoice.total_taxes, amount, invoice.total)
    return [{ amount: amount - onTop(taxes), description: 'Credit', quantity: 1, unit: amount - onTop(taxes), line: null, taxes }]
  }
  return lines.map((given, index) => {
    if (given.type === 'custom_line_item') {
      const [quantity, unit] = [int(given.quantity, 1), int(given.unit_amount)]
      return { amount: quantity * unit, description: text(given.description), quantity, unit, line: null, taxes: [] }
    }
    const line = (invoice.lines.data as Obj[]).find((each) => each.id === given.invoice_line_item)
    if (!line)
      throw wrong(`No such invoice line item: '${given.invoice_line_item}'`, `lines[${index}][invoice_line_item]`, 'resource_missing')
    const net = line.amount - line.discount_amounts.reduce((sum: number, each: { amount: number }) => sum + each.amount, 0)
    const quantity = given.amount === undefined ? int(given.quantity, line.quantity) : null
    const amount = quantity === null ? int(given.amount) : Math.round((net * quantity) / line.quantity)
    if (amount > net) throw wrong('The amount is greater than that of the invoice line.', `lines[${index}][amount]`)
    return {
      amount,
      description: line.description,
      quantity,
      unit: quantity ? Math.round(amount / quantity) : null,
      line,
      taxes: partOf(line.taxes, amount, net),
    }
  })
}

const partOf = (taxes: LineTax[], amount: number, whole: number): LineTax[] =>
  taxes.map((each) => ({
    ...each,
    amount: whole === 0 ? 0 : Math.round((each.amount * amount) / whole),
    taxable_amount: whole === 0 ? 0 : Math.round((each.taxable_amount * amount) / whole),
  }))

const negative = (taxes: LineTax[]): LineTax[] =>
  taxes.map((each) => ({ ...each, amount: -each.amount, taxable_amount: -each.taxable_amount }))

const lineOf = (note: string, row: Row, index: number) => ({
  id: `cnli_${note.slice(3)}${index}`,
  object: 'credit_note_line_item',
  amount: row.amount,
  description: row.description,
  discount_amount: 0,
  discount_amounts: [],
  ...(row.line && { invoice_line_item: row.line.id }),
  livemode: false,
  metadata: {},
  pretax_credit_amounts: [],
  quantity: row.quantity,
  tax_rates: [],
  taxes: row.taxes,
  type: row.line ? 'invoice_line_item' : 'custom_line_item',
  unit_amount: row.unit,
  unit_amount_decimal: row.unit === null ? null : String(row.unit),
})

/** Only before the invoice is paid: money that went back cannot be unsaid. */
export function voidCreditNote(bank: Bank, note: Obj): Obj {
  const invoice = bank.find('invoices', note.invoice)
  if (note.status !== 'issued' || note.type !== 'pre_payment' || invoice.status !== 'open')
    throw wrong('You can only void a credit note of an open invoice.', undefined, 'credit_note_not_voidable')
  bank.t.invoices.put({
    ...invoice,
    amount_due: invoice.amount_due + note.amount,
    amount_remaining: invoice.amount_remaining + note.amount,
    pre_payment_credit_notes_amount: invoice.pre_payment_credit_notes_amount - note.amount,
  })
  const over = bank.t.credit_notes.put({ ...note, status: 'void', voided_at: bank.now(note._clock) })
  bank.fact('credit_note_void', { credit_note: note.id, invoice: invoice.id, amount: note.amount, currency: note.currency })
  if (invoice._place)
    taxFact(bank, { credit_note: note.id, invoice: invoice.id, customer: note.customer }, invoice._place, note.currency, note.total_taxes)
  bank.emit('credit_note.voided', over)
  return over
}
