import { useCall } from '../../api/call.ts'
import { cost, seconds } from '../../chat/message.ts'
import { modelName } from '../../content/models.ts'
import { GeneMeter, Table } from '../../ui/Data.tsx'
import { Asked, EmptyState, Panel, Pill } from '../../ui/Panel.tsx'

export function UsagePanel() {
  const usage = useCall('ai-usage', {})
  const answers = usage.data?.by_model.reduce((sum, row) => sum + row.answers, 0) ?? 0
  return (
    <Panel title="Usage Statistics" flush>
      <Asked query={usage} skeleton="m-4 h-40" failed="The figures could not be loaded" />
      {usage.data ? (
        <>
          <div className="flex flex-col gap-4 p-4">
            <GeneMeter label="Prompts this month" used={usage.data.used} limit={usage.data.limit} />
            {usage.data.budget_microusd ? (
              <GeneMeter label="Model budget" used={usage.data.cost_microusd} limit={usage.data.budget_microusd} format={cost} />
            ) : null}
            <dl className="grid grid-cols-3 gap-3 text-13">
              <div>
                <dt className="text-muted">Messages</dt>
                <dd className="text-20 font-semibold tabular">{answers.toLocaleString('en-US')}</dd>
              </div>
              <div>
                <dt className="text-muted">Hours Saved</dt>
                <dd className="flex flex-wrap items-center gap-x-2 text-20 font-semibold tabular">
                  {Math.floor(answers / 2).toLocaleString('en-US')}
                  <Pill>Estimate</Pill>
                </dd>
              </div>
              <div>
                <dt className="text-muted">Model cost</dt>
                <dd className="text-20 font-semibold whitespace-nowrap tabular max-[359px]:text-16">{cost(usage.data.cost_microusd)}</dd>
              </div>
            </dl>
            <p className="text-12 text-faint">Hours Saved counts half an hour a message; it is a rule of thumb, not a measurement.</p>
          </div>
          {usage.data.by_model.length ? (
            <div className="border-t border-line">
              <Table figures label="Usage by model" head={['Model', 'Answers', 'Tokens', 'Cost', 'Average time']}>
                {usage.data.by_model.map((row) => (
                  <tr key={row.model}>
                    <td className="font-medium">{modelName(row.model)}</td>
                    <td className="font-mono tabular">{row.answers}</td>
                    <td className="font-mono tabular">{(row.prompt_tokens + row.completion_tokens).toLocaleString('en-US')}</td>
                    <td className="font-mono tabular">{cost(row.cost_microusd)}</td>
                    <td className="font-mono tabular">{seconds(row.avg_ms)}</td>
                  </tr>
                ))}
              </Table>
            </div>
          ) : (
            <EmptyState compact title="No answers this month yet">
              Tokens, cost and time by model appear after your first answer.
            </EmptyState>
          )}
        </>
      ) : null}
    </Panel>
  )
}
