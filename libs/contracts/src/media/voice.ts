import { z } from 'zod'
import { event, fn, id, plain, reading, text, time } from '../contract.ts'
import { COMMANDS_KEPT, DEFAULT_VOICE, LONGEST_SPEECH, voices, wakeWords } from './speech.ts'

const SpokenText = text(LONGEST_SPEECH).trim().min(1)
const answered = {
  model: z.string().describe('The model that was asked for'),
  answered_by: z.string().describe("The provider's name of the model that spoke"),
  sandbox: z.boolean(),
}
const FAILURES = ['limit_budget', 'budget_held', 'speech_failed', 'speech_refused'] as const

export const textToVoice = fn('text-to-voice', {
  access: 'user',
  rate: 'ai',
  idempotent: 'two-phase',
  summary: 'Reads a text aloud and answers with the whole recording',
  description:
    'The same text in the same voice is made once and then comes from your own recordings, which are kept for 30 days after their last use. `POST /ai/v1/audio/speech` answers while it is still being made.',
  body: z.object({ text: SpokenText, voice: z.enum(voices).default(DEFAULT_VOICE) }),
  reply: z.object({
    audioContent: z.string().describe('MP3, base64'),
    voice: z.enum(voices),
    cached: z.boolean(),
    ...answered,
  }),
  example: {
    request: { text: 'Your table is ready.', voice: 'nova' },
    reply: { audioContent: 'SUQz…', voice: 'nova', cached: false, model: 'tts-1', answered_by: 'gpt-4o-mini-tts', sandbox: false },
  },
  errors: [...FAILURES],
})

export const elevenlabsTts = fn('elevenlabs-tts', {
  access: 'user',
  rate: 'ai',
  idempotent: 'two-phase',
  summary: 'Reads a text aloud and answers with the address of the recording',
  description:
    'The same call as `text-to-voice`. ElevenLabs speaks where it is set up, else the model that is; `answered_by` names it. The address is good for an hour.',
  body: z.object({
    text: SpokenText,
    voice_id: text(40).default(DEFAULT_VOICE).describe('One of the six voices by its name, or a voice of ElevenLabs by its id'),
    model_id: text(60).default('eleven_multilingual_v2'),
  }),
  reply: z.object({ audio_url: z.string(), cached: z.boolean(), ...answered }),
  example: {
    request: { text: 'Your table is ready.', voice_id: 'nova' },
    reply: {
      audio_url: 'https://app.example.com/files/v1/media/…',
      cached: false,
      model: 'eleven_multilingual_v2',
      answered_by: 'eleven_multilingual_v2',
      sandbox: false,
    },
  },
  errors: [...FAILURES, 'voice_unknown'],
  action: {
    title: 'Read a text aloud',
    when: 'The person wants a recording of a text, spoken by a voice',
    effect: 'spends',
    noPreview: 'This is the whole text that will be spoken.',
    does: ({ text }) => `Records ${text.length} characters spoken aloud. Counts against the speech budget of the plan.`,
  },
})

const heard = {
  text: z.string(),
  confidence: z.number().min(0).max(1).nullable().describe("The recogniser's own; null where the model tells none"),
  seconds: z.number(),
  ...answered,
}

export const voiceToText = fn('voice-to-text', {
  access: 'user',
  rate: 'ai',
  summary: 'Writes down what a recording says',
  description: 'WebM, MP3, MP4, OGG, FLAC and WAV, at most 6 MB here. The recording is not kept.',
  maxBytes: 9 * 1024 * 1024,
  body: z.object({
    audio: z.string().min(1).max(8_400_000).describe('The recording, base64'),
    language: text(10).optional().describe('ISO 639-1, when it is known'),
  }),
  reply: z.object(heard),
  example: {
    request: { audio: 'GkXfo…' },
    reply: {
      text: 'Book a table for two',
      confidence: 0.94,
      seconds: 2.4,
      model: 'whisper-1',
      answered_by: 'gpt-4o-transcribe',
      sandbox: false,
    },
  },
  errors: ['limit_budget', 'budget_held', 'speech_failed', 'audio_unreadable', 'too_large'],
})

export const transcribeFile = fn('transcribe-file', {
  access: 'user',
  rate: 'ai',
  idempotent: 'two-phase',
  summary: 'Writes down what an uploaded recording says',
  description: 'A file of the Library, at most 25 MB.',
  body: z.object({ file_id: id('upload'), language: text(10).optional() }),
  reply: z.object(heard),
  example: {
    request: { file_id: '0199b1a2-7c00-7000-8000-000000000001' },
    reply: {
      text: 'Welcome to the show',
      confidence: 0.97,
      seconds: 61,
      model: 'whisper-1',
      answered_by: 'gpt-4o-transcribe',
      sandbox: false,
    },
  },
  errors: ['limit_budget', 'budget_held', 'speech_failed', 'audio_unreadable', 'too_large', 'not_found'],
  action: {
    title: 'Transcribe a recording',
    when: 'The person wants the words of an audio file that they uploaded',
    effect: 'spends',
    does: () => 'Writes down the words of this recording. Counts against the speech budget of the plan.',
  },
})

const VoiceSettings = z.object({
  voice: z.enum(voices),
  speaks: z.boolean().describe('Whether answers are read aloud'),
  wakes: z.boolean().describe('Whether the page listens for the wake word, in the browser alone'),
  wake_word: z.enum(wakeWords),
  sensitivity: z.number().min(0).max(1).describe('How readily a sound is taken for the wake word'),
})

export const voiceSettings = reading('voice-settings', {
  summary: 'How the Voice Interface answers this person',
  body: z.object({}).prefault({}),
  reply: VoiceSettings,
})
export const saveVoiceSettings = fn('save-voice-settings', {
  access: 'user',
  summary: 'Changes how the Voice Interface answers',
  body: VoiceSettings.partial(),
  reply: VoiceSettings,
})

export const voiceCommands = reading('voice-commands', {
  summary: `The last ${COMMANDS_KEPT} spoken commands, newest first`,
  body: z.object({}).prefault({}),
  reply: z.object({
    commands: z.array(
      z.object({
        id: z.uuid(),
        command: z.string(),
        response: z.string(),
        confidence: z.number().nullable(),
        timestamp: time,
      }),
    ),
  }),
})
export const keepVoiceCommand = fn('keep-voice-command', {
  access: 'user',
  summary: `Keeps a spoken command with its answer; the oldest beyond ${COMMANDS_KEPT} goes`,
  body: z.object({
    command: text(2000).trim().min(1),
    response: text(20_000),
    confidence: z.number().min(0).max(1).nullable(),
  }),
  reply: z.object({ id: z.uuid() }),
})
export const clearVoiceCommands = fn('clear-voice-commands', {
  access: 'user',
  summary: 'Forgets the spoken commands',
  body: z.object({}).prefault({}),
  reply: z.object({ cleared: z.int() }),
})

/** The cost of speech. It is counted in money alone: no plan promises a number of it. */
export const speechRecorded = event(
  'media.speech_recorded',
  z.object({
    unit: z.literal('speech'),
    used: z.int(),
    amount: z.int(),
    limit: z.int().nullable(),
    period_start: z.iso.datetime(),
    feature: plain(z.string()),
    cost_microusd: z.int(),
    cost_used_microusd: z.int(),
    budget_microusd: z.int().nullable(),
  }),
)
