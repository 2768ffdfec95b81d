import { createHash } from 'node:crypto'
import { LONGEST_SPEECH } from '@operon/contracts/media/speech'
import { speechRecorded } from '@operon/contracts/media/voice'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { newId } from '@operon/kit/ids'
import { HOLD_MS, type Reservation } from '@operon/kit/meter'
import { release, settle } from '@operon/kit/settle'
import { inTransaction } from '@operon/kit/tx'
import { type Selectable, sql } from 'kysely'
import type { MediaDb } from '../schema.ts'
import { byTier, charge, holdOne, type SpeechDeps } from './deps.ts'
import type { Speaking } from './providers.ts'
import { voiceAt } from './registry.ts'
import { Sound } from './sound.ts'
import { type Format, typeOf } from './wires.ts'

export type Ask = {
  text: string
  voice: string
  model: string
  format?: Format
  speed?: number | undefined
  instructions?: string | undefined
  feature: string
}
type Kept = Selectable<MediaDb['recordings']>
/** `kept` comes when all of it is stored; the sound may be played before. */
export type Spoken = { sound: AsyncIterable<Uint8Array>; type: string; cached: boolean; speaking: Speaking; kept: Promise<Kept> }

const MOST_AT_ONCE = 64

export const recordingKeyOf = ({ user_id, id, ending }: Pick<Kept, 'user_id' | 'id' | 'ending'>) =>
  `${recordingsOf(user_id)}${id}.${ending}`
export const recordingsOf = (userId: string) => `recordings/${userId}/`

/** Reads a text aloud: from the person's own recordings where it is among them, else by the provider, told on as it comes. */
export async function speak(deps: SpeechDeps, ctx: Ctx<MediaDb>, ask: Ask): Promise<Spoken> {
  const actor = signedIn(ctx)
  if (actor.anonymous) throw new DomainError('anonymous_no_models')
  if (ask.text.length > LONGEST_SPEECH)
    throw new DomainError('invalid', { message: `At most ${LONGEST_SPEECH} characters can be read aloud at once.` })
  const speaking = await deps.providers.speaker(ask.model)
  if (!speaking) throw new DomainError('model_unknown')
  const voice = voiceAt(speaking.provider, ask.voice)
  if (!voice) throw new DomainError('voice_unknown')
  const { format = 'mp3' } = ask
  if (speaking.provider === 'elevenlabs' && format !== 'mp3')
    throw new DomainError('invalid', { message: 'This voice is recorded as mp3 alone.' })
  const key = keyOf({ ...ask, format, voice, upstream: speaking.upstream, at: speaking.place.url })
  const stored = await fromStore(deps, ctx, actor.id, key)
  if (stored) return { ...stored, speaking, cached: true }
  const running = deps.running.get(`${actor.id} ${key}`)
  if (running) return { sound: running.sound, kept: running.kept, type: typeOf[format], speaking, cached: true }
  return record(deps, ctx, { ...ask, format, voice, userId: actor.id, key, speaking })
}

const keyOf = ({ text, voice, upstream, at, format, speed = 1, instructions = '' }: Ask & { upstream: string; at: string }) =>
  createHash('sha256')
    .update(JSON.stringify([text, voice, upstream, at, format, speed, instructions]))
    .digest('base64url')

async function fromStore({ rt }: SpeechDeps, { db }: Ctx<MediaDb>, userId: string, key: string) {
  const row = await db
    .updateTable('recordings')
    .set({ used_at: sql`now()` as never })
    .where('user_id', '=', userId)
    .where('text_key', '=', key)
    .returningAll()
    .executeTakeFirst()
  if (!row) return null
  try {
    const { body } = await rt.storage.get(recordingKeyOf(row))
    return { sound: body as AsyncIterable<Uint8Array>, type: row.type, kept: Promise.resolve(row) }
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'not_found') throw error
    await db.deleteFrom('recordings').where('id', '=', row.id).where('user_id', '=', userId).execute()
    return null
  }
}

type Work = Ask & { format: Format; userId: string; key: string; speaking: Speaking }

