import { useEffect, useRef, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { LaneCard } from '../../../chat/LaneCard.tsx'
import type { LaneState } from '../../../chat/lane.ts'
import { labAnswers, labQuestion } from '../../../content/showcase.ts'
import { paths } from '../../../paths.ts'
import { Button } from '../../../ui/Button.tsx'

type Answer = (typeof labAnswers)[number]

/** The lab's own lanes on four kept answers, written out at the pace they once came. */
export function LabDemo() {
  const navigate = useNavigate()
  const { elapsed, stopped, start, stop } = useRun(Math.max(...labAnswers.map(({ ms }) => ms)))
  const [vote, setVote] = useState<number | null>(null)
  const lanes = labAnswers.map((answer, at) => laneAt(answer, Math.min(elapsed, stopped[at] ?? Number.POSITIVE_INFINITY), at in stopped))
  const busy = lanes.some(({ state }) => state === 'waiting' || state === 'writing')
  return (
    <div className="flex h-full flex-col gap-4">
      <div className="flex items-center gap-3 rounded-panel bg-panel py-2.5 pr-2.5 pl-4 hairline">
        <p className="min-w-0 flex-1 text-14">{labQuestion}</p>
        <Button
          variant="primary"
          busy={busy ? 'Asking all four' : false}
          onClick={() => {
            setVote(null)
            start()
          }}
        >
          Compare All
        </Button>
      </div>
      <div className="grid min-h-0 grid-cols-1 gap-4 md:grid-cols-2 [&_section]:!h-36">
        {lanes.map((lane, at) => (
          <LaneCard
            key={lane.model}
            lane={lane}
            at={at}
            voted={vote === at}
            canVote={!busy}
            onStop={() => stop(at)}
            onVote={() => setVote(at)}
            onContinue={() => navigate(paths.auth)}
          />
        ))}
      </div>
    </div>
  )
}

function laneAt(answer: Answer, elapsed: number, stopped: boolean): LaneState {
  const { model, answeredBy, firstMs, ms, usage, content } = answer
  const done = elapsed >= ms
  const begun = elapsed >= firstMs
  const share = Math.max(0, Math.min(1, (elapsed - firstMs) / (ms - firstMs)))
  return {
    model,
    state: done ? 'complete' : stopped ? 'stopped' : begun ? 'writing' : 'waiting',
    content: content.slice(0, Math.round(content.length * share)),
    answeredBy: begun ? answeredBy : null,
    sandbox: false,
    firstMs: begun ? firstMs : null,
    ms: done ? ms : null,
    usage: done ? usage : null,
  }
}

/** Milliseconds since the run began, drawn frame by frame; who wants no motion sees the end. */
function useRun(longest: number) {
  const [elapsed, setElapsed] = useState(longest)
  const [stopped, setStopped] = useState<Record<number, number>>({})
  const frame = useRef(0)
  function start() {
    cancelAnimationFrame(frame.current)
    setStopped({})
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return setElapsed(longest)
    const began = performance.now()
    function tick(now: number) {
      setElapsed(now - began)
      if (now - began < longest) frame.current = requestAnimationFrame(tick)
    }
    setElapsed(0)
    frame.current = requestAnimationFrame(tick)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the screen is opened
  useEffect(() => {
    start()
    return () => cancelAnimationFrame(frame.current)
  }, [])
  return { elapsed, stopped, start, stop: (at: number) => setStopped((before) => ({ ...before, [at]: elapsed })) }
}
