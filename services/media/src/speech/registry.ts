import { elevenVoices, type VoiceName, voices } from '@operon/contracts/media/speech'

export type SpeechProvider = 'openai' | 'elevenlabs'
type Speaker = {
  provider: SpeechProvider
  /** The provider's name of the model that answers to this name. */
  upstream: string
  /** Millionths of a dollar for a thousand characters, as the provider listed it in autumn 2026. */
  microusd: number
  /** When that model ends, and the one that answers from then on. */
  until?: { shutdownAt: string; successor: string }
}
const openaiEnds = { shutdownAt: '2027-01-06', successor: 'gpt-4o-mini-tts-2025-12-15' }

export const speakers: Record<string, Speaker> = {
  'tts-1': { provider: 'openai', upstream: 'tts-1', microusd: 15_000, until: openaiEnds },
  'tts-1-hd': { provider: 'openai', upstream: 'tts-1-hd', microusd: 30_000, until: openaiEnds },
  'gpt-4o-mini-tts': { provider: 'openai', upstream: 'gpt-4o-mini-tts', microusd: 15_000, until: openaiEnds },
  eleven_multilingual_v2: { provider: 'elevenlabs', upstream: 'eleven_multilingual_v2', microusd: 100_000 },
  eleven_flash_v2_5: { provider: 'elevenlabs', upstream: 'eleven_flash_v2_5', microusd: 50_000 },
  eleven_turbo_v2_5: { provider: 'elevenlabs', upstream: 'eleven_turbo_v2_5', microusd: 50_000 },
}
/** Of each provider, the model that speaks where another provider's was asked for. */
export const usualSpeaker: Record<SpeechProvider, string> = { openai: 'tts-1', elevenlabs: 'eleven_multilingual_v2' }
export const dearestSpeaker = Math.max(...Object.values(speakers).map(({ microusd }) => microusd))

/** `whisper-1` ends early in 2027 and tells no confidence, so its successor answers to its name already. */
export const listeners: Record<string, { upstream: string; microusdPerMinute: number }> = {
  'whisper-1': { upstream: 'gpt-4o-transcribe', microusdPerMinute: 6_000 },
  'gpt-4o-transcribe': { upstream: 'gpt-4o-transcribe', microusdPerMinute: 6_000 },
  'gpt-4o-mini-transcribe': { upstream: 'gpt-4o-mini-transcribe', microusdPerMinute: 3_000 },
}
export const USUAL_LISTENER = 'whisper-1'

export const upstreamOf = ({ upstream, until }: Speaker, now = new Date()) =>
  until && now >= new Date(until.shutdownAt) ? until.successor : upstream

/** The voice in a provider's own terms; null where it has none by that name. */
export function voiceAt(provider: SpeechProvider, voice: string): string | null {
  const name = voices.find((each) => each === voice || elevenVoices[each] === voice)
  if (name) return provider === 'openai' ? name : elevenVoices[name as VoiceName]
  return provider === 'elevenlabs' && /^[A-Za-z0-9]{20}$/.test(voice) ? voice : null
}
