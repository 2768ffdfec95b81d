import { lazy, Suspense, useEffect, useState } from 'react'
import { paths } from '../../paths.ts'
import { ButtonLink } from '../../ui/Button.tsx'
import { Pill } from '../../ui/Panel.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { ProductFrame } from './ProductFrame.tsx'

type DemoId = 'dashboard' | 'workflows' | 'ai-lab' | 'voice-agents'
/** `live` can be worked. A tool that is not built yet is a preview: looked at, and labelled. */
type DemoTab = { id: DemoId; label: string; path: string; says: string; live: boolean }

const demos: DemoTab[] = [
  {
    id: 'dashboard',
    label: 'AI Dashboard',
    path: paths.dashboard,
    says: 'New leads, finished work, and what is left of your plan this month.',
    live: true,
  },
  {
    id: 'workflows',
    label: 'Workflow Builder',
    path: '/dashboard/workflows',
    says: 'This tool is coming; the screen shows how it will look.',
    live: false,
  },
  {
    id: 'ai-lab',
    label: 'AI Assistant Lab',
    path: paths.lab,
    says: 'Run it: the same question to four models, each with its time, tokens and cost.',
    live: true,
  },
  {
    id: 'voice-agents',
    label: 'Voice Agents',
    path: '/dashboard/voice-agents',
    says: 'This tool is coming; the screen shows how it will look.',
    live: false,
  },
]
const screens = {
  dashboard: lazy(() => import('./demos/DashboardDemo.tsx').then(({ DashboardDemo }) => ({ default: DashboardDemo }))),
  workflows: lazy(() => import('./demos/WorkflowDemo.tsx').then(({ WorkflowDemo }) => ({ default: WorkflowDemo }))),
  'ai-lab': lazy(() => import('./demos/LabDemo.tsx').then(({ LabDemo }) => ({ default: LabDemo }))),
  'voice-agents': lazy(() => import('./demos/VoiceDemo.tsx').then(({ VoiceDemo }) => ({ default: VoiceDemo }))),
}

export function Demo() {
  const [open, setOpen] = useState<DemoId>('dashboard')
  // Drawn once the app is here, with the first sign of a person: far below the first screen, it would weigh on the first paint.
  const [drawn, setDrawn] = useState(false)
  useEffect(() => setDrawn(true), [])
  return (
    <section id="demo" className="after-paint border-t border-line">
      <div className="rail">
        <div className="flex flex-wrap items-end justify-between gap-6 px-5 pt-16 pb-10 md:px-8 md:pt-24">
          <h2 className="max-w-[18ch] text-40 font-semibold">See the screens before you sign up.</h2>
          <ButtonLink to={paths.auth} variant="primary" size="public">
            Try Free Demo
          </ButtonLink>
        </div>
        <Tabs
          label="Product screens"
          value={open}
          onChange={setOpen}
          className="[&>[role=tablist]]:px-5 md:[&>[role=tablist]]:px-8"
          tabs={demos.map(({ id, label, path, says, live }) => {
            const Screen = screens[id]
            return {
              id,
              label: live ? (
                label
              ) : (
                <span className="flex items-center gap-2">
                  {label} <Pill>Preview</Pill>
                </span>
              ),
              panel: (
                <>
                  <p className="border-b border-line px-5 py-3 text-14 text-muted md:px-8">{says}</p>
                  <div className="h-[40rem] lg:h-[44rem]">
                    {drawn ? (
                      <ProductFrame path={path} live={live} className="h-full">
                        <div className="min-h-0 flex-1 overflow-x-hidden overflow-y-auto p-4 md:p-8">
                          <Suspense fallback={null}>
                            <Screen />
                          </Suspense>
                        </div>
                      </ProductFrame>
                    ) : null}
                  </div>
                </>
              ),
            }
          })}
        />
      </div>
    </section>
  )
}
