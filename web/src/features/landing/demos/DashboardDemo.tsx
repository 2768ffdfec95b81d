import { Share2, Zap } from 'lucide-react'
import { sampleActivity, sampleStats } from '../../../content/samples.ts'
import { Button } from '../../../ui/Button.tsx'
import { ActivityList, CopyField, Stat, StatRow } from '../../../ui/Data.tsx'
import { Panel } from '../../../ui/Panel.tsx'
import { MonthPanel } from './MonthPanel.tsx'

export function DashboardDemo() {
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <p className="text-28 font-semibold">Welcome Back, Mara!</p>
        <div className="flex gap-2 max-sm:hidden">
          <Button>
            <Share2 />
            Share Marketplace
          </Button>
          <Button variant="primary">
            <Zap />
            Quick Actions
          </Button>
        </div>
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
            <CopyField label="Marketplace link" value="operon.example/marketplace/mara" open />
          </Panel>
        </div>
      </div>
    </div>
  )
}
