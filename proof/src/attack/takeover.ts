import { type Confirming, startConfirming } from './confirming.ts'
import type { Attack } from './world.ts'

const OWNERS = 'Correct-Horse-9-Battery'
const STRANGERS = 'Stranger-Horse-9-Battery'
const count = (short: boolean) => (short ? 2 : 20)

// S23: a stranger signs an address up before or beside its owner, by email and by phone, also on an address of staff. The stranger gets in by no way, no matter which letter the owner opens.
export const attack: Attack = async (world) => {
  const rounds = count(world.short)
  const staff = Array.from({ length: rounds }, (_, n) => `boss-${n}@example.com`)
  const site = await startConfirming(staff)
  const findings: string[] = []
  let tried = 0
  const expectOut = async (chain: string, who: object, password = STRANGERS) => {
    tried++
    const body = await site.signIn(who, password)
    if (body.access_token) findings.push(`${chain}: the stranger's password signs in`)
  }
  try {
    for (let n = 0; n < rounds; n++) {
      for (const [order, passwords] of [
        ['owner first', [OWNERS, STRANGERS]],
        ['stranger first', [STRANGERS, OWNERS]],
      ] as const) {
        const email = `${order.replace(' ', '-')}-${n}@example.com`
        for (const password of passwords) await site.post('/auth/v1/signup', { email, password })
        const all = await site.letters(email, 2)
        // One click, on whichever letter; the older of the two leads nowhere.
        const arrived = await Promise.all(all.map(site.press))
        if (!arrived.some(Boolean)) findings.push(`two sign-ups, ${order}: the owner does not get in`)
        await expectOut(`two sign-ups, ${order}`, { email })
      }
      for (const email of [`magic-${n}@example.com`, staff[n]!]) {
        await site.post('/auth/v1/signup', { email, password: STRANGERS })
        const [first] = await site.letters(email, 1)
        await site.post('/auth/v1/otp', { email })
        const own = (await site.letters(email, 2)).find(({ id }) => id !== first!.id)!
        const token = await site.press(own)
        if (!token) findings.push(`a magic link to ${email}: the owner does not get in`)
        await expectOut(`pre-registered, then a magic link to ${email}`, { email })
        if (await site.press(first!)) findings.push(`the stranger's letter to ${email} still opens the account`)
      }
      const phone = `+1555${String(2_000_000 + n)}`
      for (const password of [OWNERS, STRANGERS]) await site.post('/auth/v1/signup', { phone, password })
      await site.letters(phone, 2)
      if (!(await enter(site, phone))) findings.push('two sign-ups of a number: the owner does not get in')
      await expectOut('two sign-ups of a number', { phone })
      const before = `+1555${String(3_000_000 + n)}`
      await site.post('/auth/v1/signup', { phone: before, password: STRANGERS })
      await site.letters(before, 1)
      await site.post('/auth/v1/otp', { phone: before })
      await site.letters(before, 2)
      if (!(await enter(site, before))) findings.push('a pre-registered number: the owner does not get in')
      await expectOut('a pre-registered number, then a code', { phone: before })
    }
    for (let n = 0; n < rounds; n++) {
      await moveOver(site, n, expectOut, findings)
      await parkNumber(site, n, expectOut, findings)
    }
    // A guest whose account moves to an address of staff.
    const moved = 'moved-boss@example.com'
    const strict = await startConfirming([moved])
    try {
      const { body: guest } = await strict.post('/auth/v1/signup', {})
      await strict.call('PUT', '/auth/v1/user', { email: moved, password: STRANGERS }, guest.access_token)
      const [letter] = await strict.letters(moved, 1)
      await strict.press(letter!)
      tried += 2
      if ((await strict.signIn({ email: moved }, STRANGERS)).access_token)
        findings.push("a guest moved to a staff address: the guest's password signs in")
      if ((await strict.call('GET', '/auth/v1/user', undefined, guest.access_token)).status === 200)
        findings.push("a guest moved to a staff address: the guest's session lives on")
    } finally {
      await strict.stop()
    }
  } finally {
    await site.stop()
  }
  return { tried, findings }
}

type ExpectOut = (chain: string, who: object, password?: string) => Promise<void>

/** A stranger's account moves to the address that an owner's sign-up waits for; the owner opens the wrong one of two letters. */
async function moveOver(site: Confirming, n: number, expectOut: ExpectOut, findings: string[]) {
  const chain = 'an account moved over a sign-up'
  const [from, owners] = [`mover-${n}@example.com`, `moved-over-${n}@example.com`]
  await site.post('/auth/v1/signup', { email: from, password: STRANGERS })
  const stranger = (await site.press((await site.letters(from, 1))[0]!))!
  const signsInByPasskey = await site.plantPasskey(stranger)
  await site.post('/auth/v1/signup', { email: owners, password: OWNERS })
  const [first] = await site.letters(owners, 1)
  await site.call('PUT', '/auth/v1/user', { email: owners }, stranger)
  const change = (await site.letters(owners, 2)).find(({ id }) => id !== first!.id)!
  const agreed = await site.newest(from, /^Confirm the change/)
  await site.press(agreed)
  const owner = await site.press(change)
  if (!owner || (await site.call('GET', '/auth/v1/user', undefined, owner)).status !== 200)
    findings.push(`${chain}: the owner does not get in`)
  for (const email of [from, owners]) await expectOut(chain, { email })
  if ((await signsInByPasskey()).access_token) findings.push(`${chain}: the stranger's passkey signs in`)
  if ((await site.call('GET', '/auth/v1/user', undefined, stranger)).status === 200)
    findings.push(`${chain}: the stranger's session lives on`)
}

/** A stranger signs up the number that an owner is about to add to their account, and one that an account in use has and never confirmed. */
async function parkNumber(site: Confirming, n: number, expectOut: ExpectOut, findings: string[]) {
  const chain = 'a parked number'
  const email = `number-owner-${n}@example.com`
  await site.post('/auth/v1/signup', { email, password: OWNERS })
  const owner = (await site.press((await site.letters(email, 1))[0]!))!
  const phone = `+1555${String(4_000_000 + n)}`
  await site.post('/auth/v1/signup', { phone, password: STRANGERS })
  const [strangers] = await site.letters(phone, 1)
  await site.call('PUT', '/auth/v1/user', { phone }, owner)
  for (const { text } of await site.letters(phone, 2))
    await site.post('/auth/v1/verify', { type: 'phone_change', phone, token: codeOf(text) })
  if (!(await site.signIn({ phone }, OWNERS)).access_token) findings.push(`${chain}: its owner cannot add it to their account`)
  await expectOut(chain, { phone })
  await site.post('/auth/v1/verify', { type: 'sms', phone, token: codeOf(strangers!.text) })
  await expectOut(`${chain}, and the code of its sign-up`, { phone })

  const typed = `1555${String(5_000_000 + n)}`
  await site.db.updateTable('users').set({ phone: typed, phone_confirmed_at: null }).where('email', '=', email).execute()
  await site.post('/auth/v1/signup', { phone: typed, password: STRANGERS })
  await expectOut("a sign-up of an account's unconfirmed number", { email })
  if (!(await site.signIn({ email }, OWNERS)).access_token)
    findings.push("a sign-up of an account's unconfirmed number: the owner's password no longer works")
}

const codeOf = (text: string) => /\b\d{6}\b/.exec(text)?.[0] ?? ''

async function enter(site: Confirming, phone: string): Promise<boolean> {
  for (const { text } of await site.letters(phone, 1)) {
    if ((await site.post('/auth/v1/verify', { type: 'sms', phone, token: codeOf(text) })).body?.access_token) return true
  }
  return false
}
