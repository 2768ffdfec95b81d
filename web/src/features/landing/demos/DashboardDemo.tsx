import { sampleActivity, sampleStats } from '../../../content/samples.ts'
import { ActivityList, GeneMeter, Stat, StatRow } from '../../../ui/Data.tsx'
import { Panel } from '../../../ui/Panel.tsx'

export function DashboardDemo() {
  return (
    <div className="flex flex-col gap-4">
      <p className="text-20 font-semibold">Welcome Back, Mara!</p>
      <StatRow>
        {sampleStats.map((stat) => (
          <Stat key={stat.label} {...stat} />
        ))}
      </StatRow>
      <div className="grid grid-cols-1 gap-4 lg:grid-cols-3">
        <Panel title="Recent Activity" flush className="lg:col-span-2">
          <ActivityList entries={sampleActivity} />
        </Panel>
        <Panel title="This month">
          <div className="flex flex-col gap-4">
            <GeneMeter label="AI prompts" used={642} limit={1000} />
            <GeneMeter label="E-mails" used={2610} limit={3000} />
            <GeneMeter label="Workflow runs" used={3120} limit={10000} />
            <GeneMeter label="Voice agents" used={2} limit={5} />
          </div>
        </Panel>
      </div>
    </div>
  )
}
