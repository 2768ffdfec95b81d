import { aiGatewayService } from '@operon/ai-gateway/service'
import { analyticsService } from '@operon/analytics/service'
import { lookAfter } from '@operon/integrations/connections/sweep'
import { integrationsService } from '@operon/integrations/service'
import { connectingIn, workingsOf } from '@operon/integrations/testing'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { afterAll, expect, test } from 'vitest'

// A request to the assistant about a connected app, down to the app's own log.

const platform = await startTestPlatform([aiGatewayService, integrationsService, analyticsService, sandboxService], {
  SANDBOX_MODEL_PACE_MS: '0',
})
const world = connectingIn(platform)
afterAll(() => platform.close())

const post = (user: TestUser, name: string, body: object) => platform.call(name, user, body)
const places: [string, object][] = [
  ['ai-orchestrator', { task_type: 'action' }],
  ['ai-chat', { feature: 'assistant', tools: true }],
]
/** The objects that the stand-in of the app holds from this person. */
async function posted(user: TestUser) {
  const { objects } = (await (await fetch(`${world.sandbox}/sandbox/api/apps`)).json()) as { objects: any[] }
  return objects.filter(({ kind, account }) => kind === 'message' && account === `slack.com:${user.email}`).map(({ data }) => data)
}

test.each(places)('%s: a message to Slack is proposed with its words, and posted once it is approved [spec-77]', async (name, place) => {
  const user = platform.user()
  await world.connected(user, 'slack')
  const message = "post 'We are open on Sunday' to #general in Slack"
  const { body } = await post(user, name, { ...place, message, conversation_id: 'new' })
  const input = { app: 'slack', action: 'post-message', input: { channel: '#general', text: 'We are open on Sunday' } }
  expect(body.approval).toMatchObject({
    state: 'proposed',
    steps: [{ action: 'run-app-action', does: 'Does “post message” in Slack', input }],
  })
  expect(await posted(user)).toEqual([])
  await post(user, 'approve-actions', { approval_id: body.approval.id })
  await expect.poll(() => posted(user)).toEqual([{ channel: '#general', text: 'We are open on Sunday' }])
})

test.each(places)('%s: a file of Google Drive is found, with its row beside the answer [spec-77]', async (name, place) => {
  const user = platform.user()
  await world.connected(user, 'google-drive')
  for (const where of ['Google Drive', 'Drive']) {
    const { body } = await post(user, name, { ...place, message: `find the price list in my ${where}`, conversation_id: 'new' })
    expect(body).toMatchObject({ approval: null, evidence: [{ action: 'read-from-app', rows: [{ title: 'Price list 2026.pdf' }] }] })
  }
})

test('an app that is not connected is named, and what cannot be told from the words is asked for', async () => {
  const user = platform.user()
  const ask = async (message: string) =>
    (await post(user, 'ai-orchestrator', { message, task_type: 'action', conversation_id: 'new' })).body
  const lost = await ask("post 'We are open on Sunday' to #general in Slack")
  expect([lost.approval, lost.response]).toEqual([null, expect.stringContaining('Slack is not connected. Connect it in the App Library.')])
  const vague = await ask('post a message in Slack')
  expect([vague.approval, vague.response]).toEqual([null, expect.stringContaining('list channels, post a message')])
})

test('a connection that was just made and is cut over there: badge and notice within the minute [spec-125]', async () => {
  const user = platform.user()
  const id = await world.connected(user, 'slack')
  for (const grant of await world.grantsOf(user.email)) await world.steer(grant.id, 'cut')
  // As if a minute had passed.
  const minute = new Date(Date.now() - 60_000)
  await world.db
    .updateTable('connections')
    .set({ checked_at: minute, last_call_at: minute })
    .where('id', '=', id)
    .where('last_call_at', 'is not', null)
    .execute()
  const { rt, call } = workingsOf(platform)
  await lookAfter(rt, call)
  const { apps } = (await world.call(user, 'list-apps')).body
  expect(apps.find((app: any) => app.id === 'slack').state).toBe('broken')
  const bell = `${platform.url('analytics')}/rest/v1/notifications?select=title,link`
  await expect
    .poll(async () => (await fetch(bell, { headers: user.headers })).json())
    .toEqual([{ title: 'Slack has to be connected again', link: '/dashboard/app-library' }])
})
