import type { Bank, Obj } from './bank.ts'
import { required, wrong } from './errors.ts'
import { int, mergeMetadata, type Params } from './form.ts'
import { planOf } from './items.ts'
import { periodEnd, type Recurring } from './periods.ts'

// Schedules: what a subscription becomes with its next period. Only the part that a plan page needs is played: a schedule made from a subscription, one more phase, and its release.

export function createSchedule(bank: Bank, params: Params): Obj {
  if (!params.from_subscription) throw required('from_subscription')
  const subscription = bank.find('subscriptions', params.from_subscription, 'from_subscription')
  if (!['active', 'trialing', 'past_due'].includes(subscription.status))
    throw wrong(`The subscription ${subscription.id} is ${subscription.status} and cannot be scheduled.`, 'from_subscription')
  if (subscription.schedule)
    throw wrong(
      `You cannot migrate a subscription that is already attached to a schedule: ${subscription.schedule}.`,
      'from_subscription',
      'resource_already_exists',
    )
  if (subscription.cancel_at !== null) throw wrong('You cannot schedule a subscription that is set to be canceled.', 'from_subscription')
  const { current_period_start, current_period_end } = subscription.items.data[0]
  const id = bank.id('subscription_schedules')
  const schedule = bank.t.subscription_schedules.put({
    id,
    object: 'subscription_schedule',
    application: null,
    billing_mode: { flexible: null, type: 'classic' },
    canceled_at: null,
    completed_at: null,
    created: bank.now(subscription._clock),
    current_phase: { start_date: current_period_start, end_date: current_period_end },
    customer: subscription.customer,
    customer_account: null,
    default_settings: {
      application_fee_percent: null,
      automatic_tax: { disabled_reason: null, enabled: false, liability: null },
      billing_cycle_anchor: 'automatic',
      billing_thresholds: null,
      collection_method: 'charge_automatically',
      default_payment_method: null,
      description: null,
      invoice_settings: {
        account_tax_ids: null,
        custom_fields: null,
        days_until_due: null,
        description: null,
        footer: null,
        issuer: { type: 'self' },
      },
      on_behalf_of: null,
      transfer_data: null,
    },
    end_behavior: 'release',
    livemode: false,
    metadata: {},
    pause_schedules: [],
    phases: [phaseOf(subscription, subscription.items.data, current_period_start, current_period_end)],
    released_at: null,
    released_subscription: null,
    status: 'active',
    subscription: subscription.id,
    test_clock: subscription.test_clock,
  })
  bank.emit('subscription_schedule.created', schedule)
  attach(bank, subscription, id)
  return schedule
}

/** The running phase stays as it is; those after it follow one upon the other. */
export function updateSchedule(bank: Bank, schedule: Obj, params: Params): Obj {
  demandActive(schedule)
  const subscription = bank.find('subscriptions', schedule.subscription)
  const given = (params.phases ?? []) as Params[]
  const [running] = schedule.phases
  if (given.length > 0 && int(given[0]!.start_date) !== running.start_date)
    throw wrong('The start date of the current phase cannot be changed.', 'phases[0][start_date]')
  if (given[0]?.end_date && int(given[0].end_date) !== running.end_date)
    throw wrong('Stripe takes another end of the current phase, and this stand-in does not play it yet.', 'phases[0][end_date]')
  let start: number = running.end_date
  const later = given.slice(1).map((phase, at) => {
    const items = ((phase.items ?? []) as Params[]).map(({ price, quantity }) => {
      const found = bank.find('prices', price, `phases[${at + 1}][items][0][price]`)
      return { price: found, quantity: int(quantity, 1) }
    })
    if (items.length === 0) throw required(`phases[${at + 1}][items]`)
    const length = phase.duration as Params | undefined
    if (!length) throw required(`phases[${at + 1}][duration]`)
    const every = { interval: length.interval, interval_count: int(length.interval_count, 1) } as Recurring
    const made = phaseOf(subscription, items, start, periodEnd(start, every))
    start = made.end_date
    return made
  })
  const changed = bank.t.subscription_schedules.put({
    ...schedule,
    ...(given.length > 0 && { phases: [running, ...later] }),
    ...(params.end_behavior && { end_behavior: params.end_behavior }),
    metadata: mergeMetadata(schedule.metadata, params.metadata),
  })
  bank.emit('subscription_schedule.updated', changed)
  return changed
}

/** The subscription goes on as it is, without what was planned. */
export function releaseSchedule(bank: Bank, schedule: Obj): Obj {
  demandActive(schedule)
  const subscription = bank.find('subscriptions', schedule.subscription)
  const released = bank.t.subscription_schedules.put({
    ...schedule,
    current_phase: null,
    released_at: bank.now(subscription._clock),
    released_subscription: subscription.id,
    status: 'released',
    subscription: null,
  })
  bank.emit('subscription_schedule.released', released)
  attach(bank, subscription, null)
  return released
}

/** A subscription that ends takes its plans with it. */
export function cancelSchedule(bank: Bank, id: string) {
  const schedule = bank.find('subscription_schedules', id)
  const canceled = bank.t.subscription_schedules.put({
    ...schedule,
    canceled_at: bank.now(bank.find('subscriptions', schedule.subscription)._clock),
    current_phase: null,
    status: 'canceled',
  })
  bank.emit('subscription_schedule.canceled', canceled)
}

/** The subscription as its next period has it: with the prices of the phase that begins now. */
export function enterPhase(bank: Bank, subscription: Obj, at: number): Obj {
  const schedule = subscription.schedule ? bank.find('subscription_schedules', subscription.schedule) : null
  if (!schedule) return subscription
  const phase = (schedule.phases as Obj[]).find((each) => each.start_date <= at && at < each.end_date)
  if (!phase) {
    releaseSchedule(bank, schedule)
    return bank.find('subscriptions', subscription.id)
  }
  bank.t.subscription_schedules.put({ ...schedule, current_phase: { start_date: phase.start_date, end_date: phase.end_date } })
  const data = (subscription.items.data as Obj[]).map((item, index) => {
    const price = bank.find('prices', phase.items[index]?.price ?? item.price.id)
    return { ...item, price, plan: planOf(price) }
  })
  return bank.t.subscriptions.put({ ...subscription, items: { ...subscription.items, data } })
}

function attach(bank: Bank, subscription: Obj, schedule: string | null) {
  const after = bank.t.subscriptions.put({ ...subscription, schedule })
  bank.emit('customer.subscription.updated', after, { schedule: subscription.schedule })
}

function demandActive({ id, status }: Obj) {
  if (status !== 'active') throw wrong(`The subscription schedule ${id} is ${status} and cannot be changed.`, 'id')
}

const phaseOf = (subscription: Obj, items: { price: Obj; quantity: number }[] | Obj[], start_date: number, end_date: number): Obj =>
  ({
    add_invoice_items: [],
    application_fee_percent: null,
    automatic_tax: { disabled_reason: null, enabled: subscription.automatic_tax.enabled, liability: subscription.automatic_tax.liability },
    billing_cycle_anchor: null,
    billing_thresholds: null,
    collection_method: null,
    currency: subscription.currency,
    default_payment_method: null,
    default_tax_rates: [],
    description: null,
    discounts: [],
    end_date,
    invoice_settings: null,
    items: items.map(({ price, quantity }) => ({
      billing_thresholds: null,
      discounts: [],
      metadata: {},
      plan: price.id,
      price: price.id,
      quantity,
      tax_rates: [],
    })),
    metadata: {},
    on_behalf_of: null,
    proration_behavior: 'none',
    start_date,
    transfer_data: null,
    trial_end: null,
  }) as unknown as Obj
