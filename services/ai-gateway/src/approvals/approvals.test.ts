import { fn } from '@operon/contracts/contract'
import { contracts } from '@operon/contracts/registry'
import type { UserActor } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { serve } from '@operon/kit/http'
import { newId } from '@operon/kit/ids'
import { keyActor } from '@operon/kit/keys'
import { insert } from '@operon/kit/testing/rows'
import { startTestPlatform, type TestUser } from '@operon/kit/testing/service'
import { sandboxService } from '@operon/sandbox/service'
import { sql } from 'kysely'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { Desk, toolsFor } from '../assistant/tools.ts'
import { aiGatewayService } from '../service.ts'
import { approve, closeDead, SILENT_FOR_S } from './approvals.ts'
import { missingFor } from './offered.ts'

// A service of the fleet that sends: with a preview, a way back, and one that needs an app.
const body = z.object({ to: z.string().max(100) })
const declared = { access: 'user', summary: 's', description: 'd', errors: [] } as const
const preview = fn('test-preview', {
  ...declared,
  body,
  reply: z.object({ recipients: z.int() }),
  action: { title: 'Preview', when: 'never', effect: 'reads' },
})
const takeBack = fn('test-take-back', {
  ...declared,
  idempotent: true,
  body: z.object({ sent: z.string() }),
  reply: z.object({}),
  action: { title: 'Take back', when: 'never', effect: 'changes', does: () => 'Takes it back' },
})
const send = fn('test-send', {
  ...declared,
  idempotent: true,
  body,
  reply: z.object({ sent: z.string() }),
  action: {
    title: 'Send',
    when: 'never',
    effect: 'sends',
    does: ({ to }) => `Sends to ${to}`,
    preview,
    undo: { contract: takeBack, seconds: 60 },
  },
})
const note = fn('test-note', {
  ...declared,
  idempotent: true,
  body: z.object({ text: z.string().max(20) }),
  reply: z.object({ text: z.string() }),
  action: {
    title: 'Note',
    when: 'never',
    effect: 'changes',
    does: ({ text }) => `Notes ${text}`,
    noPreview: 'It keeps its effects in memory.',
  },
})
const post = fn('test-post', {
  ...declared,
  idempotent: true,
  body,
  reply: z.object({}),
  action: {
    title: 'Post',
    when: 'never',
    effect: 'sends',
    does: () => 'Posts',
    needs: ['notion'],
    noPreview: 'Nobody answers for it here.',
  },
})
const reading = (name: string, title: string, more: object, access: 'user' | 'aal2' = 'user') =>
  fn(name, { ...declared, access, reply: z.object({}), action: { title, when: 'never', effect: 'reads', ...more } })
const guarded = {
  wall: reading('test-wall', 'Wall sextant', { needs: ['notion'] }),
  mails: reading('test-mails', 'Mail sextant', { unit: 'emails' }),
  vault: reading('test-vault', 'Vault sextant', {}, 'aal2'),
}
/** A change whose preview refuses a thing that is not there. */
const showDraft = fn('test-show-draft', {
  ...declared,
  body: z.object({ draft: z.string() }),
  reply: z.object({ draft: z.string() }),
  action: { title: 'Show a draft', when: 'never', effect: 'reads' },
})
const drafting = {
  showDraft,
  publish: fn('test-publish', {
    ...declared,
    idempotent: true,
    body: z.object({ draft: z.string().max(20) }),
    reply: z.object({}),
    action: { title: 'Publish', when: 'never', effect: 'changes', does: ({ draft }) => `Publishes ${draft}`, preview: showDraft },
  }),
  destroy: fn('test-destroy', {
    ...declared,
    idempotent: true,
    body: z.object({ draft: z.string() }),
    reply: z.object({}),
    action: { title: 'Destroy', when: 'never', effect: 'destroys', does: ({ draft }) => `Destroys ${draft}`, preview: showDraft },
  }),
}
Object.assign(contracts['ai-gateway'], { preview, send, takeBack, note, post, ...guarded, ...drafting })

