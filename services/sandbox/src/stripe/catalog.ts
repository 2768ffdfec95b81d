import type { Bank, Obj } from './bank.ts'
import { required, wrong } from './errors.ts'
import { int, mergeMetadata, type Params, text, yes } from './form.ts'

export function createProduct(bank: Bank, params: Params): Obj {
  if (!params.name) throw required('name')
  if (params.id && bank.t.products.get(params.id)) throw wrong(`Product already exists.`, 'id', 'resource_already_exists')
  const created = bank.now()
  const product = bank.t.products.put({
    id: params.id ?? bank.id('products'),
    object: 'product',
    active: params.active === undefined || yes(params.active),
    created,
    default_price: null,
    description: text(params.description),
    images: params.images ?? [],
    livemode: false,
    marketing_features: params.marketing_features ?? [],
    metadata: mergeMetadata({}, params.metadata),
    name: params.name,
    package_dimensions: null,
    shippable: null,
    statement_descriptor: text(params.statement_descriptor),
    tax_code: text(params.tax_code),
    tax_details: null,
    type: 'service',
    unit_label: text(params.unit_label),
    updated: created,
    url: text(params.url),
  })
  bank.emit('product.created', product)
  if (!params.default_price_data) return product
  const price = createPrice(bank, { ...params.default_price_data, product: product.id })
  return bank.t.products.put({ ...product, default_price: price.id })
}

export function createPrice(bank: Bank, params: Params): Obj {
  if (!params.currency) throw required('currency')
  if (params.unit_amount === undefined && params.unit_amount_decimal === undefined) throw required('unit_amount')
  const product = params.product_data ? createProduct(bank, params.product_data) : bank.find('products', params.product, 'product')
  const lookupKey = text(params.lookup_key)
  const holder = lookupKey ? bank.t.prices.all().find((price) => price.lookup_key === lookupKey) : undefined
  if (holder && !yes(params.transfer_lookup_key))
    throw wrong(`A price (\`${holder.id}\`) already uses that lookup key.`, 'lookup_key', 'resource_already_exists')
  if (holder) bank.t.prices.put({ ...holder, lookup_key: null })
  const unit = int(params.unit_amount ?? params.unit_amount_decimal)
  if (unit < 0) throw wrong('This value must be greater than or equal to 0.', 'unit_amount', 'parameter_invalid_integer')
  const { interval, interval_count } = (params.recurring ?? {}) as Params
  const price = bank.t.prices.put({
    id: bank.id('prices'),
    object: 'price',
    active: params.active === undefined || yes(params.active),
    billing_scheme: 'per_unit',
    created: bank.now(),
    currency: String(params.currency).toLowerCase(),
    custom_unit_amount: null,
    livemode: false,
    lookup_key: lookupKey,
    metadata: mergeMetadata({}, params.metadata),
    nickname: text(params.nickname),
    product: product.id,
    recurring: interval
      ? { interval, interval_count: int(interval_count, 1), meter: null, trial_period_days: null, usage_type: 'licensed' }
      : null,
    tax_behavior: params.tax_behavior ?? 'unspecified',
    tiers_mode: null,
    transform_quantity: null,
    type: interval ? 'recurring' : 'one_time',
    unit_amount: unit,
    unit_amount_decimal: String(unit),
  })
  bank.emit('price.created', price)
  return price
}

export function updatePrice(bank: Bank, price: Obj, params: Params): Obj {
  const behaviour = params.tax_behavior
  if (behaviour !== undefined && price.tax_behavior !== 'unspecified' && price.tax_behavior !== behaviour)
    throw wrong('You cannot change the `tax_behavior` of a price once it is set to `exclusive` or `inclusive`.', 'tax_behavior')
  const changed = {
    ...price,
    ...(params.active !== undefined && { active: yes(params.active) }),
    ...(params.nickname !== undefined && { nickname: text(params.nickname) }),
    ...(params.lookup_key !== undefined && { lookup_key: text(params.lookup_key) }),
    ...(behaviour !== undefined && { tax_behavior: behaviour }),
    metadata: mergeMetadata(price.metadata, params.metadata),
  }
  bank.t.prices.put(changed)
  bank.emit('price.updated', changed)
  return changed
}

export function updateProduct(bank: Bank, product: Obj, params: Params): Obj {
  const fields = ['name', 'description', 'url', 'default_price', 'statement_descriptor', 'tax_code', 'unit_label'] as const
  const changed: Obj = { ...product, updated: bank.now(), metadata: mergeMetadata(product.metadata, params.metadata) }
  for (const field of fields) if (params[field] !== undefined) changed[field] = text(params[field])
  if (params.active !== undefined) changed.active = yes(params.active)
  bank.t.products.put(changed)
  bank.emit('product.updated', changed)
  return changed
}

