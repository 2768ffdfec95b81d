import type { CallArgs } from '@operon/contracts/calls'
import type { Sender } from '../queries.ts'

/** A greeting, or the words given, and the footer that every email needs. */
export function blankEmail(
  senders: Sender[] | undefined,
  text = 'Hi {{ first_name | default: "there" }},\n\n',
): NonNullable<CallArgs<'create-campaign'>['document']> {
  const first = senders?.find(({ is_default }) => is_default) ?? senders?.[0]
  return {
    blocks: [
      { kind: 'text', id: 'text', text },
      { kind: 'footer', id: 'footer', name: first?.name ?? '', address: '' },
    ],
  }
}