let recipients = 3
let whilePreviewed: () => Promise<unknown> = async () => null
const effects: string[] = []
const service: typeof aiGatewayService = {
  ...aiGatewayService,
  async setup(rt) {
    await aiGatewayService.setup(rt)
    serve(rt.app, preview, async () => {
      await whilePreviewed()
      return { recipients }
    })
    serve(rt.app, send, async (_ctx, { to }) => {
      if (to === 'nobody') throw new Error('a bug')
      effects.push(to)
      return { sent: to }
    })
    serve(rt.app, takeBack, async (_ctx, { sent }) => {
      effects.push(`back ${sent}`)
      return {}
    })
    const there = (draft: string) => {
      if (!effects.includes(`note ${draft}`)) throw new DomainError('not_found')
    }
    serve(rt.app, drafting.showDraft, async (_ctx, { draft }) => {
      there(draft)
      return { draft }
    })
    for (const contract of [drafting.publish, drafting.destroy])
      serve(rt.app, contract, async (_ctx, { draft }) => {
        there(draft)
        effects.push(`${contract.action!.title} ${draft}`)
        return {}
      })
    for (const contract of Object.values(guarded)) serve(rt.app, contract, async () => ({}))
    serve(rt.app, note, async (_ctx, { text }) => {
      effects.push(`note ${text}`)
      return { text }
    })
  },
}

const platform = await startTestPlatform([service, sandboxService], { SANDBOX_MODEL_PACE_MS: '0' })
afterAll(() => platform.close())
beforeEach(() => {
  recipients = 3
  whilePreviewed = async () => null
  effects.length = 0
})

const call = (user: TestUser, name: string, args: unknown, headers = {}) => platform.call(name, user, args, headers)
const propose = async (user: TestUser, ...steps: object[]) => {
  const { status, body } = await call(user, 'propose-actions', { steps })
  return { status, ...body, ...body.approval }
}
const read = async (user: TestUser, id: string): Promise<any> => {
  const response = await fetch(`${platform.url('ai-gateway')}/rest/v1/ai_approvals?id=eq.${id}`, { headers: user.headers })
  return ((await response.json()) as any[])[0]
}
const ended = (user: TestUser, id: string) =>
  vi.waitFor(async () => {
    const approval = await read(user, id)
    expect(approval.state).not.toBe('running')
    return approval
  }, 10_000)
const noted = (text: string) => ({ action: 'test-note', input: { text } })
const sendTo = (to: string) => ({ action: 'test-send', input: { to } })

test('a proposal shows its sentence and preview, and nothing runs until it is approved [spec-77]', async () => {
  const user = platform.user()
  const proposed = await propose(user, sendTo('ada'))
  expect(proposed).toMatchObject({
    state: 'proposed',
    title: 'Send',
    steps: [{ does: 'Sends to ada', preview: { recipients: 3 }, state: 'waiting' }],
  })
  expect(effects).toEqual([])
  expect((await call(user, 'approve-actions', { approval_id: proposed.id })).body.approval.state).toBe('running')
  expect(await ended(user, proposed.id)).toMatchObject({ state: 'done', steps: [{ state: 'done', reply: { sent: 'ada' } }] })
  expect(effects).toEqual(['ada'])
})

test('what was approved twice, also at once, runs once [spec-77]', async () => {
  const user = platform.user()
  const { id } = await propose(user, sendTo('ada'))
  const both = await Promise.all([1, 2].map(() => call(user, 'approve-actions', { approval_id: id })))
  expect(both.map(({ status }) => status)).toEqual([200, 200])
  await ended(user, id)
  expect((await call(user, 'approve-actions', { approval_id: id })).body.approval.state).toBe('done')
  expect(effects).toEqual(['ada'])
})

test('what has changed since it was shown is refused, shown anew, and can then be approved', async () => {
  const user = platform.user()
  const { id } = await propose(user, sendTo('ada'))
  recipients = 300
  expect(await call(user, 'approve-actions', { approval_id: id })).toMatchObject({ status: 409, body: { code: 'approval_changed' } })
  expect(effects).toEqual([])
  expect((await read(user, id)).steps[0].preview).toEqual({ recipients: 300 })
  expect((await call(user, 'approve-actions', { approval_id: id })).status).toBe(200)
  await ended(user, id)
  expect(effects).toEqual(['ada'])
})

const expire = (where: { id?: string; user_id?: string }) =>
  platform.services['ai-gateway']!.rt.db.updateTable('ai_approvals')
    .set({ expires_at: sql`now() - interval '1 second'` })
    .where((eb: any) => eb.and(where))
    .execute()

