import type { Previewed } from '@operon/kit/previews'

/** The tables that previews of this service's actions speak of, a line each. */
export const previewed: Previewed = {
  items: {
    ...{ one: 'product', id: 'item' },
    shows: { title: 'Title', price_cents: 'Price', status: 'Status', summary: 'Summary', description: 'Description', category: 'Category' },
  },
  coupons: { one: 'coupon', id: 'coupon', owner: 'seller_id', shows: { code: 'Code', percent_off: 'Percent off' } },
  refund_requests: {
    ...{ one: 'refund request', id: 'refund_request', owner: 'seller_id' },
    shows: { reason: 'Reason', text: 'Text', state: 'State', answer: 'Answer' },
  },
  reviews: {
    one: 'review',
    id: 'review',
    owner: 'seller_id',
    shows: { title: 'Product', name: 'From', rating: 'Stars', text: 'Text', answer: 'Answer' },
  },
  threads: { one: 'conversation', id: 'thread', owner: 'seller_id', shows: { subject: 'Subject', email: 'With' } },
  files: { one: 'file', id: 'upload', shows: { name: 'Name', type: 'Type' } },
  thread_messages: { one: 'message' },
}
