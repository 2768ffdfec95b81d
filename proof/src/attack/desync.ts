import { earlyAnswers, framings, sendHidden } from '@operon/gateway/testing/early-answers'
import type { Attack } from './world.ts'

// S30: bytes behind or within every request that is refused or answered early. The gateway's own tests hold the same cases with services
// over Unix sockets and TCP (`gateway/src/early-answers.test.ts`), and behind nginx and HAProxy (`gateway/src/proxies.test.ts`).
export const attack: Attack = async (world) => {
  const port = Number(new URL(world.url).port)
  const { token } = await world.actor('seller')
  const doors = {
    open: '/functions/v1/validate-referral',
    mine: '/functions/v1/account-sessions',
    staff: '/functions/v1/account-erasures',
    missing: '/functions/v1/there-is-none',
    userToken: token!,
  }
  const hidden = 'POST /functions/v1/account-sessions HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n'
  const findings: string[] = []
  let tried = 0
  // Nothing here is at its limit: that answer is tried by the gateway's own tests.
  for (const early of earlyAnswers({ ...doors, limited: doors.open }).filter(({ name }) => name !== '429'))
    for (const framing of early.framings ?? framings) {
      const answers = await sendHidden(port, early.head, framing, hidden)
      tried++
      if (answers.length !== 1) findings.push(`${early.name}, ${framing}: ${answers.join(' and then ') || 'no answer'}`)
      else if (!early.status.test(answers[0]!)) findings.push(`${early.name}, ${framing}: answered ${answers[0]}`)
    }
  return { tried, findings }
}
