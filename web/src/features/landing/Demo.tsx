import { useEffect, useState } from 'react'
import { paths } from '../../paths.ts'
import { ButtonLink } from '../../ui/Button.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { DashboardDemo } from './demos/DashboardDemo.tsx'
import { LabDemo } from './demos/LabDemo.tsx'
import { VoiceDemo } from './demos/VoiceDemo.tsx'
import { WorkflowDemo } from './demos/WorkflowDemo.tsx'
import { ProductFrame } from './ProductFrame.tsx'

type DemoId = 'dashboard' | 'workflows' | 'ai-lab' | 'voice-agents'
type DemoTab = { id: DemoId; label: string; path: string; says: string; live?: boolean }

const demos: DemoTab[] = [
  {
    id: 'dashboard',
    label: 'AI Dashboard',
    path: paths.dashboard,
    says: 'New leads, finished work, and what is left of your plan this month.',
  },
  {
    id: 'workflows',
    label: 'Workflow Builder',
    path: '/dashboard/workflows',
    says: 'This tool is coming; the screen shows how it will look.',
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
  },
]
const screens = { dashboard: DashboardDemo, workflows: WorkflowDemo, 'ai-lab': LabDemo, 'voice-agents': VoiceDemo }

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
              label,
              panel: (
                <>
                  <p className="border-b border-line px-5 py-3 text-14 text-muted md:px-8">{says}</p>
                  <div className="h-[40rem] lg:h-[44rem]">
                    {drawn ? (
                      <ProductFrame path={path} live={live} className="h-full">
                        <div className="min-h-0 flex-1 overflow-hidden p-4 md:p-8">
                          <Screen />
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
