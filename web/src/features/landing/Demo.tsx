import { useState } from 'react'
import { paths } from '../../paths.ts'
import { ButtonLink } from '../../ui/Button.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { DashboardDemo } from './demos/DashboardDemo.tsx'
import { LabDemo } from './demos/LabDemo.tsx'
import { VoiceDemo } from './demos/VoiceDemo.tsx'
import { WorkflowDemo } from './demos/WorkflowDemo.tsx'
import { ProductFrame } from './ProductFrame.tsx'

type DemoId = 'dashboard' | 'workflows' | 'ai-lab' | 'voice-agents'

const demos = [
  { id: 'dashboard', label: 'AI Dashboard', screen: <DashboardDemo /> },
  { id: 'workflows', label: 'Workflow Builder', screen: <WorkflowDemo />, coming: true },
  { id: 'ai-lab', label: 'AI Assistant Lab', screen: <LabDemo /> },
  { id: 'voice-agents', label: 'Voice Agents', screen: <VoiceDemo />, coming: true },
] as const

export function Demo() {
  const [open, setOpen] = useState<DemoId>('dashboard')
  return (
    <section id="demo" className="border-t border-line">
      <div className="mx-auto max-w-[84rem] px-5 py-20 md:px-8 md:py-28">
        <div className="mb-8 flex flex-wrap items-end justify-between gap-6">
          <h2 className="max-w-[18ch] text-40 font-semibold">See the screens before you sign up.</h2>
          <ButtonLink to={paths.auth} variant="primary" size="public">
            Try Free Demo
          </ButtonLink>
        </div>
        <Tabs
          label="Product screens"
          value={open}
          onChange={setOpen}
          tabs={demos.map((demo) => ({
            id: demo.id,
            label: demo.label,
            panel: (
              <div className="pt-5">
                {'coming' in demo ? (
                  <p className="mb-3 text-13 text-muted">This tool is coming; the screen shows how it will look.</p>
                ) : null}
                <ProductFrame path={demo.id}>{demo.screen}</ProductFrame>
              </div>
            ),
          }))}
        />
      </div>
    </section>
  )
}
