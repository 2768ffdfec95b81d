import { type Letter, letter } from '../mail/letter.ts'

type Values = { product: string; home: string; stop: string }

export function confirmLetter({ product, go, ...rest }: Values & { go: string }): Letter {
  return letter({
    product,
    ...rest,
    subject: `Confirm your subscription to ${product} news`,
    title: 'One click and you are in',
    text: `Somebody, hopefully you, asked for the ${product} newsletter. Confirm that this address is yours.`,
    action: { label: 'Confirm', url: go },
    after: 'The link works once, for two days. If it was not you, ignore this mail: nothing more will come.',
  })
}

export function welcomeLetter({ product, home, stop }: Values): Letter {
  return letter({
    product,
    home,
    stop,
    subject: `You are on the list for ${product} news`,
    title: 'Thank you for confirming',
    text: `From now on you hear about what is new in ${product}, and nothing else.`,
    action: { label: `Open ${product}`, url: home },
    after: 'Changed your mind? One click on the link below ends it.',
  })
}