test('a proposal that runs out while its steps are looked at once more does not run', async () => {
  const user = platform.user()
  const { id } = await propose(user, sendTo('ada'))
  whilePreviewed = () => expire({ id })
  expect((await call(user, 'approve-actions', { approval_id: id })).body.approval.state).toBe('proposed')
  expect(await call(user, 'approve-actions', { approval_id: id })).toMatchObject({ status: 409, body: { code: 'approval_closed' } })
  expect(effects).toEqual([])
})

test('a hundred proposals wait at most, and those that ran out make room', async () => {
  const user = platform.user()
  const db = platform.services['ai-gateway']!.rt.db
  const { id } = await propose(user, sendTo('ada'))
  const row = await db.selectFrom('ai_approvals').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const more = Array.from({ length: 99 }, () => ({ ...row, id: newId(), steps: JSON.stringify(row.steps), asked_key: null }))
  await insert(db, 'ai_approvals', more)
  expect(await propose(user, sendTo('bo'))).toMatchObject({ status: 400, message: expect.stringMatching(/^100 proposals wait/) })
  await expire({ user_id: user.id })
  expect(await propose(user, sendTo('bo'))).toMatchObject({ status: 200, state: 'proposed' })
})

test('somebody else’s proposal is not there: to read, approve, edit, undo or dismiss', async () => {
  const [user, stranger] = [platform.user(), platform.user()]
  const { id } = await propose(user, sendTo('ada'))
  expect(await read(stranger, id)).toBeUndefined()
  for (const [name, more] of [
    ['approve-actions', {}],
    ['edit-proposal', { step: 1, input: { to: 'me' } }],
    ['undo-action', { step: 1 }],
  ] as const)
    expect((await call(stranger, name, { approval_id: id, ...more })).status).toBe(404)
  await fetch(`${platform.url('ai-gateway')}/rest/v1/ai_approvals?id=eq.${id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', ...stranger.headers },
    body: '{"state":"dismissed"}',
  })
  expect((await read(user, id)).state).toBe('proposed')
  expect(effects).toEqual([])
})

test('neither a key nor a grant approves', async () => {
  const user = platform.user()
  const { id } = await propose(user, sendTo('ada'))
  const { key } = platform.key(user.id, { scopes: ['chat', 'models', 'reads', 'changes', 'spends', 'sends', 'destroys'] })
  const byKey = await call({ ...user, headers: { ...user.headers, authorization: `Bearer ${key}` } }, 'approve-actions', {
    approval_id: id,
  })
  expect([byKey.status, byKey.body.code]).toEqual([403, 'key_scope'])
  const { rt } = platform.services['ai-gateway']!
  const actor = { ...rt.ctx().actor, kind: 'user', id: user.id, key: { id: newId(), scopes: [], monthlyPrompts: null } } as never
  const { key: _, ...session } = actor as any
  const grant = { id: newId(), userId: user.id, actions: [], until: null }
  for (const ctx of [
    { ...rt.ctx(), actor },
    { ...rt.ctx(), actor: session, grant },
  ])
    await expect(approve({} as never, ctx as never, id)).rejects.toMatchObject({ code: 'forbidden' })
  expect(effects).toEqual([])
})

test('several steps run in order under one approval, and later ones use what earlier ones answered', async () => {
  const user = platform.user()
  const steps = [sendTo('ada'), noted('{{1.sent}}')]
  const { id, title } = await propose(user, ...steps)
  expect(title).toBe('Send and 1 more')
  await call(user, 'approve-actions', { approval_id: id })
  await ended(user, id)
  expect(effects).toEqual(['ada', 'note ada'])
  expect(await propose(user, noted('{{1.sent}}'))).toMatchObject({ status: 400 })
  // The message has to be known when it is approved.
  expect(await propose(user, steps[1]!, sendTo('{{1.text}}'))).toMatchObject({ status: 400 })
})

test('a step that is refused for want of an earlier one is proposed with it, and by itself refused', async () => {
  const user = platform.user()
  const [make, publish] = [noted('sonnet'), { action: 'test-publish', input: { draft: 'sonnet' } }]
  expect((await propose(user, publish)).status).toBe(404)
  // Neither a step after it, nor one that only reads.
  expect((await propose(user, publish, make)).status).toBe(404)
  expect((await propose(user, { action: 'test-preview', input: { to: 'ada' } }, publish)).status).toBe(404)
  const { id, steps } = await propose(user, make, publish)
  expect(steps[1]).toMatchObject({
    does: 'Publishes sonnet',
    preview: { depends: 'Depends on the step before. Without it: There is nothing here under that id.' },
  })
  expect((await call(user, 'approve-actions', { approval_id: id })).status).toBe(200)
  expect((await ended(user, id)).state).toBe('done')
  expect(effects).toEqual(['note sonnet', 'Publish sonnet'])

  // Its own guards decide when it runs.
  const wrong = await propose(user, make, { action: 'test-publish', input: { draft: 'ode' } })
  expect((await call(user, 'approve-actions', { approval_id: wrong.id })).status).toBe(200)
  expect(await ended(user, wrong.id)).toMatchObject({ state: 'failed', steps: [{ state: 'done' }, { state: 'failed' }] })

  // A refusal that an earlier step cannot mend stands: an input that is not valid, and what is shown in full or not at all.
  expect((await propose(user, make, { action: 'test-publish', input: { draft: 'x'.repeat(21) } })).status).toBe(400)
  expect((await propose(user, make, { action: 'test-destroy', input: { draft: 'ode' } })).status).toBe(404)
})

test('a step that is filled later says so, and one without a preview says why', async () => {
  const user = platform.user()
  const { steps } = await propose(user, sendTo('ada'), noted('{{1.sent}}'), noted('x'))
  expect(steps.slice(1)).toMatchObject([
    { does: 'Notes (from step 1)', preview: { depends: 'Depends on the step before.' } },
    { does: 'Notes x', preview: { note: 'It keeps its effects in memory.' } },
  ])
})

test('a key that may change things has what it proposes previewed, and reads nothing else', async () => {
  const user = platform.user()
  const { id, key } = platform.key(user.id, { scopes: ['changes'] })
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', authorization: `Bearer ${key}` }
  const params = { name: 'run-action', arguments: { action: 'test-send', input: { to: 'ada' } } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const answer = (await (await fetch(`${platform.url('ai-gateway')}/mcp`, { method: 'POST', headers, body })).json()) as any
  expect(answer.result.content[0].text).toContain('"preview":[{"recipients":3}]')
  expect(effects).toEqual([])

  const { rt } = platform.services['ai-gateway']!
  const actor = keyActor(user.id, { id, scopes: ['changes'], monthlyPrompts: null })
  const to = { to: 'ada' }
  expect(await rt.call(preview, to, { actor, previews: send })).toEqual({ recipients: 3 })
  await expect(rt.call(preview, to, { actor })).rejects.toMatchObject({ code: 'key_scope' })
  await expect(rt.call(preview, to, { actor, previews: drafting.publish })).rejects.toMatchObject({ code: 'key_scope' })
  const readsOnly = keyActor(user.id, { id, scopes: ['do:test-wall'], monthlyPrompts: null })
  await expect(rt.call(preview, to, { actor: readsOnly, previews: send })).rejects.toMatchObject({ code: 'key_scope' })
})

test('a step that fails ends the rest', async () => {
  const user = platform.user()
  const { id } = await propose(user, sendTo('nobody'), sendTo('bo'))
  await call(user, 'approve-actions', { approval_id: id })
  expect(await ended(user, id)).toMatchObject({ state: 'failed', steps: [{ state: 'failed' }, { state: 'skipped' }] })
  expect(effects).toEqual([])
})

test('what ran in a process that died is unknown, told as such, and never offered again', async () => {
  const user = platform.user()
  const { rt } = platform.services['ai-gateway']!
  const [dead, alive] = [await propose(user, sendTo('ada'), sendTo('bo')), await propose(user, sendTo('cy'))]
  const begun = (id: string, secondsAgo: number) =>
    sql`update ai_approvals set state = 'running', beat_at = now() - ${secondsAgo} * interval '1 second', steps = jsonb_set(steps, '{0,state}', '"running"') where id = ${id}`.execute(
      rt.db,
    )
  await begun(dead.id, SILENT_FOR_S + 5)
  await begun(alive.id, 1)
  await closeDead(rt.ctx() as never)
  expect(await read(user, dead.id)).toMatchObject({
    state: 'unknown',
    steps: [{ state: 'unknown', does: 'Sends to ada' }, { state: 'skipped' }],
  })
  expect((await read(user, alive.id)).state).toBe('running')
  expect(await call(user, 'approve-actions', { approval_id: dead.id })).toMatchObject({ status: 409, body: { code: 'approval_closed' } })
  expect(effects).toEqual([])
})

test('what was dismissed or has ended is not edited', async () => {
  const user = platform.user()
  const { id } = await propose(user, sendTo('ada'))
  await fetch(`${platform.url('ai-gateway')}/rest/v1/ai_approvals?id=eq.${id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', ...user.headers },
    body: JSON.stringify({ state: 'dismissed' }),
  })
  const refused = { status: 409, body: { code: 'approval_closed' } }
  expect(await call(user, 'edit-proposal', { approval_id: id, step: 1, input: { to: 'bo' } })).toMatchObject(refused)
  expect(await read(user, id)).toMatchObject({ state: 'dismissed', steps: [{ does: 'Sends to ada' }] })
})

