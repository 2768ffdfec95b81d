import { useCall } from '../../api/call.ts'
import { cost, seconds } from '../../chat/message.ts'
import { modelName } from '../../content/models.ts'
import { GeneMeter, Table } from '../../ui/Data.tsx'
import { day } from '../../ui/format.ts'
import { EmptyState, ErrorState, Panel, Skeleton } from '../../ui/Panel.tsx'

const featureNames: Record<string, string> = {
  chat: 'Chat',
  assistant: 'Assistant dialog',
  lab: 'AI Assistant Lab',
  help: 'Help',
  analyst: 'Business analyst',
  content: 'Content Creator',
  brand: 'Brand Builder',
  ads: 'Ad generator',
  email: 'Email',
  api: 'API keys',
}

export function AiUsage() {
  const usage = useCall('ai-usage', {})
  if (usage.isPending) return <Skeleton className="h-64" />
  if (usage.isError)
    return (
      <Panel flush>
        <ErrorState title="Your usage could not be loaded" error={usage.error} retry={() => usage.refetch()} />
      </Panel>
    )
  const { used, limit, period_start, period_end, forecast_prompts, cost_microusd, budget_microusd, by_model, by_feature } = usage.data
  const over = limit !== null && forecast_prompts > limit
  return (
    <>
      <Panel title="This period">
        <div className="flex flex-col gap-4">
          <GeneMeter label="Prompts" used={used} limit={limit} />
          {budget_microusd ? <GeneMeter label="Model budget" used={cost_microusd} limit={budget_microusd} format={cost} /> : null}
        </div>
        <p className="mt-3 text-13 text-muted">
          Since {day(period_start)}
          {period_end ? `, until ${day(period_end)}` : ''}.
        </p>
        {used ? (
          <p className="mt-1 text-13 text-muted">
            About {forecast_prompts.toLocaleString('en-US')} prompts by the end of the period at this pace
            {over ? <span className="text-warn">, which is more than your plan has</span> : ''}. Model cost so far: {cost(cost_microusd)}
            {budget_microusd ? ` of the ${cost(budget_microusd)} that your plan includes` : ', included in your plan'}.
          </p>
        ) : null}
      </Panel>
      <Panel title="By feature" flush>
        {by_feature.length ? (
          <Table figures label="Usage by feature" head={['Feature', 'Answers', 'Model cost']}>
            {by_feature.map((row) => (
              <tr key={row.feature}>
                <td className="font-medium">{featureNames[row.feature] ?? row.feature}</td>
                <td className="font-mono tabular">{row.answers}</td>
                <td className="font-mono tabular">{cost(row.cost_microusd)}</td>
              </tr>
            ))}
          </Table>
        ) : (
          <EmptyState compact title="No answers in this period yet">
            Each answer is counted here by the feature you used.
          </EmptyState>
        )}
      </Panel>
      {by_model.length ? (
        <Panel title="By model" flush>
          <Table figures label="Usage by model" head={['Model', 'Answers', 'Tokens in', 'Tokens out', 'Model cost', 'Average time']}>
            {by_model.map((row) => (
              <tr key={row.model}>
                <td className="font-medium">{modelName(row.model)}</td>
                <td className="font-mono tabular">{row.answers}</td>
                <td className="font-mono tabular">{row.prompt_tokens.toLocaleString('en-US')}</td>
                <td className="font-mono tabular">{row.completion_tokens.toLocaleString('en-US')}</td>
                <td className="font-mono tabular">{cost(row.cost_microusd)}</td>
                <td className="font-mono tabular">{seconds(row.avg_ms)}</td>
              </tr>
            ))}
          </Table>
        </Panel>
      ) : null}
    </>
  )
}