async function record(deps: SpeechDeps, ctx: Ctx<MediaDb>, work: Work): Promise<Spoken> {
  const { rt, budgets, running } = deps
  const { text, userId, key, speaking, format, feature } = work
  if (running.size >= MOST_AT_ONCE) throw new DomainError('unavailable')
  const cost = Math.ceil((text.length * speaking.microusd) / 1000)
  const sound = new Sound()
  const place = `${userId} ${key}`
  // Taken before anything is awaited, so that the same text is never made twice at once.
  let begun!: { resolve: () => void; reject: (error: unknown) => void }
  const first = new Promise<void>((resolve, reject) => {
    begun = { resolve, reject }
  })
  const kept = (async () => {
    let hold: Reservation | undefined
    let signal: AbortSignal | undefined
    try {
      hold = await holdOne(ctx.db, { userId, unit: 'speech', feature, holdMs: HOLD_MS, costs: byTier(() => cost) }, budgets)
      // Not the caller's signal: a page that is closed loses no recording that is paid for.
      signal = AbortSignal.timeout(rt.config.MEDIA_SPEAK_MS)
      const { voice, speed, instructions } = work
      for await (const chunk of await deps.providers.speak(speaking, { text, voice, format, speed, instructions, userId, signal })) {
        sound.push(chunk)
        begun.resolve()
      }
      const row = await keep(deps, work, sound.whole, hold, speaking.place.sandbox ? 0 : cost)
      sound.end()
      return row
    } catch (error) {
      // The caller chose how long it lasts, so the provider is paid for what is too long to be kept or to be waited for.
      if (hold && (sound.isTooLong || signal?.aborted)) await charge(deps, hold, speaking.place.sandbox ? 0 : cost)
      else if (hold) await release(rt.db, hold)
      const failure = error instanceof DomainError ? error : new DomainError('speech_failed', { cause: error })
      if (failure.code === 'speech_failed')
        rt.log.warn(
          { err: failure.cause ?? failure, tenant: userId, model: speaking.model },
          'a text could not be read aloud; it counts only where it was too long or took too long',
        )
      sound.end(failure)
      begun.reject(failure)
      throw failure
    } finally {
      running.delete(place)
    }
  })()
  running.set(place, { sound, kept })
  kept.catch(() => {})
  await first
  return { sound, kept, type: typeOf[format], speaking, cached: false }
}

/** The file first, then row and charge together. */
async function keep({ rt, budgets }: SpeechDeps, work: Work, bytes: Buffer, hold: Reservation, cost: number): Promise<Kept> {
  if (bytes.length === 0) throw new DomainError('speech_failed', { cause: new Error('a recording without a sound') })
  const { userId, key, speaking, format, text } = work
  const row = { id: newId(), user_id: userId, ending: format }
  await rt.storage.put(recordingKeyOf(row), bytes, { contentType: typeOf[format] })
  const kept = await inTransaction(rt.db, async (trx) => {
    const stored = await trx
      .insertInto('recordings')
      .values({
        ...row,
        text_key: key,
        model: speaking.model,
        answered_by: speaking.upstream,
        type: typeOf[format],
        bytes: bytes.length,
        characters: text.length,
        sandbox: speaking.place.sandbox,
      })
      // Another instance may have made it at the same moment.
      .onConflict((conflict) => conflict.columns(['user_id', 'text_key']).doUpdateSet({ used_at: sql`now()` as never }))
      .returningAll()
      .executeTakeFirstOrThrow()
    const [closed] = await settle(trx as never, speechRecorded, [{ id: hold.id, costMicrousd: cost }], budgets)
    // The account was erased meanwhile, and what it held with it.
    if (!closed) throw new DomainError('speech_failed', { cause: new Error('nobody holds it any more') })
    return stored
  }).catch(async (error) => {
    await rt.storage.delete(recordingKeyOf(row))
    throw error
  })
  if (kept.id !== row.id) await rt.storage.delete(recordingKeyOf(row))
  else
    await dropOldest(rt, userId).catch((err: unknown) =>
      rt.log.warn({ err, tenant: userId }, 'old recordings could not be removed; they go with the next new one'),
    )
  return kept
}

/** Recordings count against no space of the plan: they are made again for the same text. So those heard longest ago make room. */
const MOST_KEPT_BYTES = 256 * 1024 * 1024

async function dropOldest({ db, storage }: SpeechDeps['rt'], userId: string): Promise<void> {
  const { rows } = await sql<Pick<Kept, 'id' | 'user_id' | 'ending'>>`
    select id, user_id, ending from (
      select id, user_id, ending, sum(bytes) over (order by used_at desc, id desc) as with_newer from recordings where user_id = ${userId}) mine
    where with_newer > ${MOST_KEPT_BYTES} limit 100`.execute(db)
  for (const row of rows) await removeRecording({ db, storage }, row)
}

/** The object first: a row without one can be removed again. */
export async function removeRecording(
  { db, storage }: Pick<SpeechDeps['rt'], 'db' | 'storage'>,
  row: Pick<Kept, 'id' | 'user_id' | 'ending'>,
) {
  await storage.delete(recordingKeyOf(row))
  await db.deleteFrom('recordings').where('id', '=', row.id).where('user_id', '=', row.user_id).execute()
}