export function createCoupon(bank: Bank, params: Params): Obj {
  if (params.id && bank.t.coupons.get(params.id)) throw wrong(`Coupon already exists.`, 'id', 'resource_already_exists')
  if (!params.percent_off && !params.amount_off) throw required('percent_off')
  if (params.percent_off && !(Number(params.percent_off) > 0 && Number(params.percent_off) <= 100))
    throw wrong('percent_off must be between 0.01 and 100', 'percent_off')
  if (params.percent_off && params.amount_off) throw wrong('A coupon takes off a percentage or an amount, not both.', 'amount_off')
  if (params.amount_off && int(params.amount_off) < 1) throw wrong('Invalid positive integer', 'amount_off', 'parameter_invalid_integer')
  if (params.amount_off && !params.currency) throw required('currency')
  if (params.duration_in_months && params.duration !== 'repeating')
    throw wrong('duration_in_months can only be given where duration is repeating.', 'duration_in_months')
  if (params.duration === 'repeating' && !params.duration_in_months) throw required('duration_in_months')
  const coupon = bank.t.coupons.put({
    id: params.id ?? bank.state.id('c', 8).slice(2),
    object: 'coupon',
    amount_off: params.amount_off ? int(params.amount_off) : null,
    created: bank.now(),
    currency: text(params.currency)?.toLowerCase() ?? null,
    duration: params.duration ?? 'once',
    duration_in_months: params.duration_in_months ? int(params.duration_in_months) : null,
    livemode: false,
    max_redemptions: params.max_redemptions ? int(params.max_redemptions) : null,
    metadata: mergeMetadata({}, params.metadata),
    name: text(params.name),
    percent_off: params.percent_off ? Number(params.percent_off) : null,
    redeem_by: params.redeem_by ? int(params.redeem_by) : null,
    times_redeemed: 0,
    valid: true,
    _products: (params.applies_to?.products as string[] | undefined) ?? null,
  })
  bank.emit('coupon.created', coupon)
  return coupon
}

/** An ended coupon keeps its existing discounts; nobody else can use it. */
export function deleteCoupon(bank: Bank, coupon: Obj) {
  bank.t.coupons.put({ ...coupon, deleted: true, valid: false })
  bank.emit('coupon.deleted', coupon)
  return { id: coupon.id, object: 'coupon', deleted: true }
}

export function updatePromotionCode(bank: Bank, code: Obj, params: Params): Obj {
  if (params.active !== undefined && yes(params.active) && code.max_redemptions !== null && code.times_redeemed >= code.max_redemptions)
    throw wrong('This promotion code has been used as often as it may be, so it cannot be active again.', 'active')
  const changed = bank.t.promotion_codes.put({
    ...code,
    ...(params.active !== undefined && { active: yes(params.active) }),
    metadata: mergeMetadata(code.metadata, params.metadata),
  })
  bank.emit('promotion_code.updated', changed)
  return changed
}

export function createPromotionCode(bank: Bank, params: Params): Obj {
  const coupon = bank.find('coupons', params.promotion?.coupon ?? params.coupon, 'promotion[coupon]')
  const code = text(params.code) ?? bank.state.id('p', 8).slice(2).toUpperCase()
  const active = bank.t.promotion_codes.all().find((each) => each.active && each.code.toLowerCase() === code.toLowerCase())
  if (active) throw wrong(`An active promotion code with \`code: ${code}\` already exists.`, 'code', 'resource_already_exists')
  if (!/^[A-Za-z0-9-]{1,500}$/.test(code)) throw wrong('A code has letters, digits and hyphens only.', 'code')
  const { first_time_transaction, minimum_amount, minimum_amount_currency } = (params.restrictions ?? {}) as Params
  const made = bank.t.promotion_codes.put({
    id: bank.id('promotion_codes'),
    object: 'promotion_code',
    active: params.active === undefined || yes(params.active),
    code,
    created: bank.now(),
    customer: text(params.customer),
    customer_account: null,
    expires_at: params.expires_at ? int(params.expires_at) : null,
    livemode: false,
    max_redemptions: params.max_redemptions ? int(params.max_redemptions) : null,
    metadata: mergeMetadata({}, params.metadata),
    promotion: { type: 'coupon', coupon: coupon.id },
    restrictions: {
      first_time_transaction: yes(first_time_transaction),
      minimum_amount: minimum_amount ? int(minimum_amount) : null,
      minimum_amount_currency: text(minimum_amount_currency),
    },
    times_redeemed: 0,
  })
  bank.emit('promotion_code.created', made)
  return made
}