test('an input is edited before it is approved, checked and previewed again', async () => {
  const user = platform.user()
  const { id } = await propose(user, sendTo('ada'))
  expect((await call(user, 'edit-proposal', { approval_id: id, step: 1, input: { to: 1 } })).status).toBe(400)
  const edited = await call(user, 'edit-proposal', { approval_id: id, step: 1, input: { to: 'bo' } })
  expect(edited.body.approval.steps[0]).toMatchObject({ does: 'Sends to bo', input: { to: 'bo' } })
  await call(user, 'approve-actions', { approval_id: id })
  await ended(user, id)
  expect(effects).toEqual(['bo'])
  expect((await call(user, 'edit-proposal', { approval_id: id, step: 1, input: { to: 'cy' } })).status).toBe(409)
})

test('a step is undone once, while its way back is open [spec-77]', async () => {
  const user = platform.user()
  const { id } = await propose(user, sendTo('ada'))
  expect((await call(user, 'undo-action', { approval_id: id, step: 1 })).status).toBe(409)
  await call(user, 'approve-actions', { approval_id: id })
  await ended(user, id)
  for (let n = 0; n < 2; n++)
    expect((await call(user, 'undo-action', { approval_id: id, step: 1 })).body.approval.steps[0].state).toBe('undone')
  expect(effects).toEqual(['ada', 'back ada'])
})

