import { sweepRecordings } from '@operon/contracts/media/events'
import * as contract from '@operon/contracts/media/voice'
import { serve } from '@operon/kit/http'
import { settleAbandoned } from '@operon/kit/settle'
import { sql } from 'kysely'
import { clearCommands, keepCommand, listCommands, readSettings, saveSettings } from '../voice/voice.ts'
import type { SpeechDeps } from './deps.ts'
import { hear, hearFile } from './hear.ts'
import { USUAL_LISTENER } from './registry.ts'
import { recordingKeyOf, removeRecording, speak } from './speak.ts'

const SIGNED_FOR_S = 3600
const BATCH = 500

export function speechRoutes(deps: SpeechDeps) {
  const { rt } = deps
  serve(rt.app, contract.textToVoice, async (ctx, { text, voice }) => {
    const { sound, cached, speaking, kept } = await speak(deps, ctx, { text, voice, model: 'tts-1', feature: 'text-to-voice' })
    const parts: Uint8Array[] = []
    for await (const part of sound) parts.push(part)
    await kept
    return { audioContent: Buffer.concat(parts).toString('base64'), voice, cached, ...answeredOf(speaking) }
  })
  serve(rt.app, contract.elevenlabsTts, async (ctx, { text, voice_id, model_id }) => {
    const { cached, speaking, kept } = await speak(deps, ctx, { text, voice: voice_id, model: model_id, feature: 'elevenlabs-tts' })
    const row = await kept
    const audio_url = rt.storage.signedUrl(recordingKeyOf(row), { expiresInS: SIGNED_FOR_S })
    return { audio_url, cached, ...answeredOf(speaking) }
  })
  serve(rt.app, contract.voiceToText, (ctx, { audio, language }) =>
    hear(deps, ctx, { audio: bytesOf(audio), language, model: USUAL_LISTENER, feature: 'voice-to-text' }),
  )
  serve(rt.app, contract.transcribeFile, (ctx, input) => hearFile(deps, ctx, input))

  serve(rt.app, contract.voiceSettings, (ctx) => readSettings(ctx))
  serve(rt.app, contract.saveVoiceSettings, (ctx, input) => saveSettings(ctx, input as never))
  serve(rt.app, contract.voiceCommands, (ctx) => listCommands(ctx))
  serve(rt.app, contract.keepVoiceCommand, (ctx, input) => keepCommand(ctx, input))
  serve(rt.app, contract.clearVoiceCommands, (ctx) => clearCommands(ctx))

  rt.job(
    sweepRecordings,
    async (ctx) => {
      await settleAbandoned(rt.db as never, contract.speechRecorded, { budgets: deps.budgets, unit: 'speech' })
      const old = await ctx.db
        .selectFrom('recordings')
        .selectAll()
        .where(sql<boolean>`used_at < now() - interval '30 days'`)
        .limit(BATCH)
        .execute()
      for (const row of old) {
        ctx.signal.throwIfAborted()
        await removeRecording({ db: ctx.db, storage: rt.storage }, row)
      }
    },
    { everyMs: 600_000 },
  )
}

const answeredOf = ({ model, upstream, place }: { model: string; upstream: string; place: { sandbox: boolean } }) => ({
  model,
  answered_by: upstream,
  sandbox: place.sandbox,
})

/** With or without the head of a data address. */
const bytesOf = (base64: string): Buffer => Buffer.from(base64.replace(/^data:[\w/+.;=-]*,/, ''), 'base64')
