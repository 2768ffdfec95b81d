import { MIC_TEST_MS, type VoiceName, voices, type WakeWord, wakeWords } from '@operon/contracts/media/speech'
import { useQueryClient } from '@tanstack/react-query'
import { MicVocal, Volume2 } from 'lucide-react'
import { useState } from 'react'
// Its licence asks that this notice is shipped with the model.
import modelNotice from '../../../node_modules/soundswallower/model/en-us/README.txt?url'
import { call } from '../../api/call.ts'
import { Button } from '../../ui/Button.tsx'
import { Options, SelectField, Switch } from '../../ui/Field.tsx'
import { Panel, Skeleton } from '../../ui/Panel.tsx'
import { attempt } from '../../ui/toast.tsx'
import { MicrophoneError, useRecorder } from './recorder.ts'
import { sayWhy } from './useVoice.ts'
import type { Wake } from './useWakeWord.ts'

export type Choice = { voice: VoiceName; speaks: boolean; wakes: boolean; wake_word: WakeWord; sensitivity: number }
const wakeStates: Record<Wake, string> = {
  off: 'Works while this page is open. The word is recognized in your browser; nothing is sent before it is heard.',
  loading: 'Loading the speech model, 7 MB…',
  listening: 'Listening in your browser. Say the wake word, pause, then speak your command.',
  failed: 'The speech model could not be loaded. Check your connection, then turn this off and on again.',
}
/** Below this nobody has spoken: room noise stays under it. */
const SPOKEN = 50

export function Settings({
  settings,
  loading,
  wake,
  onTry,
  busy,
}: {
  settings: Choice
  loading: boolean
  wake: Wake
  onTry: (text: string) => void
  busy: boolean
}) {
  const queries = useQueryClient()
  const recorder = useRecorder()
  const [tested, setTested] = useState<'good' | 'silent' | null>(null)
  const change = (part: Partial<Choice>) =>
    attempt('Not saved', async () => {
      queries.setQueryData(['voice-settings', {}], { ...settings, ...part })
      queries.setQueryData(['voice-settings', {}], await call('save-voice-settings', part))
    })
  async function test() {
    setTested(null)
    try {
      const { loudest } = await recorder.record(MIC_TEST_MS)
      setTested(loudest >= SPOKEN ? 'good' : 'silent')
    } catch (error) {
      if (error instanceof MicrophoneError) sayWhy(error)
    }
  }
  if (loading)
    return (
      <Panel title="Settings">
        <Skeleton className="h-40" />
      </Panel>
    )
  return (
    <Panel title="Settings">
      <div className="flex flex-col gap-4">
        <div className="flex items-center justify-between gap-3 text-13">
          <span>Read answers aloud</span>
          <Switch checked={settings.speaks} onChange={(speaks) => void change({ speaks })} label="Read answers aloud" />
        </div>
        <SelectField
          label="Response voice"
          value={settings.voice}
          onChange={(event) => void change({ voice: event.target.value as VoiceName })}
        >
          <Options of={voices.map((name) => [name, name[0]!.toUpperCase() + name.slice(1)])} />
        </SelectField>
        <Button onClick={() => onTry('This is how I sound when I answer you.')} disabled={busy} className="self-start">
          <Volume2 />
          Hear this voice
        </Button>
        <div className="flex flex-col gap-3 border-t border-line pt-4">
          <div className="flex items-center justify-between gap-3 text-13">
            <span>Listen for the wake word</span>
            <Switch checked={settings.wakes} onChange={(wakes) => void change({ wakes })} label="Listen for the wake word" />
          </div>
          <p role="status" className="text-12 text-muted">
            {wakeStates[wake]}
          </p>
          <a href={modelNotice} className="text-12 text-muted underline">
            Licence of the speech model
          </a>
          <SelectField
            label="Wake word"
            value={settings.wake_word}
            onChange={(event) => void change({ wake_word: event.target.value as WakeWord })}
          >
            {wakeWords.map((word) => (
              <option key={word}>{word}</option>
            ))}
          </SelectField>
          <Sensitivity value={settings.sensitivity} onChange={(sensitivity) => void change({ sensitivity })} />
        </div>
        <div className="border-t border-line pt-4">
          <p className="mb-2 text-13 text-muted">Records three seconds and tells whether you can be heard. Nothing is sent.</p>
          <Button onClick={() => void test()} disabled={busy || recorder.recording} className="self-start">
            <MicVocal />
            Test microphone
          </Button>
          {recorder.recording ? <meter min={0} max={255} value={recorder.level} aria-label="Loudness" className="mt-3 h-3 w-full" /> : null}
          <p role="status" className="mt-2 text-13">
            {tested === 'good' ? <span className="text-good">Your microphone works.</span> : null}
            {tested === 'silent' ? <span className="text-warn">Nothing was heard. Check that the right microphone is chosen.</span> : null}
          </p>
        </div>
      </div>
    </Panel>
  )
}

/** Saved when the slider is let go, not at each step. */
function Sensitivity({ value, onChange }: { value: number; onChange: (value: number) => void }) {
  const [moved, setMoved] = useState<number | null>(null)
  const shown = moved ?? value
  function done() {
    if (moved !== null && moved !== value) onChange(moved)
    setMoved(null)
  }
  return (
    <label className="text-13">
      <span className="mb-1.5 flex justify-between font-medium">
        Sensitivity
        <span className="font-normal text-muted tabular-nums">{Math.round(shown * 100)}%</span>
      </span>
      <input
        type="range"
        min={0}
        max={1}
        step={0.05}
        value={shown}
        onChange={(event) => setMoved(Number(event.target.value))}
        onPointerUp={done}
        onKeyUp={done}
        onBlur={done}
        className="w-full accent-signal"
      />
      <span className="text-12 text-muted">Higher hears you more easily, and other words too.</span>
    </label>
  )
}
