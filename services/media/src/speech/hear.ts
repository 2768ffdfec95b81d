import { LARGEST_RECORDING } from '@operon/contracts/media/speech'
import { type Ctx, signedIn } from '@operon/kit/context'
import { DomainError } from '@operon/kit/errors'
import { HOLD_MS } from '@operon/kit/meter'
import { release } from '@operon/kit/settle'
import type { MediaDb } from '../schema.ts'
import { byTier, charge, holdOne, type SpeechDeps } from './deps.ts'
import { mostSeconds, soundOf } from './sound.ts'

type HearAsk = {
  audio: Uint8Array
  model?: string | undefined
  language?: string | undefined
  prompt?: string | undefined
  temperature?: number | undefined
  feature: string
}

/** Writes down a recording. It is charged by its length as the recogniser tells it, and the recording is not kept. */
export async function hear(deps: SpeechDeps, ctx: Ctx<MediaDb>, { audio, model, language, prompt, temperature, feature }: HearAsk) {
  const { rt, budgets, providers } = deps
  const actor = signedIn(ctx)
  if (actor.anonymous) throw new DomainError('anonymous_no_models')
  if (audio.length > LARGEST_RECORDING) throw new DomainError('too_large')
  const recording = soundOf(audio)
  const listening = await providers.listener(model)
  if (!listening) throw new DomainError('model_unknown')
  const costOf = (seconds: number) => Math.ceil((seconds / 60) * listening.microusdPerMinute)
  const most = mostSeconds(audio.length, recording.ending)
  const costs = byTier(() => costOf(most))
  const hold = await holdOne(ctx.db, { userId: actor.id, unit: 'speech', feature, holdMs: HOLD_MS, costs }, budgets)
  const paid = (seconds: number) => (listening.place.sandbox ? 0 : costOf(seconds))
  // Not the caller's signal: the recogniser is paid once it was asked, so that whoever hangs up in turn cannot spend without end.
  const signal = AbortSignal.timeout(rt.config.MEDIA_SPEAK_MS)
  try {
    const order = { recording, language, prompt, temperature, userId: actor.id, signal }
    const { text, confidence, seconds } = await providers.hear(listening, order)
    const lasted = seconds ?? most
    await charge(deps, hold, paid(lasted))
    const answered = { model: listening.model, answered_by: listening.upstream, sandbox: listening.place.sandbox }
    return { text, confidence, seconds: Math.round(lasted * 100) / 100, ...answered }
  } catch (error) {
    // Whoever has not answered in time may have heard it all, and of a long recording always has. It counts as what a killed process leaves.
    if (signal.aborted) await charge(deps, hold, paid(most))
    else await release(rt.db, hold)
    throw error
  }
}

/** An upload of the person's own. */
export async function hearFile(
  deps: SpeechDeps,
  ctx: Ctx<MediaDb>,
  { file_id, language }: { file_id: string; language?: string | undefined },
) {
  const file = await ctx.db
    .selectFrom('files')
    .select(['key', 'bytes'])
    .where('id', '=', file_id)
    .where('user_id', '=', signedIn(ctx).id)
    .where('state', '=', 'ready')
    .where('scan', '!=', 'infected')
    .executeTakeFirst()
  if (!file) throw new DomainError('not_found')
  if (file.bytes > LARGEST_RECORDING) throw new DomainError('too_large')
  const audio = Buffer.concat(await (await deps.rt.storage.get(file.key)).body.toArray())
  return hear(deps, ctx, { audio, language, feature: 'transcribe-file' })
}