test('what is not connected, not there or not valid is said, and not proposed', async () => {
  const user = platform.user()
  expect(await propose(user, { action: 'test-post', input: { to: 'x' } })).toMatchObject({
    status: 422,
    message: 'Post needs a connection to Notion. Connect it first.',
  })
  const { rt } = platform.services['ai-gateway']!
  const connection = { user_id: user.id, app: 'notion', version: 1, connected: true }
  await (rt.db as any).insertInto('ai_connections').values(connection).execute()
  expect((await propose(user, { action: 'test-post', input: { to: 'x' } })).status).toBe(200)
  for (const action of ['delete_account', '__proto__', 'staff-refund', 'ai-key-create'])
    expect((await propose(user, { action, input: {} })).status).toBe(404)
  expect((await propose(user, sendTo('x'.repeat(101)))).status).toBe(400)
})

test('the assistant and other programs are offered what connections, plan and a fresh sign-in allow, and hear what the rest is missing', async () => {
  const user = platform.user()
  const { rt } = platform.services['ai-gateway']!
  const db = rt.db as any
  const said = 'Read the sextant'
  const names = ['test-wall', 'test-mails', 'test-vault']
  const reasons = {
    'test-wall': 'Wall sextant needs a connection to Notion. Connect it first.',
    'test-mails': 'Mail sextant needs a plan that includes emails. Choose one on the plan page.',
    'test-vault': 'Confirm it is you to continue: enter your second factor or your password again.',
  }

  const reading = platform.key(user.id, { scopes: ['reads'] }).key
  const narrow = platform.key(user.id, { scopes: ['do:test-wall', 'do:test-mails', 'do:test-vault', 'do:test-note'] }).key
  const mcp = async (method: string, params: object = {}, key = reading) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', authorization: `Bearer ${key}` }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const { result } = (await (await fetch(`${platform.url('ai-gateway')}/mcp`, { method: 'POST', headers, body })).json()) as any
    return result.content ? JSON.parse(result.content[0].text.replace(/^Result of .*\n/, '')) : result
  }
  const toProgram = async () => {
    const { actions } = await mcp('tools/call', { name: 'find-actions', arguments: { query: 'sextant' } })
    return Object.fromEntries(actions.map(({ action, missing = null }: any) => [action, missing]))
  }
  /** The tools that a program is given beside those of MCP itself. */
  const listed = async (key: string) => {
    const { tools } = await mcp('tools/list', {}, key)
    return tools.map(({ name }: any) => name).filter((name: string) => !['find-actions', 'run-action', 'check-approval'].includes(name))
  }
  const runs = (action: string) => mcp('tools/call', { name: 'run-action', arguments: { action } })

  /** Signed in so many seconds ago. */
  const toAssistant = async (ago: number) => {
    const amr = [{ method: 'password', timestamp: Math.floor(Date.now() / 1000) - ago }]
    const actor: UserActor = { ...keyActor(user.id, { id: newId(), scopes: [], monthlyPrompts: null }), mfa: false, amr, key: undefined }
    const missing = await missingFor(db, actor)
    const tools = toolsFor(said, missing, { pages: [], remembers: false }).map((tool) => tool.function.name)
    const desk = new Desk({} as never, {} as never, actor, missing, { pages: [], said, isSaidNow: true, messageId: null })
    const { actions } = JSON.parse(await desk.use('find-actions', JSON.stringify({ query: 'sextant' })))
    const told = Object.fromEntries(actions.map(({ action, missing = null }: any) => [action, missing]))
    return { tools: tools.filter((name) => names.includes(name)), told }
  }

  expect(await toProgram()).toEqual(reasons)
  for (const name of names) expect(await runs(name)).toMatchObject({ code: 'action_missing', message: reasons[name as never] })
  expect(await toAssistant(3600)).toEqual({ tools: [], told: reasons })
  expect(await listed(narrow)).toEqual([])
  expect((await listed(reading)).length).toBe(9)

  await insert(db, 'ai_connections', { user_id: user.id, app: 'notion', version: 1, connected: true })
  // Connected now, and still without a plan that includes emails.
  expect(await listed(narrow)).toEqual(['test-wall'])
  const paid = { status: 'active', limits: '{}', budget_microusd: 0, period_start: new Date(), period_end: null, version: 1 }
  await insert(db, 'entitlements', { user_id: user.id, tier: 'pro', ...paid })
  const vault = { 'test-vault': reasons['test-vault'] }
  // A call with a key is never a fresh sign-in.
  expect(await toProgram()).toEqual({ 'test-wall': null, 'test-mails': null, ...vault })
  for (const name of ['test-wall', 'test-mails']) expect(await runs(name)).toEqual({})
  // Neither what needs a fresh sign-in nor a tool beyond its scopes, and a tool that changes is never offered by itself.
  expect(await listed(narrow)).toEqual(['test-wall', 'test-mails'])
  expect(await toAssistant(3600)).toEqual({
    tools: expect.arrayContaining(['test-wall', 'test-mails']),
    told: { 'test-wall': null, 'test-mails': null, ...vault },
  })
  expect((await toAssistant(3600)).tools).not.toContain('test-vault')
  expect(await toAssistant(10)).toEqual({
    tools: expect.arrayContaining(names),
    told: { 'test-wall': null, 'test-mails': null, 'test-vault': null },
  })
})

test('asked under the same key, the proposal is given again', async () => {
  const user = platform.user()
  const asked = { steps: [sendTo('ada')], origin: 'mcp', key: newId() }
  const [first, second] = await Promise.all([call(user, 'propose-actions', asked), call(user, 'propose-actions', asked)])
  expect(second.body.approval.id).toBe(first.body.approval.id)
  // A key is the account's own: another one that happens to use it proposes for itself.
  const other = await call(platform.user(), 'propose-actions', asked)
  expect(other.status).toBe(200)
  expect(other.body.approval.id).not.toBe(first.body.approval.id)
})
