import { monthlyUse } from '../../../content/showcase.ts'
import { GeneMeter } from '../../../ui/Data.tsx'
import { Panel } from '../../../ui/Panel.tsx'

export function MonthPanel() {
  return (
    <Panel title="This month">
      <div className="flex flex-col gap-4">
        {monthlyUse.map((use) => (
          <GeneMeter key={use.label} {...use} />
        ))}
      </div>
    </Panel>
  )
}
