import type { Letter } from '@operon/kit/mail/frame'

export const confirmLetter = ({ product, go, stop }: { product: string; go: string; stop: string }): Letter => ({
  subject: `Confirm your subscription to ${product} news`,
  title: 'Confirm your subscription',
  text: `We received a request to send the ${product} newsletter to this address.`,
  action: { label: 'Confirm', url: go },
  after: 'The link works once, for two days. If it was not you, ignore this email. We will not send another.',
  stop,
})

export const welcomeLetter = ({ product, home, stop }: { product: string; home: string; stop: string }): Letter => ({
  subject: `You are on the list for ${product} news`,
  title: 'Thank you for confirming',
  text: `We will email you product news from ${product}, and nothing else.`,
  action: { label: `Open ${product}`, url: home },
  after: 'Changed your mind? Unsubscribe with one click below.',
  stop,
})
