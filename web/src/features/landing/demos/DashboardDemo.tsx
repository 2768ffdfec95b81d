import { ChevronRight, Zap } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router-dom'
import { product } from '../../../content/product.ts'
import { sampleActivity, sampleStats } from '../../../content/samples.ts'
import { paths } from '../../../paths.ts'
import { navItems } from '../../../shell/nav.ts'
import { Button } from '../../../ui/Button.tsx'
import { ActivityList, CopyField, Stat, StatRow } from '../../../ui/Data.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Panel } from '../../../ui/Panel.tsx'
import { MonthPanel } from './MonthPanel.tsx'

const tools = navItems.filter((item) => item.path !== paths.dashboard)

/** The dashboard on sample data. A tool that is picked opens with an account. */
export function DashboardDemo() {
  const [actions, setActions] = useState(false)
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <p className="text-28 font-semibold">Welcome Back, Mara!</p>
        <Button variant="primary" onClick={() => setActions(true)}>
          <Zap />
          Quick Actions
        </Button>
      </div>
      <StatRow>
        {sampleStats.map((stat) => (
          <Stat key={stat.label} {...stat} />
        ))}
      </StatRow>
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-3">
        <Panel title="Recent Activity" flush className="lg:col-span-2">
          <ActivityList entries={sampleActivity} />
        </Panel>
        <div className="flex flex-col gap-6">
          <MonthPanel />
          <Panel title="Your Marketplace" className="max-lg:hidden">
            <CopyField label="Marketplace link" value="operon.example/marketplace/mara" />
          </Panel>
        </div>
      </div>
      <Dialog
        open={actions}
        onClose={() => setActions(false)}
        title="Quick Actions"
        description="Each of these opens once you have an account."
      >
        <ul className="-mx-2">
          {tools.map((tool) => (
            <li key={tool.path}>
              <Link to={paths.auth} className="flex h-10 items-center gap-3 rounded-control px-2 text-14 hover:bg-raised max-md:h-11">
                <tool.icon className="size-4 text-faint" />
                <span className="flex-1">{tool.action ?? `Open ${tool.title.replace('{product}', product.name)}`}</span>
                <ChevronRight className="size-4 text-faint" />
              </Link>
            </li>
          ))}
        </ul>
      </Dialog>
    </div>
  )
}
