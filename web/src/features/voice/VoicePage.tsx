import { DEFAULT_SENSITIVITY, DEFAULT_WAKE_WORD, RECORDING_MS, voices } from '@operon/contracts/media/speech'
import { Mic, Square, Volume2, VolumeX } from 'lucide-react'
import { useCall } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { Markdown } from '../../ui/Markdown.tsx'
import { PageHeader, Panel, Pill } from '../../ui/Panel.tsx'
import { History } from './History.tsx'
import { type Choice, Settings } from './Settings.tsx'
import { type Stage, sayWhy, useVoice } from './useVoice.ts'
import { useWakeWord } from './useWakeWord.ts'

const usual: Choice = {
  voice: voices[0],
  speaks: true,
  wakes: false,
  wake_word: DEFAULT_WAKE_WORD,
  sensitivity: DEFAULT_SENSITIVITY,
}
const states: Record<Stage, string> = {
  idle: 'Press and speak',
  listening: 'Listening',
  hearing: 'Writing down what you said',
  thinking: 'Working on an answer',
}

/** Speak a command, read what was understood, hear the answer. */
export function VoicePage() {
  const settings = useCall('voice-settings', {})
  const current = settings.data ?? usual
  const voice = useVoice(current)
  const { stage, said, speaking, recorder } = voice
  const busy = stage === 'hearing' || stage === 'thinking'
  const wake = useWakeWord({
    on: current.wakes,
    // It would hear the answer that is being read, or the command.
    paused: stage !== 'idle' || speaking,
    word: current.wake_word,
    sensitivity: current.sensitivity,
    onHeard: () => void voice.listen(),
    onTrouble: sayWhy,
  })
  return (
    <>
      <PageHeader title="Voice Interface" description="Ask or command by voice. Recordings are not kept." />
      <div className="grid grid-cols-1 items-start gap-6 xl:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="flex min-w-0 flex-col gap-6">
          <Panel title="Speak">
            <div className="flex flex-col items-center gap-4 py-6">
              <button
                type="button"
                disabled={busy}
                onClick={() => void voice.listen()}
                aria-label={stage === 'listening' ? 'Stop recording' : 'Start recording'}
                className={cx(
                  'grid size-20 place-items-center rounded-full transition-shadow outline-offset-4 disabled:opacity-60 [&_.lucide]:size-8',
                  stage === 'listening' ? 'bg-bad text-page' : 'bg-signal text-ink hover:opacity-90',
                )}
                style={
                  stage === 'listening' ? { boxShadow: `0 0 0 ${Math.round(recorder.level / 16)}px var(--color-bad-soft)` } : undefined
                }
              >
                {stage === 'listening' ? <Square /> : <Mic />}
              </button>
              <p role="status" className="text-14 text-muted">
                {stage === 'idle' && wake === 'listening' ? `Say “${current.wake_word}”, or press and speak` : states[stage]}
                {stage === 'listening' ? (
                  <span className="tabular-nums">
                    , {recorder.seconds} of {RECORDING_MS / 1000} seconds
                  </span>
                ) : null}
              </p>
            </div>
            {said ? (
              <div className="flex flex-col gap-4 border-t border-line pt-4">
                <div>
                  <p className="mb-1 flex flex-wrap items-center gap-2 text-12 text-faint">
                    You said
                    {said.confidence === null ? null : <Pill>{Math.round(said.confidence * 100)}% sure</Pill>}
                    {said.sandbox ? <Pill tone="info">Sandbox</Pill> : null}
                  </p>
                  <p className="text-16">{said.command}</p>
                </div>
                {said.response ? (
                  <div aria-live="polite">
                    <p className="mb-1 text-12 text-faint">Answer</p>
                    <Markdown>{said.response}</Markdown>
                    <div className="mt-3">
                      {speaking ? (
                        <Button onClick={voice.beSilent}>
                          <VolumeX />
                          Stop Speaking
                        </Button>
                      ) : (
                        <Button onClick={() => void voice.readAloud(said.response)} disabled={stage !== 'idle'}>
                          <Volume2 />
                          Read aloud
                        </Button>
                      )}
                    </div>
                  </div>
                ) : null}
              </div>
            ) : null}
          </Panel>
          <History onReadAloud={(text) => void voice.readAloud(text)} />
        </div>
        <Settings
          settings={current}
          loading={settings.isPending}
          wake={wake}
          onTry={(text) => void voice.readAloud(text)}
          busy={stage !== 'idle'}
        />
      </div>
    </>
  )
}
