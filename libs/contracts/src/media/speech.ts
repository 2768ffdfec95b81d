// The choices of speech. No zod here: the screens load this file.

export const voices = ['alloy', 'echo', 'fable', 'onyx', 'nova', 'shimmer'] as const
export type VoiceName = (typeof voices)[number]
export const DEFAULT_VOICE: VoiceName = 'alloy'

/** The same six at ElevenLabs, whose voices have ids. */
export const elevenVoices: Record<VoiceName, string> = {
  alloy: '21m00Tcm4TlvDq8ikWAM',
  echo: 'ErXwobaYiN019PkySvjV',
  fable: 'AZnzlk1XvdvUeBnXmlld',
  onyx: 'VR6AewLTigWG4xSOukaG',
  nova: 'EXAVITQu4vr4xnSDxMaL',
  shimmer: 'MF3mGyEYCl7XYWbV9V6O',
}

/** The most that one call reads aloud. */
export const LONGEST_SPEECH = 4096
/** The largest recording that one call takes. */
export const LARGEST_RECORDING = 25 * 1024 * 1024
/** A recording of the Voice Interface stops by itself. */
export const RECORDING_MS = 10_000
export const MIC_TEST_MS = 3_000
/** The speed of the browser's own voice, when it stands in. */
export const BROWSER_SPEECH_RATE = 0.9
export const COMMANDS_KEPT = 10

export const wakeWords = ['Hey Jarvis', 'Hey Assistant', 'Computer', 'AI'] as const
export type WakeWord = (typeof wakeWords)[number]
export const DEFAULT_WAKE_WORD: WakeWord = 'Hey Jarvis'
/** From 0, which wants the word spoken clearly, to 1, which takes what sounds like it. */
export const DEFAULT_SENSITIVITY = 0.7
